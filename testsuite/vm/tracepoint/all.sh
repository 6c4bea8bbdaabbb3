# SPDX-License-Identifier: GPL-2.0-or-later
# Everything at once, while the machine works; the kernel's log must stay clean.
#: long: every tracepoint of the kernel
#: scripts: _all.stp
#: stap: -D MAXSKIPPED=100000
#: timeout: 120
#: records: also
"$STAPRUN" --ledger=ledger _all.ko -o out 2>err \
    -c "sh -c 'for i in 1 2 3; do find /etc -type f | head -200 | xargs cat >/dev/null 2>&1; done'" || fail "$(cat err)"
is_equal 'what was printed' "$(cat out)" 'seen 1'
grep -q '"balanced": true' ledger || fail 'the ledger does not balance'
# Kernels that have hrtimer_rearm hit it when an interrupt has ended, but what it interrupted, a handler perhaps, has not gone on yet.
may='"timer:hrtimer_rearm"'
# PREEMPT_RT wakes the thread of soft interrupts at that place, as far as the scheduler sees it as the interrupted task.
case $(uname -v) in *PREEMPT_RT*) may=$may'\|"pelt_[a-z]*_tp"\|"\(sched:\)\?sched_[a-z_]*"' ;; esac
# Where the kernel's checks have tracepoints, what handlers themselves do hits them: they take locks and switch interrupts off.
! is_configured CONFIG_LOCKDEP=y || may=$may'\|"lock:[a-z_]*"\|"preemptirq:[a-z_]*"'
grep '^ledger: probe' err | grep -v "$may" >&2 && fail 'hits of other tracepoints were skipped'
# Seldom, all the same.
[ "$(sed -n 's/^ledger: probe.* handled \([0-9]*\) + reentry \([0-9]*\) .*/\2 * 10 > \1/p' err | bc | sort -u | tail -n 1)" != 1 ] || fail "$(cat err)"
grep -Ev '^(ledger: |WARNING: Number of errors: 0, skipped probes: [0-9]+$)' err >&2 && fail 'something else was said'
true
