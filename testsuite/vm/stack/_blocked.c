// SPDX-License-Identifier: GPL-2.0-or-later
#include <unistd.h>

int main(void) {
    char c;
    return read(0, &c, 1) == 1 ? 0 : 1;
}
