# SPDX-License-Identifier: GPL-2.0-or-later
# tools/runtimes/pygc.stp, pyexc.stp, gil.stp and perlcalls.stp with Debian's interpreters, against their own counts.
#: requires: file /usr/bin/python3 /usr/bin/perl
#: host: for t in pygc pyexc gil perlcalls; do "$STAP" -p4 -r "$R" -m $t run $t >/dev/null || exit 1; done
#: timeout: 300
#: long: a dozen runs of interpreters
#: records: also
. "$AREA/_lib.sh"
load() { echo "/usr/bin/python3 -S -E $AREA/_python.py $1 >said"; }
traced "bash -c '$(load gc)'" pygc
is_equal 'generations, collections, objects' "$(rows collections | cut -f 3-5 | tr '\t' ' ' | sort)" "$(sort said)"
rows collections | awk -F '\t' '$7 < $6 || $8 < $7 || $8 > $7 * $4 { exit 1 }' || fail 'times'
traced "bash -c '$(load gc)'" pygc each=1 hist=1
is_equal 'each collection' "$(rows one | wc -l)" "$(awk '{ sum += $2 } END { print sum }' said)"
is_equal 'collections in histograms' "$(rows - | awk '{ sum += $NF } END { print sum }')" "$(rows one | wc -l)"

traced "bash -c '$(load exceptions)'" pyexc rows=1000
is_equal exceptions "$(rows exceptions | cut -f 1,4,5 | tr '\t' ' ' | sed -n '/<module>/d; s/(.*\/_python/(_python/p' | sort)" "$(sort said)"
traced "bash -c '$(load exceptions)'" pyexc type=Hungry
is_equal 'exceptions of a type' "$(rows exceptions | cut -f 1,4)" "$(printf '5\tHungry')"

traced "bash -c '$(load lock)'" gil
rows waits | awk -F '\t' '{ print $3, $7 }' >seen
echo 'thread, waited for the lock, did not run:'
join <(sort seen) <(sort said) | tee both
is_equal 'threads that waited' "$(wc -l <both)" 3
awk '$2 * 10 < $3 * 7 || $2 * 10 > $3 * 11 { exit 1 }' both || fail 'waits for the lock'
is_equal 'waits, by who had it' "$(rows holders | awk -F '\t' '{ n += $3; us += $4 } END { print n, us }')" "$(rows waits | awk -F '\t' '{ n += $4; us += $7 } END { print n, us }')"
[[ "$(rows holders | head -n 1 | cut -f 5)" == "waits.<locals>.spin ("*_python.py\) ]] || fail "the code that had it: $(rows holders | head -n 1)"

traced "bash -c 'perl $AREA/_perl.pl >said'" perlcalls
# Those of "use strict" are Perl's own.
is_equal 'subs' "$(rows subs | cut -f 1,4 | tr '\t' ' ' | grep -v '::BEGIN$\| strict::' | sort)" "$(sort said)"

for tool in pygc pyexc gil perlcalls; do
    traced 'sleep 0.2' $tool
    grep -q 'no garbage\|no program\|no thread\|no sub' out || fail "$tool says nothing when there is nothing"
done
sample pygc pygc -c "bash -c '$(load gc)'"
sample pyexc pyexc -c "bash -c '$(load exceptions)'"
sample gil gil -c "bash -c '$(load lock)'"
sample perlcalls perlcalls -c "bash -c 'perl $AREA/_perl.pl >said'"
