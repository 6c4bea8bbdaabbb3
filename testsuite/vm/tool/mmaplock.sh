# SPDX-License-Identifier: GPL-2.0-or-later
# The lock of an address space, on a program that maps as often as it is told. Earlier kernels do not tell of it.
#: host: cc -O1 -static -pthread -o loads "$AREA/_loads.c"
#: host: "$STAP" -p4 -r "$R" -m mmaplock run mmaplock >/dev/null
#: requires: point kernel.trace("mmap_lock:mmap_lock_start_locking")
#: timeout: 60
. "$AREA/_tools.sh"

# Each mmap() and munmap() takes the lock for writing.
locked() {
    traced mmaplock "maps $1"
    grep '^loads,[0-9]*,write,' rows | cut -d , -f 4
}
one=$(locked 10)
is_equal 'locks' $(($(locked 110) - one)) 200
