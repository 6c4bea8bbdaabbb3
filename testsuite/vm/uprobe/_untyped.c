// SPDX-License-Identifier: GPL-2.0-or-later
// Variables that a script reads by their symbols: compiled without debug information.
signed char letter = -1;
unsigned short two = 0x1234;
int four = -2;
long eight = 0x123456789abcdef0;
struct {
    long first, second;
} wide = {7, 11};
static int hidden = 5;

__attribute__((noinline)) int look(int more) {
    return hidden += more;
}

int main(void) {
    return look(1) != 6;
}
