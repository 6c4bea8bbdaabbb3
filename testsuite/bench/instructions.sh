# SPDX-License-Identifier: GPL-2.0-or-later
# Counts instructions by valgrind, the same on every machine. Sourced, not run; $work is a directory for its files.

counting=(valgrind --tool=callgrind --callgrind-out-file=/dev/null --log-file="$work/count")

# Instructions of the last program that "${counting[@]}" ran.
counted() { sed -n 's/.*Collected : \([0-9]*\).*/\1/p' "$work/count"; }
