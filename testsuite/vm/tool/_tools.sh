# SPDX-License-Identifier: GPL-2.0-or-later
# For cases that run tools on the program `loads`, which does what it is told and knows how often. Sourced.

# Not the folder of the case: that is the host's, and has no pipes.
mkdir -p /run/tools
cd /run/tools

# values FILE: the rows of a session's tables as CSV, without heads and times, and the names that several tables have in front.
values() {
    tr -d '\r' <"$1" | awk '/^([a-z_]+,)?t \(ns\),/ { skip = /^t / ? 1 : 2; next } { for (i = 0; i < skip; i++) sub(/^[^,]*,/, ""); print }'
}

# traced TOOL "WORDS OF loads" NAME=VALUE...: the session's output is in `out`, the tables' rows in `rows`.
traced() {
    local tool=$1 words=$2
    shift 2
    "$STAPRUN" "$W/$tool.ko" --format=csv -c "$W/loads $words" "$@" >out 2>err || { cat out err; fail "$tool $*: status $?"; }
    grep -v -- '--format=csv writes rows' err >&2 || :
    values out >rows
}

# quiet TOOL NAME=VALUE...: with nothing to count, the tool ends well, and says so.
quiet() {
    local tool=$1
    shift
    "$STAPRUN" "$W/$tool.ko" -c "$W/loads sleep 1" "$@" >out 2>err || { cat out err; fail "$tool $*: status $?"; }
    grep -q . out || fail "$tool says nothing when there is nothing"
}

# begin TOOL NAME=VALUE...: a session of its own, for `finish`.
begin() {
    local tool=$1
    shift
    "$STAPRUN" "$W/$tool.ko" --format=csv "$@" >out 2>err &
    session=$!
    eventually 30 is_armed "$tool"
}
# finish: ends it; its rows are in `rows`.
finish() {
    kill -INT $session || { cat out err; fail "a session ended by itself"; }
    wait $session || { cat out err; fail "a session ended with $?"; }
    values out >rows
}
