# SPDX-License-Identifier: GPL-2.0-or-later
# Names of variables of libraries in .data, .bss and .rodata: those that the libraries' symbols have for the address, and the offset.
#: host: ls /usr/lib/x86_64-linux-gnu/{libc.so.6,libstdc++.so.6,libpython3.*.so.1.0,libsqlite3.so.0,libcrypto.so.3} /usr/lib/aarch64-linux-gnu/libc.so.6 2>/dev/null >libraries || :
#: host: python3 "$AREA/_library_data.py" 500 $(cat libraries) >addresses
#: host: cc -g -O1 -o look "$AREA/_library_data.c"
#: host: "$STAP" -p4 -r "$R" -m library_data "$AREA/_library_data.stp" "$W/look" >/dev/null
#: timeout: 180
rm -f go
"$STAPRUN" --mangled library_data.ko -c "./look <addresses" >out 2>err &
staprun=$!
libraries=$(awk '{ print $1 }' addresses | sort -u | wc -l)
all_known() { [ "$(grep -c known out)" = "$libraries" ]; }
eventually 60 all_known
touch go
wait $staprun || { cat out err; fail "status $?"; }
is_equal 'messages' "$(cat err)" ''
grep -v known out
count=$(wc -l <addresses)
[ "$count" -ge 100 ] || fail "only $count variables"
is_equal 'addresses' "$(tail -n 1 out)" "$count addresses, 0 wrong"
