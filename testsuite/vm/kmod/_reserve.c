// SPDX-License-Identifier: GPL-2.0-or-later
// _reserve N: calls within calls, N deep.
#include <stdlib.h>

int deep(int n) {
    return n ? deep(n - 1) + 1 : 0;
}

int main(int argc, char **argv) {
    return deep(argc > 1 ? atoi(argv[1]) : 1) < 0;
}
