# SPDX-License-Identifier: GPL-2.0-or-later
# Holders of a mutex and a semaphore of the kernel, against the processes that were told to take them.
#: scripts: _lock_owners.stp
#: host: printf 'obj-m := _locks.o\n' > Makefile && cp "$AREA/_locks.c" . && "$AREA/../make-module.sh" "$TREE" "$PWD"
insmod _locks.ko
read -r mutex semaphore </proc/tapir_locks
owners() { "$STAPRUN" _lock_owners.ko mutex=$mutex semaphore=$semaphore >seen; sed 's/ at 0x.*//' seen | tail -1 >text; head -1 seen; }
waits() { grep -qx "$2" /proc/$1/wchan; }
# hold LETTER: a process that holds a lock; $holder
hold() {
    bash -c 'echo '$1' >/proc/tapir_locks' &
    holder=$!
    eventually 20 waits $holder 'keep\|locks_write'
}
drop() {
    echo d >/proc/tapir_locks
    wait $holder
}
is_equal 'free' "$(owners)" '0 0'
grep -q '^read fault' text || fail 'no fault at a wrong address'
hold h
is_equal 'a mutex' "$(owners)" "$holder 0"
# With waiters there are flags in the word.
bash -c 'echo h >/proc/tapir_locks' &
waiter=$!
stands() { grep -q '^State:.D' /proc/$1/status; }
eventually 20 stands $waiter
is_equal 'a mutex with a waiter' "$(owners)" "$holder 0"
drop
holder=$waiter
eventually 20 waits $holder 'keep\|locks_write'
is_equal 'the waiter has it' "$(owners)" "$holder 0"
drop
hold H
is_equal 'a writer' "$(owners)" "0 $holder"
bash -c 'echo k >/proc/tapir_locks' &
waiter=$!
eventually 20 stands $waiter
is_equal 'a writer with a waiter' "$(owners)" "0 $holder"
drop
holder=$waiter
eventually 20 waits $holder 'keep\|locks_write'
is_equal 'a reader' "$(owners)" '0 0'
drop
is_equal 'free again' "$(owners)" '0 0'
rmmod _locks
