# SPDX-License-Identifier: GPL-2.0-or-later
# Functions that the cases with unpacked programs share.
[ ! -e missing ] || skip "$(cat missing)"
root=$W/root
export PATH=$root/usr/sbin:$root/usr/bin:$PATH
for directory in "$root"/usr/lib/*-linux-gnu; do
    [ ! -d "$directory" ] || export LD_LIBRARY_PATH=$directory
done
ip link set lo up 2>/dev/null || true

# traced COMMAND MODULE NAME=VALUE...: runs COMMAND under a tool with these values of its options; for rows() and row().
traced() {
    local command=$1 module=$2
    shift 2
    "$STAPRUN" "$module.ko" --format=json --ledger ledger.json -c "$command" "$@" >out 2>err || { cat out err; fail "the run of $module $*"; }
    python3 "$AREA/../programs/_rows.py" <out >rows
    cat rows err
}

# begin MODULE NAME=VALUE...: a session of its own, for `finish`, which ends it; for rows() and row().
begin() {
    local module=$1
    shift
    "$STAPRUN" "$module.ko" --format=json "$@" >out 2>err &
    session=$!
    eventually 60 is_armed "$module"
}
finish() {
    kill -INT $session
    wait $session || { cat out err; fail "a session ended with $?"; }
    python3 "$AREA/../programs/_rows.py" <out >rows
    cat rows err
}

# rows TABLE: its rows, with tabs between their values; rows -: the histograms.
rows() { awk -F '\t' -v table="$1" '$1 == table { print substr($0, length(table) + 2) }' rows; }

# row TABLE NUMBER TEXT: value NUMBER of the row whose last value is TEXT, a trailing semicolon aside.
row() {
    rows "$1" | awk -F '\t' -v want="$3" -v number="$2" '{ sub(/;$/, "") } $NF == want { print $number; exit }'
}

# all_took TABLE NUMBER LEAST: no row has less than LEAST as value NUMBER.
all_took() {
    rows "$1" | awk -F '\t' -v number="$2" -v least="$3" '$number < least { exit 1 }' || fail "rows below $3: $(rows "$1")"
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
