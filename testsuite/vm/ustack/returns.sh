# SPDX-License-Identifier: GPL-2.0-or-later
# Return probes take the place of return addresses: stacks below them are what they are without.
#: scripts: _calls.stp _probed.stp
#: script-args: "$BIN/unwind_program"
#: stap: -DMAXSTRINGLEN=8000
#: timeout: 300
"$STAPRUN" -c "$BIN/unwind_program calls" --ledger plain.json _calls.ko >plain 2>err || { cat plain err; fail 'plain'; }
[ "$(grep '^stack 399 called_place+0x0 .*; _start+0x[0-9a-f]* [^;]*; $' plain | wc -l)" = 4 ] || { cat plain; fail 'no whole stacks'; }
grep -Eq '(called_deep\+0x[^;]*; ){21}called_all' plain || fail 'no recursion'
"$STAPRUN" --ledger probed.json _probed.ko >returns 2>err.returns &
staprun=$!
eventually 60 grep -q ^ready returns
"$STAPRUN" -c "$BIN/unwind_program calls" --ledger below.json _calls.ko >below 2>err || { cat below err; fail 'below return probes'; }
kill -INT $staprun
wait $staprun || { cat returns err.returns; fail 'return probes'; }
cat below err err.returns
for ledger in plain probed below; do sed -n 's/.*"user_stacks": \(.*\),$/\1/p' $ledger.json; done
is_equal 'stacks at entries' "$(grep ^stack below)" "$(grep ^stack plain)"
# Without a target, tables are made when they are needed: the first stacks are not whole.
whole() { sed -n 's/^stack [0-9]* \(.*; _start.*\)/\1/p' $1 | sort; }
is_equal 'stacks at returns' "$(whole returns)" "$(whole plain)"
for out in plain below; do
    read -r _ samples _ known <<<"$(grep ^samples $out)"
    [ "$samples" -ge 20 ] || fail "$out: only $samples samples"
    [ $((known * 100)) -ge $((samples * 99)) ] || fail "$out: $known of $samples samples are as known"
done
