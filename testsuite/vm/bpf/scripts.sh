# SPDX-License-Identifier: GPL-2.0-or-later
# Scripts run as BPF: arrays, statistics, output, errors and their limits come out as in a module.
#: requires: kernel 6.12
#: long: the kernels that ./check boots first have no arenas
#: requires: program dd
#: host: [ ! -e "$BIN/../lib/tapir_bpf.o" ] || for s in arrays actions; do "$AREA/../../bpf/compile.sh" "$BIN/.." "$R" "$W/$s.o" "$AREA/_$s.stp" || exit; done
#: timeout: 240
#: records: no, no session
[ -e arrays.o ] || skip 'the runtime for BPF was not built: no clang and LLVM of the version it needs'
load='dd if=/dev/zero of=/dev/null bs=123 count=1000 2>/dev/null'
"$BIN/bpf-run" arrays.o "$load" >out 2>err || {
    ! grep -q 'too deep\|combined stack size' err || skip 'this kernel has too few frames for functions that call each other'
    fail "$(cat err)"
}
# The sums of 123 + 0 to 123 + 999, and the variance of a thousand numbers in a row, n * (n + 1) / 12.
cat >expected <<'END'
begin
dd has 250    of 3e8
dd has 500    of 3e8
caught division by 0 at 500
dd 0: 167
dd 1: 167
dd has 750    of 3e8
dd has 1000   of 3e8
caught division by 0 at 1000
dd 0: 334
dd 1: 333
dd: 1000, 622500, 123 to 1122, variance 83416
1: 501:d
0: 999:d
value |-------------------------------------------------- count
    0 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@                      177
  300 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@ 300
  600 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@ 300
  900 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@              223
 1200 |                                                     0

END
diff expected out >difference || fail "$(cat difference)"
is_equal 'the end' "$(cat err)" '# 0 skipped, 0 loops cut'
status=0
"$BIN/bpf-run" actions.o 'dd if=/dev/zero of=/dev/null bs=123 count=1 2>/dev/null' >out 2>err || status=$?
is_equal status $status 1
is_equal 'output of the error probe' "$(cat out)" '1 hit'
grep -q "^ERROR: MAXACTION exceeded near keyword 'while' at .*_actions.stp:9:2 in probe kernel.function(\"vfs_read" err || fail "$(cat err)"
