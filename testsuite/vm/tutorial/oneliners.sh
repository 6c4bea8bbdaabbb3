# SPDX-License-Identifier: GPL-2.0-or-later
# Every command of docs/tutorial.md runs, ends well, and prints each of the lines that the tutorial shows, but for numbers; where the
# tutorial shows all, no others.
#: host: "$AREA/_read.py" "$AREA/../../../docs/tutorial.md" "$STAP" "$R"
#: long: twelve scripts
#: timeout: 600
#: requires: file /usr/lib/x86_64-linux-gnu/libc.so.6
for module in line_*.ko; do
    name=${module%.ko}
    if [ -s "$name.command" ]; then set -- -c "$(cat "$name.command")"; else set --; fi
    "$STAPRUN" "$module" "$@" >out 2>err || fail "$name: status $?: $(cat err)"
    [ ! -s err ] || fail "$name wrote: $(cat err)"
    while read -r shape; do
        grep -qE -- "$shape" out || fail "$name: no line like '$shape' in: $(head -n 20 out)"
    done <"$name.shapes"
    [ "$(cat "$name.kind")" = sample ] || [ "$(wc -l <out)" -eq "$(wc -l <"$name.shapes")" ] || fail "$name printed more: $(cat out)"
done
[ "$(ls line_*.ko | wc -l)" -ge 12 ] || fail 'not all commands were run'
