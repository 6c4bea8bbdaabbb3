# SPDX-License-Identifier: GPL-2.0-or-later
# Two sessions share a budget by a file: its words tell of both in the same windows, the kernel has its pages for as long as one of them
# is there, and a file that cannot be shared is refused before anything runs.
#: host: for name in one two; do "$STAP" --no-global-var-display --budget=5 -p4 -r "$R" -m $name -e 'global n probe kernel.function("vfs_read") { n <<< 1; for (i = 0; i < 50; i++) n <<< 1 } probe end { println(@count(n) > 0) }' >/dev/null; done
#: timeout: 200
#: records: no, its sessions run at the same time
pins() { awk '$1 == "nr_foll_pin_acquired" { a = $2 } $1 == "nr_foll_pin_released" { r = $2 } END { print a - r }' /proc/vmstat; }
before=$(pins)
"$STAPRUN" --budget=5 --budget-file=/run/budget -o out2 two.ko 2>err2 &
session=$!
# A word of a row: the window in 24 bits, the sessions in 8, what they took in 32.
words() { od -An -v -tx8 -w8 -j64 /run/budget 2>/dev/null; }
for i in $(seq 300); do words | grep -q '[1-9a-f]' && break; sleep 0.1; done
while sleep 0.05; do words; done >seen &
watcher=$!
"$STAPRUN" --budget=5 --budget-file=/run/budget -o out1 -c "dd if=/dev/zero of=/dev/null bs=1 count=200000 status=none" one.ko 2>err1 || fail "status $?: $(cat err1)"
[ "$(pins)" -gt "$before" ] || fail "no pages are pinned: $(pins), before $before"
kill -INT $session
wait $session || fail "status $?: $(cat err2)"
is_equal 'first session' "$(cat out1)" 1
is_equal 'second session' "$(cat out2)" 1
is_equal 'mode and owner' "$(stat -c '%a %u' /run/budget)" '600 0'
is_equal 'pages that are pinned' "$(pins)" "$before"
kill $watcher
grep -q '^ ......02.*[1-9a-f]' seen || fail "both in no window: $(grep '[1-9a-f]' seen)"
refuses() { # NAME TEXT
    "$STAPRUN" --budget=5 --budget-file="$1" one.ko 2>err && fail "$1 was taken"
    grep -q -- "--budget-file: '$1' $2" err || fail "$1: $(cat err)"
    [ ! -d /proc/tapir-one ] || fail "$1: the module stayed"
}
chmod 666 /run/budget
refuses /run/budget 'can be written by others'
echo something else >/run/other
chmod 600 /run/other
refuses /run/other "is no budget file of this kernel's processors; remove it, or name another one: staprun makes it"
refuses /proc/self/budget 'cannot be opened'
