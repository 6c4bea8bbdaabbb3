# SPDX-License-Identifier: GPL-2.0-or-later
# On-CPU and off-CPU samples of six servers under load, each by one command: nginx, Redis, PostgreSQL, Python, a C++ and a Go program. At least
# 99 % of them have complete stacks, and functions that must be there are. Those of the C++ program become pages, which stay in the case's folder;
# an emulated machine takes long for a page.
#: long: programs of others are unpacked, and each runs twice
#: host: "$AREA/../programs/_unpack.sh" nginx apache2-utils redis-server redis-tools postgresql-15 postgresql-client-15
#: host: [ -e missing ] || "$AREA/../programs/_cluster.sh" "$W/root" "$W/cluster.tar" >initdb.log 2>&1
#: host: g++ -O2 -g -pthread -o cpp-server "$AREA/_server.cc"
#: host: ! command -v go >/dev/null || { export GO111MODULE=off CGO_ENABLED=0 GOCACHE=$W/cache GOTMPDIR=$W && mkdir -p "$GOCACHE" && cp "$AREA/_server.go" server.go && go build -o go-server server.go && rm -rf "$GOCACHE"; }
#: host: for t in oncpu offcpu; do "$STAP" -p4 -r "$R" -m $t -c /bin/true run $t >/dev/null || exit; done
#: requires: file /usr/bin/python3
#: timeout: 1800
. "$AREA/../programs/_lib.sh"
. "$AREA/../programs/_loads.sh"
seconds=${SECONDS_OF_LOAD:-6}
bad=
# samples KIND NAME FUNCTIONS COMMAND: takes them, and a page of the C++ program's. FUNCTIONS: a pattern that some stack must match.
samples() {
    local kind=$1 name=$2 functions=$3 status=0 file=$2-$1 complete page=()
    [ $name != cpp ] || page=(-o $file.html)
    "$STAPRUN" $kind.ko --record $file.tapir "${page[@]}" -c "$4" >$file.out 2>$file.err || status=$?
    [ $status = 0 ] || { cat $file.out $file.err; fail "$file: status $status"; }
    "$BIN/stap-report" --accept-partial $file.tapir -o $file.folded
    echo "== $file"
    grep '^# \(quality\|samples\|missing\|without\|warning\)' $file.folded
    complete=$(sed -n 's/^# quality: [> ]*\([0-9]*\)[0-9.]* % complete.*/\1/p' $file.folded)
    [ "${complete:-0}" -ge 99 ] || bad="$bad $file"
    grep -q "$functions" $file.folded || bad="$bad $file(no $functions)"
}
both() {
    samples oncpu "$1" "$2" "$4"
    samples offcpu "$1" "$3" "$4"
}
nginx_site 'daemon off;' 'gzip on; gzip_types *;'
postgresql_data
# The load is not part of the picture.
for kind in oncpu offcpu; do
    nginx_load &
    function=ngx_http_process_request
    [ $kind = oncpu ] || function=epoll_wait
    samples $kind nginx "$function" "$nginx_command"
    wait $!
done
for kind in oncpu offcpu; do
    redis_load &
    function=vfs_write
    [ $kind = oncpu ] || function=epoll_wait
    samples $kind redis "$function" "$redis_command"
    wait $!
done
for kind in oncpu offcpu; do
    postgresql_load &
    samples $kind postgresql . "$(postgresql_command)"
    wait $!
done
both python _PyEval_EvalFrameDefault . "/usr/bin/python3 $AREA/_server.py $seconds"
both cpp 'work(' pthread_cond_wait "./cpp-server $seconds"
[ ! -e go-server ] || both go main.findBirds runtime "./go-server $seconds"
is_equal 'runs with less than 99 % complete stacks, or without the functions' "$bad" ''
