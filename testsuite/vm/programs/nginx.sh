# SPDX-License-Identifier: GPL-2.0-or-later
# tools/servers/ngx-reqs.stp with Debian's nginx, stripped, two workers and four clients: every request is counted once.
#: requires: program python3
#: long: a whole program of others is installed and run
#: host: "$AREA/_unpack.sh" nginx
#: host: [ -e missing ] || "$STAP" -p4 -r "$R" -m ngx_reqs run ngx-reqs "$W/root/usr/sbin/nginx" >/dev/null
#: timeout: 300
#: records: also
. "$AREA/_lib.sh"
# The file takes two seconds.
nginx_site '' 'limit_rate 100k;'
head -c 200k </dev/zero >html/slow
cat >site.sh <<END
request() {
    exec 3<>/dev/tcp/127.0.0.1/8088 || return
    printf 'GET %s HTTP/1.0\r\n\r\n' "\$1" >&3
    cat <&3 >/dev/null
    exec 3>&-
}
begin() { nginx -e $W/logs/error.log -c $W/nginx.conf; }
finish() {
    nginx -e $W/logs/error.log -c $W/nginx.conf -s quit
    while [ -e $W/nginx.pid ]; do sleep 0.1; done
}
END
cat >work.sh <<END
. $W/site.sh
begin
for client in 1 2 3 4; do
    for i in \$(seq 4); do request /; request /; request /no_such_file; done &
    clients="\${clients:-} \$!"
done
wait \$clients
finish
END
cat >less.sh <<END
. $W/site.sh
begin
request /slow & slow=\$!
request /; request /no_such_file
wait \$slow
finish
END
traced "bash $W/work.sh" ngx_reqs hist=1
is_equal 'requests that nginx saw' "$(wc -l <logs/access.log)" 48
is_equal 'requests of a file' "$(row files 1 "$W/html/index.html")" 32
is_equal 'requests of what is not there' "$(row files 1 "$W/html/no_such_file")" 16
is_equal 'requests of all workers' "$(rows workers | awk '{ sum += $2 } END { print sum }')" 48
is_equal 'requests in histograms' "$(rows - | sort)" "$(printf '%s\t%s\n' "$W/html/index.html" 32 "$W/html/no_such_file" 16)"
traced "bash $W/less.sh" ngx_reqs min=1000000
is_equal 'slow requests' "$(row files 1 "$W/html/slow")" 1
all_took files 2 1000000
traced "bash $W/less.sh" ngx_reqs rows=1
is_equal 'the file that takes most' "$(rows files | cut -f 4)" "$W/html/slow"
is_equal 'requests without limit' "$(rows workers | awk '{ sum += $2 } END { print sum }')" 3
