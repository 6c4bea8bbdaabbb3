# SPDX-License-Identifier: GPL-2.0-or-later
# Panics of Rust that pass through functions whose returns are probed do no harm, and no return is lost.
#: host: ! command -v rustc >/dev/null || rustc -C opt-level=2 -g -o panics "$AREA/_panics.rs"
#: host: [ ! -e panics ] || "$STAP" -p4 -r "$R" -m panics_of_rust "$AREA/_panics.stp" "$W/panics" >/dev/null
[ -e panics ] || skip "rustc is not installed"
"$STAPRUN" panics_of_rust.ko -c './panics >said' >out 2>err || { cat out err; fail "status $?"; }
is_equal messages "$(cat err)" ''
is_equal returns "$(cat out)" "$(cat said)"
