// SPDX-License-Identifier: GPL-2.0-or-later
// A library with variables that scripts read from everywhere.
static volatile long library_counter = 1000;
volatile int library_flag = -3;

long library_work(long n) {
    library_flag = -4;
    return library_counter += n;
}
