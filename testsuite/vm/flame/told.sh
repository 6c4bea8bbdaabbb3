# SPDX-License-Identifier: GPL-2.0-or-later
# A misleading picture gives status 3: a picture that is cut, one whose samples were lost, one whose table of stacks or array was full, and a capture whose loader was killed. Complete stacks with frames that have no name give status 0 and a notice. The program counts the samples itself.
#: host: cc -O1 -g -o levels "$AREA/_levels.c"
#: host: cc -O1 -Wl,--build-id -o nameless "$AREA/_levels.c" && strip nameless && ln -sf nameless started
#: host: for n in 0 1; do "$STAP" -p4 -r "$R" -m naps$n "$AREA/_naps.stp" $n >/dev/null || exit; done
#: host: "$STAP" -p4 -r "$R" -m naps2 -D MAXMAPENTRIES=8 "$AREA/_naps.stp" 0 >/dev/null
#: host: "$STAP" -p4 -r "$R" -m texts -D MAXMAPENTRIES=8 -e 'probe begin { for (i = 0; i < 20; i++) @sample_label(sprint(i), "", 1) exit() }' >/dev/null
#: timeout: 180
#: long: a dozen sessions
#: records: no, it makes pictures
. "$AREA/../staprun/_common.sh"
# picture MODULE STATUS OPTION...: makes picture.folded. The command says how many naps there were.
picture() {
    local module=$1 want=$2 status=0
    shift 2
    rm -f picture.folded
    "$STAPRUN" $module.ko -o picture.folded "$@" >out 2>err || status=$?
    grep '^# ' picture.folded || true
    is_equal "$module: status" "$status" "$want" || { cat err; exit 1; }
    grep -qx "wrote picture.folded: [0-9,]* samples, .*" err || { cat err; fail "$module: what was written is not told"; }
    ! grep -q "'-'" err || { cat err; fail "$module: a name that was not given"; }
}
figures() { sed -n 's/^# quality: //p' picture.folded; }
sum() { awk '!/^#/ { s += $NF } END { print s + 0 }' picture.folded; }
picture naps0 0 -c './levels 20 10'
is_equal 'samples' "$(sum)" "$(cat out)"
case $(figures) in '100 % complete, 0 % cut, 0 % lost; '*) ;; *) fail "whole: $(figures)" ;; esac
# The same program without names; it was started by a link.
picture naps0 0 -c './started 20 10'
is_equal 'samples without names' "$(sum)" "$(cat out)"
case $(figures) in '100 % complete, 0 % cut, 0 % lost; 0 % '*) fail 'names of what has none' ;; '100 % complete, 0 % cut, 0 % lost; '*) ;; *) fail "nameless: $(figures)" ;; esac
grep -q "^notice: .* of the boxes' width has no name, in $PWD/started: " err || { cat err; fail 'the notice'; }
grep -q ';\[started\]' picture.folded || { cat picture.folded; fail 'the name that was started'; }
# Cut, and its sum is right all the same.
picture naps1 3 -c './levels 20 10'
is_equal 'figures of what is cut' "$(figures | sed 's/;.*//')" '0 % complete, 100 % cut, 0 % lost'
is_equal 'samples that are cut' "$(sum)" "$(cat out)"
grep -q "^stap-report: 'picture.folded': only 0 % of the samples are complete, 95.0 % were asked for; 100 %: stacks: cut at the limit of frames" err ||
    { cat err; fail 'why it misleads'; }
picture naps1 0 --accept-partial -c './levels 20 10'
picture naps1 0 --min-quality=0 -c './levels 20 10'
# More stacks than there is room for.
picture naps0 3 --stack-memory=1 -c './levels 1500 1'
grep -q '^# missing: .* stack table full$' picture.folded || { grep '^#' picture.folded; fail 'the full table'; }
is_equal 'samples with a full table' "$(sum)" "$(cat out)"
# More stacks than their array has room for: the others are lost, and the session goes on.
picture naps2 3 -c './levels 20 10'
grep -q '^# missing: .* array full$' picture.folded || { grep '^#' picture.folded; fail 'the full array'; }
is_equal 'samples with a full array' "$(sum)" 80
is_equal 'samples that are lost' "$(sed -n 's/^WARNING: lost \([0-9]*\) samples: their array had no room, .*/\1/p' err)" "$(($(cat out) - 80))"
# Likewise of samples without stacks.
"$STAPRUN" texts.ko >out 2>err || { cat err; fail 'samples without stacks'; }
grep -qx 'WARNING: lost 12 samples: their array had no room, or got it too late; fewer samples need less room' err || { cat err; fail 'samples without stacks that are lost'; }
# Samples whose time was not kept are in no range of time.
picture naps0 3 --times=1 --from=0.001 -c './levels 20 2000'
grep -q '^# missing: .*, samples whose time was not kept$' picture.folded || fail 'what is lost'
is_equal 'samples that are there and that are lost, in %' "$(awk -v all="$(cat out)" -v lost="$(figures | sed -n 's/.* cut, \([0-9.]*\) % lost;.*/\1/p')" -v there="$(sum)" \
    'BEGIN { share = 100 * there / all; ok = lost > 20 && share + lost > 99 && share + lost < 101; print (ok ? "all" : share " and " lost " of " all) }')" all
# The session begins when the command has run for two seconds, or its picture does.
picture naps0 0 --delay=1 -c './levels 20 10 3'
is_equal 'samples after a delay' "$(sum)" "$(cat out)"
"$STAPRUN" naps0.ko -o picture.folded --delay=60 -c './levels 20 10' >out 2>err && fail 'a command that ended before' || :
grep -qx 'ERROR: the command of -c ended within the 60 s of --delay: nothing was traced' err || { cat err; fail 'the early end'; }
"$STAPRUN" naps0.ko -o early.folded --from=600 -c './levels 20 10' >out 2>err || { cat err; fail 'a picture of nothing'; }
grep -qx 'notice: No samples after the first 600 s of the session, which --from leaves out' err || { cat err; fail '--from'; }
is_equal 'lines of a picture of nothing' "$(grep -vc '^#' early.folded)" 0
grep -qx '# No samples after the first 600 s of the session, which --from leaves out' early.folded || { cat early.folded; fail 'why'; }
# The origin of the picture.
picture naps0 0 -c './levels 20 10'
grep -qx '# levels: [^,]*, .*' picture.folded || { grep '^#' picture.folded; fail 'the program'; }
grep -qx "# of: staprun naps0.ko -o picture.folded -c './levels 20 10' · .*" picture.folded || { grep '^#' picture.folded; fail 'the command'; }
grep -qx '# target: ./levels 20 10.' picture.folded || { grep '^#' picture.folded; fail 'the target'; }
# Each sample of a thread has its name and its processor.
"$STAPRUN" naps0.ko --times --record run.tapir -c './levels 20 10' >out 2>err || { cat err; fail '--times'; }
grep -qx "wrote run.tapir, $(cat out) samples" err || { cat err; fail 'the capture'; }
is_equal 'boxes by name' "$("$BIN/stap-report" run.tapir --by=comm --format=folded | sed -n 's/^\([^#;]*\);.*/\1/p' | sort -u)" levels
"$BIN/stap-report" run.tapir --by=cpu --format=folded | grep -v '^#' | grep -vq '^cpu=[0-9]*;' && fail 'boxes by processor' || :
# Killed: what is there is no whole capture.
"$STAPRUN" naps0.ko --record killed.tapir -c './levels 1 1 60' >out 2>err &
pid=$!
eventually 20 is_armed naps0
kill -KILL $pid
wait $pid || :
for output in -o\ killed.svg ''; do
    status=0
    "$BIN/stap-report" killed.tapir $output >out 2>err || status=$?
    is_equal "status of what is not sealed ($output)" $status 3
    grep -q "^stap-report: 'killed.tapir': the capture is not sealed: it is cut off" err || { cat err; fail 'not sealed'; }
done
grep -q 'No samples: the capture is not sealed, it is cut off' killed.svg || fail 'a picture of what was killed'
eventually 20 "$STAPRUN" -d naps0
