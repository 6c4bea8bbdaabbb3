// SPDX-License-Identifier: GPL-2.0-or-later
// Thread-local variables of a library: built once to be found by offsets, once by the vector of blocks.
__thread long local_first = 21;
__thread int local_second __attribute__((aligned(64)));

long locals_step(int n) {
    local_second += n;
    return local_first += n;
}
