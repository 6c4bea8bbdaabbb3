// SPDX-License-Identifier: GPL-2.0-or-later
// Becomes another program from within a function.
#include <unistd.h>

__attribute__((noinline)) int become(char *const *arguments) {
    return execv("/bin/true", arguments) + 1;
}

int main(int argc, char **argv) {
    (void)argc;
    return become(argv) + 1;
}
