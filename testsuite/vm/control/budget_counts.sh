# SPDX-License-Identifier: GPL-2.0-or-later
# Counts of a thinned probe stand for the hits that were left out, too: the program knows how many reads of each size it made. In twenty
# sessions, each with other strides, the errors of each estimate are zero on average, within four standard errors, and at most one is
# beyond three standard deviations. The scatter is that of the sessions, and at most one tenth of the count. The ledger has the hits for
# which none stands.
#: host: cc -O1 -Wall -pthread -o reads "$AREA/_reads.c"
#: host: "$STAP" --no-global-var-display --budget=10 -p4 -r "$R" -m counts "$AREA/_budget_counts.stp" >/dev/null
#: timeout: 400
#: long: twenty sessions
#: records: no, its twenty sessions print lines of one kind
reads=100000
for seed in $(seq 20); do
    "$STAPRUN" --budget=10 --ledger ledger -c "sh -c './reads 1 $reads $seed >true'" counts.ko >out 2>err || fail "seed $seed: status $?: $(cat err)"
    grep -q '^budget: counts and sums of <<<, ++ and += are estimates' err || fail "stderr: $(cat err)"
    figures=$(sed -n '/vfs_read/s/.*"handled": \([0-9]*\), "skipped": {"reentry": 0, "lock": 0, "stack": 0.* "budget": \([0-9]*\)}, "refused": \([0-9]*\),.*/\1 \2 \3/p' ledger)
    echo "$(cat true) $(head -1 out) $figures"
    # The picture counts as the numbers do.
    is_equal 'the sum of the histogram' "$(awk 'NR > 1 && /\|/ { sum += $NF } END { print sum }' out)" "$(awk 'NR == 1 { print $4 }' out)"
done >runs
awk -v reads=$reads '
    function fail(what) { bad = bad "\n" what }
    {
        handled = $(NF - 2); left_out = $(NF - 1); refused = $NF
        error[0, NR] = $5 + refused - handled - left_out
        if ($6 != $8 || $7 != $9) fail("run " NR ": samples and additions differ")
        if ($(NF - 3) != 1) fail("run " NR ": a number that is set is " $(NF - 3))
        sum_handled += handled; sum_left_out += left_out
        for (i = 1; i <= 4; i++) {
            if ($(8 + 2 * i) != $(9 + 2 * i)) fail("run " NR ": size " i)
            # Those that are refused are of all sizes.
            error[i, NR] = $(8 + 2 * i) + refused * $i / reads - $i
        }
    }
    END {
        printf "%d of %d hits handled\n", sum_handled, sum_handled + sum_left_out
        if (NR != 20) fail(NR " runs")
        if (sum_handled > sum_left_out) fail("hardly thinned")
        for (i = 0; i <= 4; i++) {
            sum = squares = far = 0
            for (r = 1; r <= NR; r++) { sum += error[i, r]; squares += error[i, r] ^ 2 }
            mean = sum / NR; deviation = sqrt((squares - NR * mean ^ 2) / (NR - 1))
            printf "%s: off by %.0f on average, deviation %.0f\n", i ? "size " i : "all", mean, deviation
            if (deviation > reads / 10) fail("scatter")
            if (mean ^ 2 > 16 * deviation ^ 2 / NR) fail("the mean of size " i)
            for (r = 1; r <= NR; r++) far += (error[i, r] - mean) ^ 2 > 9 * deviation ^ 2
            if (far > 1) fail(far " runs of size " i " are far off")
        }
        if (bad) { print "BAD:" bad; exit 1 }
    }' runs || fail "$(cat runs)"
