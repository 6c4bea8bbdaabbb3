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
#: host: for t in oncpu offcpu locks interpreted alloc; do "$STAP" -p4 -r "$R" -DMAXSTRINGLEN=4096 -m $t -c /bin/true run $t >/dev/null || exit; done
#: requires: file /usr/bin/python3
#: timeout: 1800
. "$AREA/../programs/_lib.sh"
. "$AREA/../programs/_loads.sh"
seconds=${SECONDS_OF_LOAD:-4}
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
    grep -q "^wrote $file.folded: [0-9,]* [a-z]*, " $file.err || bad="$bad $file(wrote)"
}
both() {
    picture oncpu "$1" "$2"
    picture offcpu "$1" "$2"
}
nginx_site 'daemon off;' 'gzip on; gzip_types *;'
postgresql_data
for tool in oncpu offcpu; do
    nginx_load &
    picture $tool nginx "$nginx_command"
    wait $!
    redis_load &
    picture $tool redis "$redis_command"
    wait $!
    postgresql_load &
    picture $tool postgresql "$(postgresql_command)"
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
picture oncpu static "./static-levels 60 2000"
picture offcpu static "./static-levels 30 30"
[ ! -e musl ] || both musl "./musl $seconds"
echo "$pictures pictures"
is_equal 'pictures that are not as they should be' "$bad" ''
