# SPDX-License-Identifier: GPL-2.0-or-later
# compare COMMAND: every stack that a program writes is the one that compare.ko sees; there are ${HITS:-60} or more.
compare() {
    "$STAPRUN" compare.ko -c "sh -c 'exec $* ${HITS:-60} >/dev/null'" >out 2>err || { cat out err; fail "status $?"; }
    cat out err
    is_equal 'messages' "$(cat err)" ''
    [[ "$(tail -n 1 out)" =~ ^same\ ([0-9]+),\ differ\ 0$ ]] || fail 'a stack differs'
    [ "${BASH_REMATCH[1]}" -ge "${HITS:-60}" ] || fail 'too few stacks'
}
