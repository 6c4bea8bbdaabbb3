# SPDX-License-Identifier: GPL-2.0-or-later
# Pictures have the frames that each interpreter says itself at that moment, in place of its own frames; with --native beside them.
#: requires: file /usr/bin/perl
#: host: "$STAP" -p4 -r "$R" -m pictured -D MAXSTRINGLEN=6000 "$AREA/_pictured.stp" >/dev/null
#: timeout: 300
#: long: a stack at each of many calls of an interpreter
hits=${HITS:-60}
# pictured NAME FUNCTION COMMAND...: FUNCTION is one of the interpreter's own.
pictured() {
    local name=$1 function=$2 status=0
    shift 2
    [ -x "$1" ] || { echo "# $1 is not installed"; return 0; }
    "$STAPRUN" pictured.ko --record $name.tapir -o $name.said -c "sh -c 'exec $* $hits >/dev/null'" >out 2>err || { cat out err; fail "$name: status $?"; }
    is_equal "$name: messages" "$(grep -v '^wrote ' err)" ''
    "$BIN/stap-report" --accept-partial --lines $name.tapir -o $name.folded
    # Each stack that was said is in a box over box; the longest one that fits counts.
    awk -v lined=$([ $name != python ] || echo 1) '
        NR == FNR { said[$0]++; next }
        /^#/ { next }
        {
            value = $NF
            sub(/ [0-9]+$/, "")
            if (lined) {
                # Extensions in C, which are files of their own, stand between the frames of Python. A line may be unknown.
                n = split($0, frames, ";")
                $0 = ""
                for (i = 1; i <= n; i++)
                    if (frames[i] ~ /(:[0-9]+|\.py)\)$/) $0 = $0 ($0 == "" ? "" : ";") frames[i]
            }
            best = ""
            for (text in said)
                if (length(text) > length(best) && index(";" $0 ";", ";" text ";")) best = text
            seen[best] += value
            sum += value
        }
        END {
            for (text in said) {
                all += said[text]
                if (seen[text] != said[text] && shown++ < 3) print "said", said[text], "times, seen", seen[text] + 0 ":", text
                same += seen[text] < said[text] ? seen[text] : said[text]
            }
            print all, "said,", sum, "in the picture,", same, "the same"
        }' $name.said $name.folded >$name.same
    cat $name.same
    read -r all _ sum _ _ _ same _ <<<"$(tail -n 1 $name.same)"
    [ "${all:-0}" -ge $hits ] && [ "$sum" = "$all" ] && [ $((same * 100)) -ge $((all * 98)) ] || { head -n 5 $name.folded; fail "$name: not what it says"; }
    ! grep -q ";$function;" $name.folded || fail "$name: its own frames are there"
    "$BIN/stap-report" --accept-partial --native $name.tapir -o $name.both.folded
    grep -q ";$function;" $name.both.folded || { head $name.both.folded; fail "$name: --native does not show its own frames"; }
}
pictured perl '\(Perl_\w*\|\[perl\]\)' /usr/bin/perl "$AREA/_perl.pl"
pictured python _PyEval_EvalFrameDefault /usr/bin/python3.11 "$AREA/_python.py"
pictured php '\[php8.2\]' /usr/bin/php8.2 -n "$AREA/_php.php"
pictured lua '\(lua_\w*\|\[lib.*jit.*\]\)' /usr/bin/luajit "$AREA/_lua.lua"
