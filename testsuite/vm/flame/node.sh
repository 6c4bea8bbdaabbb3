# SPDX-License-Identifier: GPL-2.0-or-later
# Functions of JavaScript in a picture of Node: whole stacks, from the function back to main().
#: requires: program node
#: host: "$STAP" -p4 -r "$R" -m oncpu -c "node x" run oncpu >/dev/null
#: timeout: 300
#: long: Node takes a minute in an emulated guest
status=0
"$STAPRUN" oncpu.ko --record run.tapir -o node.folded -c "node --perf-basic-prof --interpreted-frames-native-stack $AREA/_node.js" >out 2>err || status=$?
[ $status = 0 ] || [ $status = 3 ] || { cat out err; fail "status $status"; }
grep '^#' node.folded
sum() { awk -v p="$1" '$0 ~ p { s += $NF } END { print s + 0 }' node.folded; }
inner=$(sum 'main;.*spinOuter .*;[^;]*spinInner ') all=$(sum 'spinInner')
[ "$all" -ge 100 ] || { tail -n 40 node.folded; fail "$all samples of the inner function"; }
[ $((inner * 100)) -ge $((all * 90)) ] || { grep spinInner node.folded; fail "$inner of $all stacks go from main() to it"; }
