# SPDX-License-Identifier: GPL-2.0-or-later
# Rust: functions by path, trait and type; strings and vectors by their members; enums by the variant that is there; results in
# two registers.
#: host: ! command -v rustc >/dev/null || rustc -C opt-level=2 -g -o shapes "$AREA/_shapes.rs"
#: host: [ ! -e shapes ] || "$STAP" -p4 -r "$R" -m shapes_of_rust "$AREA/_rust.stp" "$W/shapes" >/dev/null
[ -e shapes ] || skip "rustc is not installed"
"$STAPRUN" shapes_of_rust.ko -c ./shapes >out
for line in 'Empty text 5 hello list 3' 'Number{.__0=-7} text 0  list 3' 'named abc 9' '_shapes::geo::Circle::grow 3 by 4' \
    'area of 7' 'biggest [12]' 'find Some{.__0=2}' 'find None'; do
    grep -qx "$line" out || { cat out; fail "no line '$line'"; }
done
