# SPDX-License-Identifier: GPL-2.0-or-later
# Tools on loads that give them something to say (_samples.list): each ends well and says it, as text. What the manual pages of tools show is
# from here: devel/tool-samples copies it.
#: host: cc -O1 -static -pthread -o app "$AREA/_loads.c" && cc -O1 -static -o peer "$AREA/_peers.c" && cc -O1 -static -pthread -o mach "$AREA/_machine.c"
#: host: python3 "$AREA/_samples.py" translate "$STAP" "$R"
#: requires: program python3 mkfs.ext4 losetup getent tc
#: requires: debug-info
#: cpus: 2
#: timeout: 900
#: long: a session of most tools
#: records: no, it is about text
mkdir -p /run/samples
cd /run/samples
cp "$W"/{app,peer,mach} .
ip link set lo up
modprobe loop 2>/dev/null || :
modprobe ext4 2>/dev/null || :
modprobe sch_netem 2>/dev/null || :
truncate -s 128M disk.img
loop=$(losetup -f --show disk.img)
echo mq-deadline >"/sys/block/${loop#/dev/}/queue/scheduler"
mkfs.ext4 -q "$loop"
mkdir disk
mount "$loop" disk
printf '%s\n' 'def square(n): return n * n' 'def total(n): return sum(square(i) for i in range(n))' 'for i in range(40): total(20000)' >sum.py
printf '%s\n' 'import sqlite3' 'db = sqlite3.connect(":memory:")' 'db.execute("create table users (name text, age int)")' \
    'for i in range(200): db.execute("insert into users values (?, ?)", ("user %d" % i, i % 80))' \
    'for i in range(5): db.execute("select count(*) from users where age > ?", (i,)).fetchall()' >rows.py
printf '%s\n' 'import socket, sys, time' 'listens = socket.create_server(("127.0.0.1", int(sys.argv[1])))' \
    'client = socket.create_connection(listens.getsockname())' 'server = listens.accept()' 'open(sys.argv[2], "w")' 'time.sleep(3600)' >sockets.py
python3 "$AREA/_samples.py" run "$STAPRUN" "$W"
for name in $(python3 "$AREA/_samples.py" names); do
    sample=$W/$name.txt
    [ "$(cat "$W/$name.status")" = 0 ] || { cat "$sample" "$W/$name.err"; fail "$name ends with status $(cat "$W/$name.status")"; }
    [ "$(grep -c . "$sample")" -ge 3 ] || { cat "$sample" "$W/$name.err"; fail "$name says nothing of its load"; }
    ! grep -qE 'ERROR|skipped' "$W/$name.err" || { cat "$W/$name.err"; fail "$name has errors"; }
done
