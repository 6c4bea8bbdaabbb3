# SPDX-License-Identifier: GPL-2.0-or-later
# tools/servers/tls.stp, zlib.stp and pcre.stp with Debian's libraries, stripped, against what programs that call them count.
#: requires: program openssl
#: requires: file /usr/bin/python3 /usr/lib/x86_64-linux-gnu/libssl.so.3 /usr/lib/x86_64-linux-gnu/libpcre2-8.so.0
#: long: the programs are in Python, and slow in a guest
#: host: for t in tls zlib pcre; do "$STAP" -p4 -r "$R" -m $t run $t >/dev/null || exit 1; done
#: host: openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=wren -keyout key.pem -out cert.pem 2>/dev/null && cat key.pem cert.pem >both.pem
#: timeout: 200
#: records: also
. "$AREA/_lib.sh"
for connections in 1 4; do echo "/usr/bin/python3 $AREA/_tls.py both.pem $connections >said.$connections &"; done >work.sh
echo wait >>work.sh
traced "bash $W/work.sh" tls
is_equal 'handshakes, failures, bytes read and written' "$(rows calls | cut -f 3,4,7,8 | sort | tr '\t' ' ')" "$(cat said.* | sort)"
rows calls | awk -F '\t' '$5 < 1 || $6 < $5 { exit 1 }' || fail 'times'
traced "/usr/bin/python3 $AREA/_tls.py both.pem 2" tls text=1 length=4
is_equal 'what was sent' "$(rows data | cut -f 3- | tr '\t' ' ' | sort | uniq -c | tr -s ' ')" "$(printf ' 4 %s 6 "wren"\n' read written)"

/usr/bin/python3 "$AREA/_zlib.py" >said
traced "/usr/bin/python3 $AREA/_zlib.py" zlib hist=1
is_equal 'calls and bytes of zlib' "$(rows calls | cut -f 3,4,7,8 | tr '\t' ' ' | sort)" "$(sort said)"
traced "/usr/bin/python3 $AREA/_zlib.py" zlib rows=1
is_equal rows "$(rows calls | wc -l)" 1

/usr/bin/python3 "$AREA/_pcre.py" >said
traced "/usr/bin/python3 $AREA/_pcre.py" pcre
is_equal 'matches' "$(rows expressions | cut -f 1,2,6,7 | sort)" "$(sort said)"
traced "/usr/bin/python3 $AREA/_pcre.py" pcre length=4
is_equal 'expressions that are cut' "$(rows expressions | cut -f 7 | sort | tr '\n' ' ')" '(wre w[a- '

for tool in tls zlib pcre; do
    traced 'sleep 0.2' $tool
    grep -q 'nothing was\|no regular expression was' out || fail "$tool says nothing when there is nothing"
done
sample tls tls -c "bash $W/work.sh"
sample zlib zlib -c "bash -c '/usr/bin/python3 $AREA/_zlib.py >said'"
sample pcre pcre -c "bash -c '/usr/bin/python3 $AREA/_pcre.py >said'"
