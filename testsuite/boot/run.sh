#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# stap-boot's use of settings, with programs beside it that log their arguments; and the files of services. testsuite/vm/boot runs real scripts.
set -u -o pipefail
here=$(cd "$(dirname "$0")" && pwd)
systemd=$here/../../systemd
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0
export TAPIR_BOOT_DIR=$work/boot.d TAPIR_CACHE_DIR=$work/cache
mkdir "$work/bin" "$TAPIR_BOOT_DIR"
cp "$systemd/stap-boot" "$work/bin/"
release=$(uname -r)
place=$TAPIR_CACHE_DIR/boot/disk-load

# Each word in brackets; the module is what the script says.
cat >"$work/bin/stap" <<'END'
#!/bin/sh
case $1 in -V) echo "version ${FAKE_VERSION-1}" && exit ;; esac
for word; do printf '[%s]' "$word"; done >>"$FAKE_LOG"
echo >>"$FAKE_LOG"
[ -z "${FAKE_FAILURE-}" ] || { echo 'semantic error: fake' >&2 && exit 1; }
echo module >"$3.ko"
[ -z "${FAKE_SIGNATURE-}" ] || echo signature >"$3.ko.sig"
END
cat >"$work/bin/staprun" <<'END'
#!/bin/sh
printf 'staprun '
for word; do printf '[%s]' "$word"; done
echo
exit "${FAKE_STATUS-0}"
END
chmod 755 "$work/bin/"*
export FAKE_LOG=$work/log

expect() { # NAME STATUS OUTPUT MESSAGES COMPILATIONS
    local status out err log
    : >"$FAKE_LOG"
    "$work/bin/stap-boot" "${words[@]}" >"$work/out" 2>"$work/err" </dev/null
    status=$? out=$(cat "$work/out") err=$(cat "$work/err") log=$(cat "$FAKE_LOG")
    if [ "$status" = "$2" ] && [ "$out" = "$3" ] && [ "$err" = "$4" ] && [ "$log" = "$5" ]; then
        passed=$((passed + 1))
        echo "ok $1"
    else
        failed=$((failed + 1))
        echo "not ok $1"
        printf '# status %s, expected %s\n# output   %q\n# expected %q\n# messages %q\n# expected %q\n# compiled %q\n# expected %q\n' \
            "$status" "$2" "$out" "$3" "$err" "$4" "$log" "$5"
    fi
}
settings() { printf '%s\n' "$@" >"$TAPIR_BOOT_DIR/disk-load.conf"; }
refuses() { # NAME MESSAGE
    expect "$1" 78 '' "ERROR: $2" ''
}

words=(disk-load)
refuses 'no settings' "'$TAPIR_BOOT_DIR/disk-load.conf' is not there or cannot be read: it says what the script 'disk-load' is (stap-boot(8))."
settings
refuses 'no script' "The script '$TAPIR_BOOT_DIR/disk-load.stp' of 'disk-load' is not there or cannot be read."
script=$TAPIR_BOOT_DIR/disk-load.stp
echo 'probe begin {}' >"$script"
made="Compiling $script for $release."
module=$place/boot_disk_load.ko

expect 'compiled at first' 0 "staprun [$module]" "$made" "[-p4][-m][boot_disk_load][$script]"
expect 'not a second time' 0 "staprun [$module]" '' ''
settings '# words stay words' 'argument=two words' 'argument=*' 'option=-D' 'option=MAXACTION=5' 'global=s=a b' 'global=n=$(id)' 'run-option=-S' \
    'run-option=10,5' 'output=/var/log/tapir/%F load' ''
asked="[-p4][-m][boot_disk_load][-D][MAXACTION=5][$script][two words][*]"
expect 'words stay words' 0 "staprun [-S][10,5][-o][/var/log/tapir/%F load][$module][s=a b][n=\$(id)]" "$made" "$asked"
started="staprun [-S][10,5][-o][/var/log/tapir/%F load][$module][s=a b][n=\$(id)]"
echo '# changed' >>"$script"
expect 'another script' 0 "$started" "$made" "$asked"
FAKE_VERSION=2 expect 'another stap' 0 "$started" "$made" "$asked"
export FAKE_VERSION=2
# Another kernel, as far as the key knows.
echo 'of another kernel' >"$place/key"
expect 'another kernel' 0 "$started" "$made" "$asked"
rm "$module"
expect 'a lost module' 0 "$started" "$made" "$asked"
words=(--prepare disk-load)
expect '--prepare compiles always' 0 '' "$made" "$asked"
words=(disk-load)
expect 'what was prepared is run' 0 "$started" '' ''
FAKE_STATUS=3 expect "the loader's status" 3 "$started" '' ''

settings
rm -f "$place/key"
FAKE_SIGNATURE=yes expect 'signed' 0 "staprun [$module]" "$made" "[-p4][-m][boot_disk_load][$script]"
[ "$(cat "$module.sig")" = signature ]
expect 'the signature stays' 0 "staprun [$module]" '' ''
rm -f "$place/key"
expect 'no longer signed' 0 "staprun [$module]" "$made" "[-p4][-m][boot_disk_load][$script]"
[ ! -e "$module.sig" ] || { failed=$((failed + 1)) && echo 'not ok an old signature stays'; }

echo '# broken' >>"$script"
FAKE_FAILURE=yes expect 'a script that cannot be compiled' 78 '' "$made
semantic error: fake
ERROR: The script '$script' cannot be run with the kernel $release: see above. When that is repaired: systemctl start stap@disk-load" "[-p4][-m][boot_disk_load][$script]"
left=$(cd "$place" && echo *)
[ "$left" = 'boot_disk_load.ko key' ] || { failed=$((failed + 1)) && echo "not ok what is left of it: $left"; }
expect 'nothing of it is kept' 0 "staprun [$module]" "$made" "[-p4][-m][boot_disk_load][$script]"

# A server may not be there yet.
echo '# not at the server' >>"$script"
settings 'option=-g' 'option=--use-server=https://build'
export TAPIR_BOOT_PAUSE=0
FAKE_FAILURE=yes expect 'a server that makes nothing' 75 '' "$made
semantic error: fake
ERROR: There is no module of '$script' for the kernel $release from the build server: see above." "[-p4][-m][boot_disk_load][-g][--use-server=https://build][$script]"
left=$(cd "$place" && echo *)
[ "$left" = 'boot_disk_load.ko key' ] || { failed=$((failed + 1)) && echo "not ok what is left of it: $left"; }
expect 'the next time' 0 "staprun [$module]" "$made" "[-p4][-m][boot_disk_load][-g][--use-server=https://build][$script]"
settings
expect 'compiled here again' 0 "staprun [$module]" "$made" "[-p4][-m][boot_disk_load][$script]"

settings "module=$work/%r/slow.ko" 'global=n=1'
refuses 'no module' "The module '$work/$release/slow.ko' of 'disk-load' is not there; it has to be made for the kernel $release: stap -p4 -r $release -m NAME."
mkdir "$work/$release" && : >"$work/$release/slow.ko"
expect 'a module' 0 "staprun [$work/$release/slow.ko][n=1]" '' ''
settings "module=$work/%r/slow.ko" 'argument=1'
refuses 'a module with arguments' "$TAPIR_BOOT_DIR/disk-load.conf: option= and argument= are for a script that is compiled, not for a module (module=)."

at=$TAPIR_BOOT_DIR/disk-load.conf
settings 'output=log'
refuses 'a relative path' "$at:1: 'log' is no absolute path."
settings '' 'global=5=n'
refuses 'no assignment' "$at:2: '5=n' is not NAME=VALUE."
settings 'colour=red'
refuses 'no setting' "$at:1: 'colour=red' is no setting: script=, module=, option=, argument=, global=, output= and run-option= are."
for option in -o -c -x -T5 -p2 -mname -r -ltimer.s -e --vm --ledger=f --remote=h --bundle; do
    settings "option=$option"
    refuses "option=$option" "$at:1: '$option' is no option for making a module; what is for running it belongs into run-option= or output=."
done
for name in ../etc -x 'a b' a.b ''; do
    words=("$name")
    case $name in
    -x) refuses "the name '$name'" "'-x' is no name of a script to run at boot: it should have letters, digits, '_' and '-', and begin with no '-'." ;;
    *) refuses "the name '$name'" "'$name' is no name of a script to run at boot: it should have letters, digits, '_' and '-', and begin with no '-'." ;;
    esac
done
settings
rm "$work/bin/staprun"
words=(disk-load)
PATH=/usr/bin:/bin
if ! command -v staprun >/dev/null; then
    refuses 'no loader' "There is no program 'staprun': install it (package tapir-runtime)."
fi

# The services' files, with their programs where the files say.
if command -v systemd-analyze >/dev/null; then
    for file in stap@ stap-watch stap-exporter; do
        program=$(sed -n 's/^ExecStart=\([^ ]*\).*/\1/p' "$systemd/$file.service")
        [ -e "$work/bin/$program" ] || install -m 755 /bin/true "$work/bin/$program"
        sed "s|^ExecStart=|ExecStart=$work/bin/|" "$systemd/$file.service" >"$work/$file.service"
        if said=$(SYSTEMD_LOG_LEVEL=warning systemd-analyze verify --man=no "$work/${file/@/@disk}.service" 2>&1) && [ -z "$said" ]; then
            passed=$((passed + 1)) && echo "ok the service $file"
        else
            failed=$((failed + 1)) && printf 'not ok the service %s\n# %s\n' "$file" "$said"
        fi
    done
else
    echo 'ok the services # SKIP there is no systemd-analyze'
fi
echo "# $passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ]
