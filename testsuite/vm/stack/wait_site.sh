# SPDX-License-Identifier: GPL-2.0-or-later
# Where threads wait, against /proc/PID/wchan of the same threads.
#: scripts: _wait_site.stp
#: requires: kernel 5.16
# Older kernels have no wchan here: they look for frame pointers.
pipe=$(mktemp -u /run/pipe.XXXXXX)
mkfifo "$pipe" "$pipe.quiet" "$pipe.other"
exec 3<>"$pipe.quiet"
"$STAPRUN" _wait_site.ko >out &
staprun=$!
eventually 20 grep -q ready out
eventually 20 is_armed _wait_site
cat <>"$pipe" 3>&- &
waiting=$!
sleep 1000 &
waiting="$waiting $!"
bash -c 'sleep 1000; :' &
waiting="$waiting $!"
flock "$pipe.lock" sleep 1000 &
waiting="$waiting $!"
eventually 10 test -e "$pipe.lock"
flock "$pipe.lock" true &
waiting="$waiting $!"
bash -c 'read -t 900 x <>"$0"' "$pipe.other" 3>&- &
waiting="$waiting $!"
# All sleep, and none has done anything else for a while.
switches() { for one in $waiting; do cat /proc/$one/wchan; sed -n 's/^voluntary//p' /proc/$one/status; done; }
settled() {
    ! switches | grep -qx 0 || return 1
    before=$(switches)
    read -r -t 0.3 -u 3 _ || [ "$before" = "$(switches)" ]
}
eventually 30 settled
for one in $waiting; do
    echo "last $one $(cat /proc/$one/wchan)"
done | sort >expected
kill -INT $staprun
wait $staprun
cat expected out
# A compiler's suffix is a part of wchan, too.
awk 'NR == FNR { wanted[$2]; next } $1 == "last" && $2 in wanted' expected out | sort >found
diff expected found
is_equal 'of the session' "$(sed -n 's/^session //p' out)" '0 []'
is_equal 'at a place' "$(sed -n 's/^place //p' out)" '1 1'
[ "$(awk '{ print $3 }' expected | sort -u | wc -l)" -ge 4 ] || fail 'too few ways to wait'
