# SPDX-License-Identifier: GPL-2.0-or-later
# kprocess.* against a program that forks, makes threads, and whose children end with known statuses.
#: scripts: _kprocess.stp
#: host: cc -O2 -static -o kprocess "$AREA/_kprocess.c" -pthread
"$STAPRUN" _kprocess.ko -c ./kprocess >out
cat out
count() { grep -c "^$1\$" out || :; }
# Four children, the second of which makes two threads that end before it.
is_equal 'processes' "$(count 'created 1 1')" 4
is_equal 'threads' "$(count 'created 0 1')" 2
is_equal 'first steps' "$(count 'started 1') $(count 'started 0')" '6 0'
is_equal 'ends' "$(grep '^exit' out | sort | uniq -c | awk '{ print $1, $3, $4 }' | tr '\n' ',')" '2 0 0,1 0 1,1 11 1,1 12 1,1 13 1,'
is_equal 'releases' "$(count 'released 1 1')" 6
is_equal 'by both ways' "$(grep -E '^(together|differs)' out)" 'together 6'
is_equal 'executed' "$(grep -E '^(execve|complete)' out)" 'execve "/nonexistent/program" [["program", "one two"]] 1
complete -2 0 -2 (ENOENT) kprocess
execve "/proc/self/exe" [["./kprocess", "an argument"]] 1
complete 0 1 0 exe'
