# SPDX-License-Identifier: GPL-2.0-or-later
# Servers for cases with pictures, and their loads: each waits for its server, keeps it busy for $seconds and ends it. After _lib.sh.

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

# PostgreSQL does not run as root. Its data are those of cluster.tar.
user() { setpriv --reuid 65534 --regid 65534 --clear-groups env HOME=/tmp LC_ALL=C "$@"; }
postgresql_data() {
    data=$(mktemp -d /tmp/postgresql.XXXXXX)
    tar -xf cluster.tar -C "$data"
    chown -R 65534:65534 "$data"
    chmod 700 "$data"
    export PATH=$root/usr/lib/postgresql/15/bin:$PATH
}
postgresql_load() {
    until user psql -q -h "$data" -U tapir postgres -c 'select 1' >/dev/null 2>&1; do sleep 0.2; done
    user pgbench -i -q -h "$data" -U tapir postgres >/dev/null 2>&1
    user pgbench -n -c 3 -T $seconds -h "$data" -U tapir postgres >pgbench.out 2>&1
    kill -INT "$(head -n 1 "$data/postmaster.pid")"
}

# The command that staprun -c starts.
nginx_command="nginx -e $W/logs/error.log -c $W/nginx.conf"
redis_command="redis-server --port 7777 --save ''"
postgresql_command() {
    echo "setpriv --reuid 65534 --regid 65534 --clear-groups env LC_ALL=C $root/usr/lib/postgresql/15/bin/postgres -D $data -k $data -h ''"
}
