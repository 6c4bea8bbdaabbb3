# SPDX-License-Identifier: GPL-2.0-or-later
# Pictures of ordinary programs, most of them stripped: status 0 each, and the four figures say that at least 95 % of the samples are
# complete. Frames without a name are told of apart: where a file is from Debian, with its package.
#: long: programs of others are unpacked, and each runs twice
#: host: "$AREA/../programs/_unpack.sh" nginx apache2-utils redis-server redis-tools postgresql-15 postgresql-client-15
#: host: [ -e missing ] || "$AREA/../programs/_cluster.sh" "$W/root" "$W/cluster.tar" >initdb.log 2>&1
#: host: g++ -O2 -pthread -s -o cpp-server "$AREA/_server.cc"
#: host: cc -O2 -static -o static-levels "$AREA/_levels.c" && strip static-levels
#: host: ! command -v musl-gcc || musl-gcc -O2 -static -pthread -o musl "$AREA/_musl.c"
#: host: ! command -v go >/dev/null || { export GO111MODULE=off CGO_ENABLED=0 GOCACHE=$W/cache GOTMPDIR=$W && mkdir -p "$GOCACHE" && cp "$AREA/_server.go" server.go && go build -ldflags '-s -w' -o go-server server.go && rm -rf "$GOCACHE"; }
#: host: for t in oncpu offcpu locks interpreted alloc; do "$STAP" -p4 -r "$R" -DMAXSTRINGLEN=4096 -m $t -c /bin/true "$AREA/../../../tools/$t.stp" >/dev/null || exit; done
#: requires: file /usr/bin/python3
#: timeout: 1800
. "$AREA/../programs/_lib.sh"
seconds=${SECONDS_OF_LOAD:-4}
export PATH=$root/usr/lib/postgresql/15/bin:$PATH
bad= pictures=0
# picture TOOL NAME COMMAND
picture() {
    local status=0 file=$2-$1
    "$STAPRUN" $1.ko -o $file.folded -c "$3" >$file.out 2>$file.err || status=$?
    pictures=$((pictures + 1))
    echo "== $file: status $status"
    grep '^# \(quality\|missing\|without\)' $file.folded || true
    grep '^\(notice\|wrote\)' $file.err || true
    [ $status = 0 ] || { bad="$bad $file"; grep -v '^notice' $file.err || true; }
    grep -q '^# quality: .* complete, .* cut, .* lost; .* without a name$' $file.folded || bad="$bad $file(figures)"
    grep -q "^wrote $file.folded, [0-9,]* samples\$" $file.err || bad="$bad $file(wrote)"
}
both() {
    picture oncpu "$1" "$2"
    picture offcpu "$1" "$2"
}
mkdir html logs temp
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
nginx_load() {
    until ab -q -n 1 -c 1 http://127.0.0.1:8088/large >ab.out 2>&1; do sleep 0.2; done
    ab -q -t $seconds -n 1000000 -c 4 -H 'Accept-Encoding: gzip' http://127.0.0.1:8088/large >ab.out 2>&1
    kill -QUIT "$(cat nginx.pid)"
}
redis_load() {
    until redis-cli -p 7777 ping 2>/dev/null | grep -q PONG; do sleep 0.2; done
    timeout $seconds redis-benchmark -p 7777 -n 10000000 -c 8 -q -t set,get,lpush >/dev/null 2>&1 || true
    redis-cli -p 7777 shutdown nosave
}
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
for tool in oncpu offcpu; do
    nginx_load &
    picture $tool nginx "nginx -e $W/logs/error.log -c $W/nginx.conf"
    wait $!
    redis_load &
    picture $tool redis "redis-server --port 7777 --save ''"
    wait $!
    postgresql_load &
    picture $tool postgresql "setpriv --reuid 65534 --regid 65534 --clear-groups env LC_ALL=C $root/usr/lib/postgresql/15/bin/postgres -D $data -k $data -h ''"
    wait $!
done
# Its file is redis-check-rdb, and what was started is a link to it.
! grep -q 'redis-check-rdb' redis-oncpu.folded redis-oncpu.err || bad="$bad redis(name)"
both python "/usr/bin/python3 $AREA/_server.py $seconds"
picture interpreted python "/usr/bin/python3 $AREA/_server.py $seconds"
both cpp "./cpp-server $seconds"
picture locks cpp "./cpp-server $seconds"
picture alloc cpp "./cpp-server $seconds"
[ ! -x /usr/bin/php8.2 ] || both php "/usr/bin/php8.2 -n $AREA/_server.php $seconds"
[ ! -e go-server ] || both go "./go-server $seconds"
both static "./static-levels 30 30"
[ ! -e musl ] || both musl "./musl $seconds"
echo "$pictures pictures"
is_equal 'pictures that are not as they should be' "$bad" ''
