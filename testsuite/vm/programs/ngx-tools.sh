# SPDX-License-Identifier: GPL-2.0-or-later
# tools/servers/ngx-upstream.stp, ngx-slow.stp and ngx-mem.stp with Debian's nginx, stripped, against its own log.
#: requires: program python3
#: long: a whole program of others is installed and run
#: host: "$AREA/_unpack.sh" nginx
#: host: for t in ngx-upstream ngx-slow ngx-mem; do [ -e missing ] || "$STAP" -p4 -r "$R" -m ${t/-/_} run $t "$W/root/usr/sbin/nginx" >/dev/null || exit 1; done
#: timeout: 300
#: records: also
. "$AREA/_lib.sh"
mkdir -p html logs temp
echo hello >html/index.html
head -c 100k </dev/zero >html/large
cat >nginx.conf <<END
worker_processes 2;
user root root;
error_log $W/logs/error.log;
pid $W/nginx.pid;
events { worker_connections 64; }
http {
    log_format times '\$request_uri|\$request_time|\$upstream_addr|\$upstream_status|\$upstream_connect_time|\$upstream_header_time|\$upstream_response_time|\$upstream_bytes_received';
    access_log $W/logs/access.log times;
    client_body_temp_path $W/temp/1; proxy_temp_path $W/temp/2; fastcgi_temp_path $W/temp/3; uwsgi_temp_path $W/temp/4; scgi_temp_path $W/temp/5;
    connection_pool_size 528; request_pool_size 4112;
    upstream birds { server 127.0.0.1:9001 max_fails=0; server 127.0.0.1:9002 max_fails=0; }
    server {
        listen 8088;
        root $W/html;
        location /large { limit_rate 40k; }
        location /slow { proxy_pass http://127.0.0.1:9001; }
        location /fails { proxy_pass http://127.0.0.1:9001; }
        location /nobody { proxy_pass http://127.0.0.1:9002; }
        location /either { proxy_pass http://birds; }
    }
}
END
cat >work.sh <<END
request() {
    exec 3<>/dev/tcp/127.0.0.1/8088 || return
    printf 'GET %s HTTP/1.0\r\n\r\n' "\$1" >&3
    cat <&3 >/dev/null
    exec 3>&-
}
half() {
    exec 3<>/dev/tcp/127.0.0.1/8088
    printf 'GET /half HTTP/1.0\r\n' >&3
    sleep 0.6
    printf '\r\n' >&3
    cat <&3 >/dev/null
    exec 3>&-
}
python3 $AREA/_backend.py 9001 &
backend=\$!
until (exec 3<>/dev/tcp/127.0.0.1/9001) 2>/dev/null; do sleep 0.2; done
nginx -e $W/logs/error.log -c $W/nginx.conf
for i in 1 2 3; do request / & clients="\${clients:-} \$!"; request /slow & clients="\$clients \$!"; request /either; done
request /large & clients="\$clients \$!"
half & clients="\$clients \$!"
request /fails
request /nobody
wait \$clients
nginx -e $W/logs/error.log -c $W/nginx.conf -s quit
while [ -e $W/nginx.pid ]; do sleep 0.1; done
kill \$backend
END
traced "bash $W/work.sh" ngx_upstream each=1
# attempts: one line for each, as nginx has them: status, times, bytes, server.
attempts() {
    awk -F '|' '$3 != "-" { n = split($3, a, ", "); split($4, s, ", "); split($5, c, ", "); split($6, h, ", "); split($7, t, ", "); split($8, b, ", ")
        for (i = 1; i <= n; i++) print s[i], c[i] == "-" ? "None" : c[i] * 1000, h[i] == "-" ? "None" : h[i] * 1000, t[i] * 1000, b[i], a[i] }' logs/access.log | sort
}
attempts >logged
rows one | cut -f 3- | tr '\t' ' ' | sort >seen
is_equal 'attempts: status, times, bytes, server' "$(cat seen)" "$(cat logged)"
[ "$(wc -l <seen)" -ge 8 ] || fail "$(wc -l <seen) attempts"
for server in 127.0.0.1:9001 127.0.0.1:9002; do
    is_equal "attempts at $server" "$(row servers 1 $server)" "$(grep -c " $server\$" logged)"
    is_equal "those that failed" "$(row servers 2 $server)" "$(awk -v s=$server '$6 == s && ($1 >= 500 || $3 == "None") { n++ } END { print n + 0 }' logged)"
done
: >logs/access.log
traced "bash $W/work.sh" ngx_upstream min=700 peer=:9001
slow=$(attempts | awk '$4 >= 700 && $6 ~ /:9001$/ { n++ } END { print n + 0 }')
[ "$slow" -ge 3 ] || fail "$slow slow answers"
is_equal 'slow answers' "$(rows servers | cut -f 1,8)" "$(printf '%s\t127.0.0.1:9001' "$slow")"

: >logs/access.log
traced "bash $W/work.sh" ngx_slow min=500000
awk -F '|' '$2 >= 0.5 { print $1 }' logs/access.log | sort >logged
rows slow | cut -f 10 | sed 's/^GET //; s/ HTTP.*//' | sort >seen
# nginx looks at the clock when it waits for events, so that its times lack what a slow machine works before.
is_equal 'slow requests of nginx that the tool lacks' "$(comm -23 logged seen)" ''
is_equal 'all requests, and the slow ones' "$(rows all | cut -f 1,2)" "$(wc -l <logs/access.log)	$(wc -l <seen)"
all_took slow 3 500000
# Slow by what: the client's head, a server behind, or the client.
rows slow | awk -F '\t' '/GET \/slow/ { n += $9 >= 700000 && $9 <= $3 * 1.2 } /GET \/half/ { n += $4 >= 590000 && !$9 } /GET \/large/ { n += $4 < $3 / 2 && !$9 } END { print n }' >kinds
is_equal 'what requests were slow by' "$(cat kinds)" 5
rows slow | awk -F '\t' '{ if ($5 + $6 + $7 + $8 + $4 > $3) exit 1 }' || fail 'parts are more than the whole'

: >logs/access.log
traced "bash $W/work.sh" ngx_mem
is_equal 'pools of requests, of which none stays' "$(rows pools | awk -F '\t' '$1 == 4112 { print $2, $4 }')" "$(wc -l <logs/access.log) 0"
is_equal 'pools of connections' "$(rows pools | awk -F '\t' '$1 == 528 && $2 == $3 && $5 == 528 { print $2 }')" "$(wc -l <logs/access.log)"
rows pools | awk -F '\t' '$1 == 4112 && ($5 < 4112 || $6 < $5 || $6 % 4112) { exit 1 }' || fail 'sizes of pools'
for tool in ngx_upstream ngx_slow ngx_mem; do
    traced 'sleep 0.2' $tool
    grep -q 'no request\|no pool' out || fail "$tool says nothing when there is nothing"
done
