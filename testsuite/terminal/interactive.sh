#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# interactive.sh STAP: a session of `stap -i` in a tmux. interactive.txt is what the screen shows of its 40 entries, seven of them wrong: lines
# with a prompt are typed, others have to follow. Then keys: completion, the history, Ctrl-C, and a line that stays while probes print above
# it. The scripts run on a process that sleeps. Ends with status 77 where there is no tmux.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
stap=$(realpath "$1")
. "$here/../patiently.sh"
command -v tmux >/dev/null || { echo 'needs tmux'; exit 77; }
work=$(mktemp -d)
export HOME=$work XDG_STATE_HOME= LC_ALL=C.UTF-8 NO_COLOR=1 EDITOR='sed -i s/7/8/'
sleep 1000 & target=$!
in_tmux() { tmux -u -S "$work/socket" -f /dev/null "$@"; }
finish() {
    in_tmux kill-server 2>/dev/null || :
    kill $target
    rm -rf "$work"
}
trap finish EXIT
cd "$work"
in_tmux new-session -d -x 100 -y 24 "'$stap' -i -x $target --snapshot=run; echo status \$?; exec sleep 1000"

# screen: all that was shown, without blanks at the ends of lines and empty lines at the end.
screen() { in_tmux capture-pane -p -S - | sed 's/ *$//' | sed -e :a -e '/^\n*$/{$d;N;ba' -e '}'; }
is_shown() { [ "$(screen)" = "$(cat expected)" ]; }
# awaits WHAT: until the screen is as `expected`.
awaits() {
    patiently 60 is_shown || {
        echo "FAILED: $1"
        diff expected <(screen)
        exit 1
    }
}
type_text() { in_tmux send-keys -l -- "$1"; }
press() { in_tmux send-keys "$@"; }

# ---- the transcript

: >shown
typed=0
while IFS= read -r line; do
    case $line in
    'stap> '* | '    > '*)
        { cat shown; echo "${line:0:5}"; } | sed 's/ *$//' >expected
        awaits "before '$line'"
        type_text "${line:6}"
        press Enter
        case $line in stap*) typed=$((typed + 1)) ;; esac
        ;;
    esac
    echo "$line" >>shown
done <"$here/interactive.txt"
[ $typed = 40 ] || { echo "FAILED: $typed entries"; exit 1; }

# ---- keys

# shows LINE...: these follow, and the last is being typed.
shows() {
    cp shown expected
    printf '%s\n' "$@" >>expected
    awaits "$*"
}
kept() { printf '%s\n' "$@" >>shown; }
shows 'stap>'
type_text execn
press Tab
shows 'stap> execname()'
press Enter
kept 'stap> execname()' sleep
shows 'stap>'
press Up Up
shows "$(tail -n +1 "$here/interactive.txt" | grep '^stap> ' | tail -1)"
press C-c
kept "$(tail -n +1 "$here/interactive.txt" | grep '^stap> ' | tail -1)^C"
shows 'stap>'
type_text 'x = ('
press Enter
shows 'stap> x = (' '    >'
press C-c
kept 'stap> x = (' '    > ^C'
shows 'stap>'
type_text 'string_q'
press Tab
shows 'stap> string_quoted('
press C-c
kept 'stap> string_quoted(^C'
# The probes print above a line that takes two rows.
is_begun() { screen | sed '1,/^stap> probe begin { println("above") }$/d' | grep -qx 'stap>'; }
type_text 'probe begin { println("above") }'
press Enter
patiently 60 is_begun || { echo 'FAILED: the prompt behind a probe'; screen | tail; exit 1; }
long="\"$(printf '%090d' 0)\" . \"ends\""
type_text "$long"
kept 'stap> probe begin { println("above") }' above 'the probes have ended'
shows "stap> ${long:0:94}" "${long:94}"
press Enter
kept "stap> ${long:0:94}" "${long:94}" "$(printf '%090d' 0)ends"
shows 'stap>'
press C-d
patiently 60 eval 'screen | grep -q "^status 0$"' || { echo 'FAILED: the end'; screen | tail; exit 1; }
history=$work/.local/state/tapir/history
[ "$(stat -c %a "$history")" = 600 ] || { echo 'FAILED: the history is not private'; exit 1; }
grep -qx '"a"\\040.\\040"b"' "$history" || { echo 'FAILED: the history'; cat "$history"; exit 1; }

# ---- without a terminal

printf '%s\n' '1 + 2' 'global n = 3' 'probe begin { println(n) exit() }' run '{' |
    "$stap" -i -x $target --snapshot=run >out 2>err || { echo "FAILED: status $? without a terminal"; exit 1; }
[ "$(cat out)" = '3
3
what was typed last is unfinished' ] || { echo 'FAILED: without a terminal'; cat out err; exit 1; }
# ---- options

[ "$("$stap" --typed -i -x $target --snapshot=run -e 'probe begin { println(42) exit() }')" = 42 ] || { echo 'FAILED: --typed'; exit 1; }
for option in -p2 --refresh -F '-e 1' script.stp; do
    "$stap" --interactive $option >out 2>err && { echo "FAILED: -i with $option"; exit 1; }
    grep -q '^ERROR: The -i option cannot be used with ' err || { echo "FAILED: -i with $option"; cat err; exit 1; }
done
echo 'all passed'
