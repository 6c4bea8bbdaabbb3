// SPDX-License-Identifier: GPL-2.0-or-later
__attribute__((noipa)) int divided(int dividend, long divisor, const char *name) {
    return name ? dividend / (int)divisor : 0;
}

__attribute__((noipa)) void described(const void *text) {}

int main(void) {
    static const struct text {
        long length;
        const char *text;
    } text = {4, "a text that is not read so far"};

    described(&text);
    return divided(-84, 2, "half") == -42 ? 0 : 1;
}
