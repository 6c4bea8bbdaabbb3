# SPDX-License-Identifier: GPL-2.0-or-later
# Counts instructions by valgrind, the same on every machine. Sourced, not run; $work is a directory for its files.

# Without its cache's simulation cachegrind takes less than half of callgrind's time, for the same number.
counting=(valgrind --tool=cachegrind --cache-sim=no --cachegrind-out-file=/dev/null --log-file="$work/count")

# Instructions of the last program that "${counting[@]}" ran.
counted() { sed -n 's/.* I *refs: *//p' "$work/count" | tr -d ,; }
