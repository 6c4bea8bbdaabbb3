# SPDX-License-Identifier: GPL-2.0-or-later
# Functions that the cases with unpacked programs share.
[ ! -e missing ] || skip "$(cat missing)"
root=$W/root
export PATH=$root/usr/sbin:$root/usr/bin:$PATH
for directory in "$root"/usr/lib/*-linux-gnu; do
    [ ! -d "$directory" ] || export LD_LIBRARY_PATH=$directory
done
ip link set lo up 2>/dev/null || true

# row FILE NUMBER TEXT...: field NUMBER of the line of FILE that ends with TEXT.
row() {
    local file=$1 number=$2
    shift 2
    awk -v want="$*" -v number="$number" 'substr($0, length($0) - length(want) + 1) == want { print $number; exit }' "$file"
}

# nginx_site [MAIN [HTTP]]: nginx.conf for two workers and html/ on port 8088, with directives for its main and its http part.
nginx_site() {
    mkdir -p html logs temp
    echo hello >html/index.html
    yes 0123456789 | head -n 20000 >html/large
    cat >nginx.conf <<END
${1:-}
worker_processes 2;
user root root;
error_log $W/logs/error.log;
pid $W/nginx.pid;
events { worker_connections 64; }
http {
    access_log $W/logs/access.log;
    client_body_temp_path $W/temp/1; proxy_temp_path $W/temp/2; fastcgi_temp_path $W/temp/3; uwsgi_temp_path $W/temp/4; scgi_temp_path $W/temp/5;
    ${2:-}
    server { listen 8088; root $W/html; }
}
END
}
