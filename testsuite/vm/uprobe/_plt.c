// SPDX-License-Identifier: GPL-2.0-or-later
// Calls of another file's functions by each kind of entry.
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
    long sum = 0;
    char *end;

    for (int i = 0; i < 3; i++)
        sum += strtol(argv[1], &end, 10);
    return sum == 126 && labs(strtol("-5", NULL, 0)) == 5 ? 0 : argc;
}
