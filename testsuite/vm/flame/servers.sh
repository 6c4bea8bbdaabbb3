# SPDX-License-Identifier: GPL-2.0-or-later
# On-CPU and off-CPU pages of six servers under load, each by one command: nginx, Redis, PostgreSQL, Python, a C++ and a Go program. At least
# 99 % of the samples have complete stacks, and functions that must be there are. The pages stay in the case's folder.
#: long: programs of others are unpacked, and each runs twice
#: host: "$AREA/../programs/_unpack.sh" nginx apache2-utils redis-server redis-tools postgresql-15 postgresql-client-15
#: host: [ -e missing ] || "$AREA/../programs/_cluster.sh" "$W/root" "$W/cluster.tar" >initdb.log 2>&1
#: host: g++ -O2 -g -pthread -o cpp-server "$AREA/_server.cc"
#: host: ! command -v go >/dev/null || { export GO111MODULE=off CGO_ENABLED=0 GOCACHE=$W/cache GOTMPDIR=$W && mkdir -p "$GOCACHE" && cp "$AREA/_server.go" server.go && go build -o go-server server.go && rm -rf "$GOCACHE"; }
#: host: for t in oncpu offcpu; do "$STAP" -p4 -r "$R" -m $t -c /bin/true "$AREA/../../../tools/$t.stp" >/dev/null || exit; done
#: requires: file /usr/bin/python3
#: timeout: 1800
. "$AREA/../programs/_lib.sh"
seconds=${SECONDS_OF_LOAD:-6}
export PATH=$root/usr/lib/postgresql/15/bin:$PATH
bad=
# page KIND NAME FUNCTIONS COMMAND: a page and what it is made of. FUNCTIONS: a pattern that some stack must match.
page() {
    local kind=$1 name=$2 functions=$3 status=0 file=$2-$1 complete
    "$STAPRUN" $kind.ko --record $file.tapir -o $file.html -c "$4" >$file.out 2>$file.err || status=$?
    [ $status = 0 ] || { cat $file.out $file.err; fail "$file: status $status"; }
    "$BIN/stap-report" --accept-partial $file.tapir -o $file.folded
    echo "== $file"
    grep '^# \(quality\|samples\|missing\|without\|warning\)' $file.folded
    complete=$(sed -n 's/^# quality: [> ]*\([0-9]*\)[0-9.]* % complete.*/\1/p' $file.folded)
    [ "${complete:-0}" -ge 99 ] || bad="$bad $file"
    grep -q "$functions" $file.folded || bad="$bad $file(no $functions)"
}
both() {
    page oncpu "$1" "$2" "$4"
    page offcpu "$1" "$3" "$4"
}
mkdir html logs temp
echo hello >html/index.html
yes 0123456789 | head -n 20000 >html/large
cat >nginx.conf <<END
daemon off;
worker_processes 2;
user root root;
error_log $W/logs/error.log;
pid $W/nginx.pid;
events { worker_connections 64; }
http {
    access_log $W/logs/access.log;
    client_body_temp_path $W/temp/1; proxy_temp_path $W/temp/2; fastcgi_temp_path $W/temp/3; uwsgi_temp_path $W/temp/4; scgi_temp_path $W/temp/5;
    gzip on; gzip_types *;
    server { listen 8088; root $W/html; }
}
END
# The load is not part of the picture: it waits for the server, and ends it.
nginx_load() {
    until ab -q -n 1 -c 1 http://127.0.0.1:8088/ >ab.out 2>&1; do sleep 0.2; done
    ab -q -t $seconds -n 1000000 -c 4 -H 'Accept-Encoding: gzip' http://127.0.0.1:8088/large >ab.out 2>&1
    kill -QUIT "$(cat nginx.pid)"
}
for kind in oncpu offcpu; do
    nginx_load &
    function=ngx_http_process_request
    [ $kind = oncpu ] || function=epoll_wait
    page $kind nginx "$function" "nginx -e $W/logs/error.log -c $W/nginx.conf"
    wait $!
done
redis_load() {
    until redis-cli -p 7777 ping 2>/dev/null | grep -q PONG; do sleep 0.2; done
    timeout $seconds redis-benchmark -p 7777 -n 10000000 -c 8 -q -t set,get,lpush >/dev/null 2>&1 || true
    redis-cli -p 7777 shutdown nosave
}
for kind in oncpu offcpu; do
    redis_load &
    function=vfs_write
    [ $kind = oncpu ] || function=epoll_wait
    page $kind redis "$function" "redis-server --port 7777 --save ''"
    wait $!
done
data=$(mktemp -d /tmp/postgresql.XXXXXX)
tar -xf cluster.tar -C "$data"
chown -R 65534:65534 "$data"
chmod 700 "$data"
user() { setpriv --reuid 65534 --regid 65534 --clear-groups env HOME=/tmp LC_ALL=C "$@"; }
postgresql_load() {
    until user psql -q -h "$data" -U tapir postgres -c 'select 1' >/dev/null 2>&1; do sleep 0.2; done
    user pgbench -i -q -h "$data" -U tapir postgres >/dev/null 2>&1
    user pgbench -n -c 3 -T $seconds -h "$data" -U tapir postgres >pgbench.out 2>&1
    kill -INT "$(head -n 1 "$data/postmaster.pid")"
}
for kind in oncpu offcpu; do
    postgresql_load &
    page $kind postgresql . "setpriv --reuid 65534 --regid 65534 --clear-groups env LC_ALL=C $root/usr/lib/postgresql/15/bin/postgres -D $data -k $data -h ''"
    wait $!
done
both python _PyEval_EvalFrameDefault . "/usr/bin/python3 $AREA/_server.py $seconds"
both cpp 'work(' pthread_cond_wait "./cpp-server $seconds"
[ ! -e go-server ] || both go main.findBirds runtime "./go-server $seconds"
is_equal 'pages with less than 99 % complete stacks, or without the functions' "$bad" ''
