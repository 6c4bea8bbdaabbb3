# SPDX-License-Identifier: GPL-2.0-or-later
# Facts of connections, against what getsockopt(TCP_INFO) and ioctl() tell the program that has them.
#: scripts: _tcp_info.stp
#: host: cc -O2 -o tcp_info "$AREA/_tcp_info.c"
"$STAPRUN" _tcp_info.ko -c "exec $W/tcp_info >$W/expected" -o seen || fail "staprun ended with $?"
cat expected
grep '^info\|^listen' expected >lines
while read -r line; do grep -Fxq "$line" seen || fail "not seen: $line"; done <lines
is_equal 'kinds of connections' "$(grep -c '^info' lines) $(grep -c '^listen' lines)" '5 1'
# The clock may go on between the program's two looks.
awk '$1 != "idle" { next } NF == 4 { sent[$2] = $3; received[$2] = $4; next }
     NF == 6 { n++; if (sent[$2] < $3 || sent[$2] > $4 || received[$2] < $5 || received[$2] > $6) { print "idle", $2; bad = 1 } }
     END { exit bad || n != 5 }' seen expected || fail 'times since data was sent or received'
# All that can be told was told once.
for field in 3 4 5 6 7 8 9 10; do
    awk -v f=$field '$1 == "info" && $f > 0 { any = 1 } END { exit !any }' lines || fail "field $field was never more than 0"
done
