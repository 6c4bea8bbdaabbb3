# SPDX-License-Identifier: GPL-2.0-or-later
# Programs in PHP, Perl and Lua that write wild words into their own frames end their own stacks with "?" or "...", not the session.
#: host: for of in php perl lua; do sed "s/STACK/${of}_stack/" "$AREA/_wild_stacks.stp" >$of.stp && "$STAP" -p4 -r "$R" -m $of -D MAXSTRINGLEN=2048 $of.stp || exit; done >/dev/null
#: timeout: 300
#: long: interpreters in many rounds
#: records: also
ran=0
# wild LANGUAGE SAMPLES COMMAND...
wild() {
    local language=$1 samples=$2
    shift 2
    [ -x "$1" ] || { echo "# $1 is not installed"; return 0; }
    "$STAPRUN" $language.ko --record $language.tapir -c "sh -c 'exec $* $samples >/dev/null'" >out 2>err || { cat out err; fail "$language: status $?"; }
    cat out
    is_equal "$language: messages" "$(grep -v '^wrote \|^user stacks: ' err)" ''
    is_equal "$language: stacks" "$(tail -n 1 out)" "ended $samples, else 0, sampled"
    ran=$((ran + 1))
}
wild php 60 /usr/bin/php8.2 -d ffi.enable=1 "$AREA/_wild.php"
wild perl 60 /usr/bin/perl "$AREA/_wild.pl"
wild lua 70 /usr/bin/luajit "$AREA/_wild.lua"
[ $ran -gt 0 ] || skip 'none of these interpreters is installed'
