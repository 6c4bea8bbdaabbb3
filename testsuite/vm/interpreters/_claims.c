// SPDX-License-Identifier: GPL-2.0-or-later
// Claims to be Python of an unknown version: has its symbols, and writes to standard output.
#include <unistd.h>

char _PyRuntime[4096];
const unsigned long Py_Version = 0x030f00f0;

static char text[] = "spam\n"; /* in memory when it is written */

int main(void) {
    int i;

    for (i = 0; i < 20; i++) {
        text[0] = 's';
        if (write(1, text, 5) != 5) return 1;
    }
    return 0;
}
