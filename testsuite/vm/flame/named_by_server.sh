# SPDX-License-Identifier: GPL-2.0-or-later
# A stripped program, on a machine without its debug file: a build server has that, and the picture gets the names by the build-id. nm says which they are.
#: host: cc -O1 -g -Wl,--build-id -o whole "$AREA/_levels.c" && objcopy --only-keep-debug whole levels.debug && strip -o levels whole && nm whole >symbols && rm whole
#: host: "$STAP" -p4 -r "$R" -m naps "$AREA/_naps.stp" 0 >/dev/null
#: host: openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout server.key -out server.pem -days 2 -subj /CN=localhost -addext subjectAltName=IP:127.0.0.1 2>/dev/null
#: requires: program bwrap curl openssl
#: requires: config CONFIG_USER_NS=y
#: timeout: 240
#: records: no, it makes pictures
served=/tmp/named_by_server
# The server is not root, and reads what its user may read.
mkdir -m 755 $served
export HOME=/tmp
cp "$BIN/stap-server" "$BIN/stap" $served
cp server.pem server.key levels.debug $served
chmod 644 $served/*.pem $served/*.debug
echo '{"roles": {"reader": {"debug": true}}, "clients": [{"token": "host", "roles": ["reader"]}]}' >$served/policy.json
$served/stap-server --new-token=host >token.lines
sed -n 1p token.lines >token
chmod 600 token
sed -n 2p token.lines >$served/tokens
chmod 644 $served/policy.json $served/tokens
at="--state=$served/state"
$served/stap-server $at --add-debug=$served/levels.debug 2>added || { cat added; fail 'the debug file was not taken'; }
rm levels.debug $served/levels.debug
$served/stap-server $at --address=127.0.0.1 --port=0 --certificate=$served/server.pem --key=$served/server.key --tokens=$served/tokens --policy=$served/policy.json >server.out 2>server.err & server=$!
eventually 60 grep -qs listening server.out || { cat server.err; fail 'no server'; }
url=https://127.0.0.1:$(sed -n 's/listening on port //p' server.out)
printf 'url=%s\nca=%s\ntoken-file=%s\n' "$url" "$PWD/server.pem" "$PWD/token" >client.conf
export TAPIR_CLIENT_CONFIG=$PWD/client.conf

"$STAPRUN" naps.ko --record=run.tapir -c './levels 20 10' >out
"$BIN/stap-report" run.tapir -o without.folded 2>err
grep -q ';\[levels\]' without.folded || { cat without.folded; fail 'the program has names of its own'; }
"$BIN/stap-report" run.tapir --use-server -o named.folded 2>err || { cat err; fail 'the picture with names'; }
! grep -q '\[levels\]' named.folded || { cat err named.folded; fail 'frames without a name'; }
# Functions of the program's own file: all that the stacks have, and no others.
grep -v '^#' named.folded | sed 's/ [0-9]*$//' | tr ';' '\n' | sort -u >named
sed -n 's/^[0-9a-f]* t //p' symbols | grep -x -e nap -e descend | sort >wanted
is_equal 'functions that only the debug file names' "$(comm -12 named wanted)" "$(cat wanted)"
is_equal 'samples' "$(awk '!/^#/ { s += $NF } END { print s }' named.folded)" "$(cat out)"
"$BIN/stap-report" run.tapir --use-server="$url" -o page.html 2>err || { cat err; fail 'the page'; }
grep -q '"descend"' page.html || fail 'no name in the page'
# From the cache, when the server has gone; without it the page is drawn all the same, and says why it lacks names.
kill $server
wait $server || :
"$BIN/stap-report" run.tapir --use-server -o again.folded 2>err
is_equal 'the same from the cache' "$(cat again.folded)" "$(cat named.folded)"
DEBUGINFOD_CACHE_PATH=/tmp/empty "$BIN/stap-report" run.tapir --use-server -o again.folded 2>err
is_equal 'the same without names' "$(cat again.folded)" "$(cat without.folded)"
grep -q "^stap-report: not all names were fetched: $url: " err || { cat err; fail 'the reason is not told'; }
