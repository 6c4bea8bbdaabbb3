# SPDX-License-Identifier: GPL-2.0-or-later
# tools/runtimes/luajit.stp with Debian's LuaJIT and a program that is told what to interpret, and knows its times and its heap.
#: requires: file /usr/bin/luajit
#: host: "$STAP" -p4 -r "$R" -m luajit run luajit >/dev/null
#: timeout: 120
#: records: also
. "$AREA/_lib.sh"
traced "bash -c 'luajit $AREA/_states.lua >said'" luajit traces=1
read -r slow fast heap <said
rows states | awk -F '\t' -v slow="$slow" -v fast="$fast" '{ n += $3; if ($5 == "compiled") compiled = $3; if ($5 == "interpreter") interpreted = $3 }
    END { share = fast / (slow + fast); all = compiled + interpreted; d = compiled - all * share; print "compiled", compiled, "interpreted", interpreted, "of", n, "and", share
        exit !(n >= 50 && all > 0.8 * n && d * d <= 9 * all * share * (1 - share) + 0.02 * all * 0.02 * all) }' || fail 'shares of what LuaJIT does'
is_equal 'the heap' "$(rows heap | awk -F '\t' -v own="$heap" '{ d = $5 - own; print d * d <= 0.01 * own * own }')" 1
is_equal 'samples of traces' "$(rows top | awk -F '\t' '{ sum += $3 } END { print sum }')" "$(row states 3 compiled)"
[[ "$(rows top | head -n 1)" == *_states.lua* ]] || fail "the trace: $(rows top)"
traced 'sleep 0.2' luajit
grep -q 'no LuaJIT' out || fail 'the tool says nothing when there is nothing'
sample 'luajit --traces' luajit -c "bash -c 'luajit $AREA/_states.lua >said'" traces=1
