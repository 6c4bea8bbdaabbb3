# SPDX-License-Identifier: GPL-2.0-or-later
# What the cases with unpacked programs share.
[ ! -e missing ] || skip "$(cat missing)"
root=$W/root
export PATH=$root/usr/sbin:$root/usr/bin:$PATH
for directory in "$root"/usr/lib/*-linux-gnu; do
    [ ! -d "$directory" ] || export LD_LIBRARY_PATH=$directory
done
ip link set lo up 2>/dev/null || true

# row FILE NUMBER TEXT...: field NUMBER of the line of FILE that ends with TEXT.
row() {
    local file=$1 number=$2
    shift 2
    awk -v want="$*" -v number="$number" 'substr($0, length($0) - length(want) + 1) == want { print $number; exit }' "$file"
}
