# SPDX-License-Identifier: GPL-2.0-or-later
# examples/nginx-requests.stp with Debian's nginx, stripped, two workers and four clients: every request is counted once.
#: long: a whole program of others is installed and run
#: host: "$AREA/_unpack.sh" nginx
#: host: [ -e missing ] || "$STAP" -p4 -r "$R" -m nginx_requests "$AREA/../../../examples/nginx-requests.stp" "$W/root/usr/sbin/nginx" >/dev/null
#: timeout: 200
. "$AREA/_lib.sh"
nginx_site
cat >work.sh <<END
nginx -e $W/logs/error.log -c $W/nginx.conf
request() {
    exec 3<>/dev/tcp/127.0.0.1/8088 || return
    printf 'GET %s HTTP/1.0\r\n\r\n' "\$1" >&3
    mapfile -u 3 answer
    exec 3>&-
}
for client in 1 2 3 4; do
    for i in \$(seq 4); do request /; request /large; request /no_such_file; done &
    clients="\${clients:-} \$!"
done
wait \$clients
nginx -e $W/logs/error.log -c $W/nginx.conf -s quit
while [ -e $W/nginx.pid ]; do sleep 0.1; done
END
"$STAPRUN" nginx_requests.ko --ledger ledger.json -c "bash $W/work.sh" >out 2>err || { cat out err logs/*; fail 'the run'; }
cat out err
is_equal 'requests that nginx saw' "$(wc -l <logs/access.log)" 48
for file in index.html large no_such_file; do
    is_equal "requests of $file" "$(row out 1 "/html/$file")" 16
done
is_equal 'requests of all workers' "$(awk '$1 == "worker" { sum += $4 } END { print sum }' out)" 48
