# SPDX-License-Identifier: GPL-2.0-or-later
# Histograms with a unit: as wide as a terminal, 100 columns in a pipe and in a file. Their sums are what dd was told to write.
#: scripts: _picture.stp
#: requires: program script
cat >load <<'END'
dd if=/dev/zero of=/dev/null bs=64 count=2000 status=none
dd if=/dev/zero of=/dev/null bs=3000 count=500 status=none
END

marks() {
    printf "$1%.0s" $(seq "$2")
}

# 2,500 writes, and 64 * 2,000 + 3,000 * 500 = 1,628,000 bytes, 1.55 MiB. Besides the bar a row takes 23 columns. The second bar is a
# quarter of the first: $2 whole columns and $3.
# expected WIDTH COLUMNS EIGHTHS
expected() {
    local bar=$(($1 - 23))
    printf 'before\nsize%*s2,500 samples, sum 1.55 MiB\n' $(($1 - 4 - 27)) ''
    printf ' 64 B │%s  2,000   80.0 %%\n      │ ⋯\n' "$(marks █ $bar)"
    printf '2 KiB │%s%*s    500   20.0 %%\n' "$(marks █ $2)$3" $((bar - $2 - ${#3})) ''
    printf 'median below 128 B    90 %% up to 2.93 KiB    99 %% up to 2.93 KiB    max 2.93 KiB\n\n'
    printf 'by["dd",3000]%*s500 samples, sum 1.43 MiB\n' $(($1 - 13 - 25)) ''
    printf '2.93 KiB │%s  500  100.0 %%\n' "$(marks █ $(($1 - 24)))"
    printf 'median up to 2.93 KiB    90 %% up to 2.93 KiB    99 %% up to 2.93 KiB    max 2.93 KiB\n\nbehind\n'
}

export LC_ALL=C.UTF-8
expected 100 19 ▎ >want
"$STAPRUN" -c 'sh load' _picture.ko | cat >pipe
diff want pipe || fail 'in a pipe'
"$STAPRUN" -o file -c 'sh load' _picture.ko
diff want file || fail 'in a file'
expected 87 16 '' >want
script -qec "stty cols 87; exec '$STAPRUN' -c 'sh load' _picture.ko" /dev/null </dev/null | tr -d '\r' >terminal
diff want terminal || fail 'on a terminal'
export LC_ALL=C
"$STAPRUN" -c 'sh load' _picture.ko | cat >ascii
LC_ALL=C.UTF-8 expected 100 19 '' | sed 's/│/|/; s/█/@/g; s/⋯/.../' >want
diff want ascii || fail 'without UTF-8'
