# SPDX-License-Identifier: GPL-2.0-or-later
# Sourced in the guest before every case. See README.md.

# Cases run programs as other users, wherever the tree is, be it in root's own folder. The guest's files are its own.
folder=${W%/*}
while [ -n "$folder" ]; do
    [ "$(stat -c %a "$folder")" != 700 ] || chmod o+x "$folder"
    folder=${folder%/*}
done
unset folder

fail() {
    printf 'FAIL: %s\n' "$*" >&2
    exit 1
}

skip() {
    printf '%s\n' "$*"
    exit 77
}

# is_equal WHAT ACTUAL EXPECTED
is_equal() {
    [ "$2" = "$3" ] || fail "$1 is '$2', expected '$3'"
}

# eventually SECONDS COMMAND...: succeeds once the command does, fails after that time, or $PATIENCE times as long.
eventually() {
    local end=$((SECONDS + $1 * PATIENCE))
    shift
    until "$@"; do
        [ "$SECONDS" -lt "$end" ] || fail "not within the time: $*"
        sleep 0.1
    done
}

# is_armed MODULE: whether all probes of the session are armed, which is later than its `begin` probes. The number is TAPIR_IOC_STATUS,
# the state that of TAPIR_STATE_RUNNING (tapir/wire.h).
is_armed() {
    perl -e 'open(my $control, ">", "/proc/tapir-$ARGV[0]/control") or exit 1;
        my $status = "\0" x 48;
        ioctl($control, 0x8030b70b, $status) or exit 1;
        exit(unpack("L", $status) != 2)' "$1"
}

# is_configured CONFIG_OPTION[=VALUE]: whether the kernel was built with it.
is_configured() {
    { zcat /proc/config.gz || cat "$TREE/.config"; } 2>/dev/null | grep -q "^$1"
}

# One requirement of a case; skips it when the guest does not meet it.
require() {
    local what=$1
    shift
    case $what in
    program)
        for name in "$@"; do command -v "$name" >/dev/null || skip "needs the program $name"; done
        ;;
    function)
        for name in "$@"; do grep -q " [tT] $name\$" /proc/kallsyms || skip "needs the kernel function $name"; done
        ;;
    config)
        for option in "$@"; do is_configured "$option" || skip "needs a kernel with $option"; done
        ;;
    file)
        for path in "$@"; do [ -e "$path" ] || skip "needs $path"; done
        ;;
    kernel)
        printf '%s\n%s\n' "$1" "$R" | sort -V -C || skip "needs kernel $1"
        ;;
    *) fail "unknown requirement: $what" ;;
    esac
}

# sample "TOOL WORDS" MODULE ARGUMENT...: what the tool prints for people in a session with these arguments of staprun. It stays in $W/TOOL.txt, from
# where devel/tool-samples takes it for the manual page.
sample() {
    local words=$1 module=$2 page=$W/${1%% *}.txt
    shift 2
    # Records do not tell how tables look.
    [ -z "${RECORDS:-}" ] || return 0
    "$STAPRUN" "$W/$module.ko" "$@" >"$W/sampled" 2>"$W/sampled.err" || { cat "$W/sampled" "$W/sampled.err"; fail "a session of $words"; }
    {
        echo "\$ stap run $words"
        sed "s|$W/root||g; s|$W/||g; s|$AREA/||g" "$W/sampled" | awk 'NR <= 30 { print } NR == 31 { print "..." }'
    } >"$page"
    [ "$(grep -c . "$page")" -ge 3 ] || { cat "$page" "$W/sampled.err"; fail "$words says nothing of its load"; }
}

# Modules that are not part of the kernel's own build.
foreign_modules() {
    awk '/\([A-Z]*O[A-Z]*\)$/ { print $1 }' /proc/modules
}

remove_foreign_modules() {
    local module
    for module in $(foreign_modules); do rmmod "$module" 2>/dev/null; done
    [ -z "$(foreign_modules)" ]
}

leave_clean() {
    local left
    left=$(foreign_modules | tr '\n' ' ')
    [ -n "$left" ] || return 0
    # The next case is not to find them: a module goes when no process reads from it any more.
    pkill -KILL -x staprun
    (eventually 10 remove_foreign_modules)
    printf '%s\n' "$left" >&2
    exit 78
}
