#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The Debian packages: makes them, has lintian look at them, installs them over a copy of this machine's files that is thrown away, compiles a script
# with what was installed, runs it in a guest with nothing but tapir-runtime, and looks at what removing them leaves. Needs root, and a Debian.
#     testsuite/packaging/run.sh [RELEASE]
# Ends with "# N passed, N failed, N skipped".
set -u -o pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$here/../../build" && pwd)
if [ "${1:-}" != --inside ]; then
    why=
    [ "$(id -u)" -eq 0 ] || why='only root can install packages'
    for program in dpkg lintian unshare chroot; do command -v $program >/dev/null || why="there is no $program"; done
    [ -z "$why" ] || { printf 'ok packages # SKIP %s\n# 0 passed, 0 failed, 1 skipped\n' "$why" && exit 0; }
    # All that is mounted and written goes with this process.
    exec unshare --mount --propagation private "$0" --inside "$@"
fi
shift
release=${1:-}
top=$(mktemp -d)
trap 'cd /; umount -R "$top/root" 2>/dev/null; umount "$top" && rmdir "$top"' EXIT
mount -t tmpfs -o mode=755 none "$top" || exit 1
mkdir "$top/upper" "$top/work" "$top/root" "$top/packages"
passed=0 failed=0 skipped=0

check() { # NAME COMMAND...
    local name=$1
    shift
    if "$@" >"$top/out" 2>&1; then
        passed=$((passed + 1))
        echo "ok $name"
    else
        failed=$((failed + 1))
        echo "not ok $name"
        tail -n 40 "$top/out" | sed 's/^/# /'
    fi
}
finish() {
    echo "# $passed passed, $failed failed, $skipped skipped"
    [ "$failed" -eq 0 ]
    exit
}

# --- made

version=$(sed -n 's/^project(tapir VERSION \([0-9.]*\).*/\1/p' "$here/../../CMakeLists.txt")
arch=$(dpkg --print-architecture)
make_packages() { cmake --build "$build" --target packages && cp "$build/packages/"*.deb "$top/packages/"; }
check 'packages are made' make_packages
[ "$failed" -eq 0 ] || finish
cd "$top/packages" || exit 1
list() { [ "$(ls | tr '\n' ' ')" = "tapir-doc_${version}_all.deb tapir-runtime_${version}_$arch.deb tapir-sdt-dev_${version}_$arch.deb tapir-server_${version}_$arch.deb tapir-tapsets_${version}_all.deb tapir_${version}_$arch.deb " ] || { ls; false; }; }
check 'their names' list
# As one who can be asked: of who made the packages.
maintainer() {
    local deb text
    for deb in ./*.deb; do
        text=$(dpkg-deb -f "$deb" Maintainer)
        [ "$text" = "$(sed -n 's/^TAPIR_MAINTAINER:STRING=//p' "$build/CMakeCache.txt")" ] && [[ $text =~ ^[^\<]+\ \<[^@]+@[^@]+\>$ && $text != *.invalid* ]] || { echo "$deb: $text"; return 1; }
        dpkg-deb --fsys-tarfile "$deb" | tar xO --wildcards '*/changelog.gz' | zcat | grep -qF -- "-- $text  " || { echo "$deb: its changelog has another"; return 1; }
    done
}
check 'their maintainer' maintainer
made_by() { # EXPECTED VARIABLE=VALUE...: whom packages made with these variables would name
    env "${@:2}" cmake -S "$here/../.." -B "$top/configured" -G Ninja -DTAPIR_TESTS=OFF -DTAPIR_BENCH=OFF >/dev/null &&
        grep -qxF "TAPIR_MAINTAINER:STRING=$1" "$top/configured/CMakeCache.txt"
    local status=$?
    grep TAPIR_MAINTAINER "$top/configured/CMakeCache.txt"
    rm -rf "$top/configured"
    return $status
}
check 'a maintainer as of Debian'"'"'s tools' made_by 'Jo Doe <jo@example.org>' DEBFULLNAME='Jo Doe' DEBEMAIL=jo@example.org
check 'a maintainer by the address alone' made_by 'Jo Doe <jo@example.org>' -u DEBFULLNAME DEBEMAIL='Jo Doe <jo@example.org>'
# A manual page for each function and probe point: lintian would take ten minutes for them, and testsuite/docs looks at them.
lint() {
    lintian --allow-root --fail-on error,warning --tag-display-limit 0 -X documentation/manual ./tapir-doc_*.deb &&
        lintian --allow-root --fail-on error,warning --tag-display-limit 0 $(ls ./*.deb | grep -v /tapir-doc_)
}
check lintian lint
field() { dpkg-deb -f "$1"_*.deb "$2"; }
says() { [ "$(field "$1" "$2")" = "$3" ] || { field "$1" "$2"; false; }; }
check 'the loader needs no library' says tapir-runtime Depends passwd
needs() { local name; for name in "${@:2}"; do grep -qE "(^|, )$name(,| |\$)" <<<"$(field "$1" Depends)" || { field "$1" Depends; echo "lacks $name"; return 1; }; done; }
check 'the translator needs its libraries' needs tapir libc6 libelf1 libdw1 libarchive13 libssl3 tapir-runtime tapir-tapsets
check 'the server needs its sandbox' needs tapir-server bubblewrap tapir
whole() { # every file that cmake --install installs is in exactly one package
    local deb
    DESTDIR=$top/installed cmake --install "$build" --prefix /usr >/dev/null || return
    (cd "$top/installed" && find . -type f -o -type l | sed 's|/usr/share/doc/tapir/|/DOC/|') | sort >"$top/wanted"
    for deb in ./*.deb; do dpkg-deb --fsys-tarfile "$deb" | tar t | grep -v '/$'; done |
        sed 's|\(/man/man[1-9]/.*\)\.gz$|\1|; s|/usr/share/doc/tapir-doc/|/DOC/|' | sort >"$top/packed"
    rm -r "$top/installed"
    ! comm -3 "$top/wanted" "$top/packed" | grep -v '/DOC/copyright$\|/DOC/changelog.gz$\|/usr/share/doc/tapir[a-z-]*/\|/usr/share/lintian/' || return
    [ -z "$(uniq -d "$top/packed")" ]
}
check 'all of the installation is in packages, once' whole

# --- installed

root=$top/root
mount -t overlay -o "lowerdir=/,upperdir=$top/upper,workdir=$top/work" none "$root" || exit 1
for place in proc dev sys; do mount --rbind /$place "$root/$place"; done
mkdir -p "$root/srv/packages"
mount --bind "$top/packages" "$root/srv/packages"
kernel=$("$build/bin/stap-vm" --print-kernel --headers ${release:+-k "$release"}) || { echo "not ok there is no kernel to compile for" && exit 1; }
release=$(sed -n 's/^release //p' <<<"$kernel")
inside() { chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root DEBIAN_FRONTEND=noninteractive TAPIR_CACHE_DIR="${TAPIR_CACHE_DIR:-$HOME/.cache/tapir}" "$@"; }
# Nothing of this machine's own may take part.
for name in stap staprun stap-vm stap-prep stap-sign stap-report stap-live stap-watch stap-exporter stap-push stap-docs stap-server stap-boot; do
    [ ! -e "$root/usr/bin/$name" ] && [ ! -e "$root/usr/local/bin/$name" ] || { echo "not ok $name is installed on this machine already" && exit 1; }
done
# Packages of the reference would be taken away by those that replace them.
theirs=$(inside dpkg-query -W -f '${db:Status-Abbrev} ${Package}\n' 'systemtap*' 2>/dev/null | sed -n 's/^ii *//p')
# shellcheck disable=SC2086  # several names
[ -z "$theirs" ] || inside dpkg -P --force-depends $theirs >/dev/null
# Directories that package managers and manuals write to are theirs.
files() { (cd "$root" && find etc usr var lib srv opt -xdev \( -path var/lib/dpkg -o -path var/cache -o -path srv/packages -o -path var/log \) -prune -o -print 2>/dev/null | sort); }
files >"$top/before"
check installation inside sh -c 'dpkg -i /srv/packages/*.deb'
check 'files as they were packed' inside dpkg -V tapir tapir-runtime tapir-tapsets tapir-doc tapir-sdt-dev tapir-server
check 'groups' inside getent group stapusr stapsys stapdev
check 'the loader is not set-user-ID' test "$(stat -c %a:%u "$root/usr/bin/staprun")" = 755:0
compile() {
    inside sh -c "cd /root && stap -p4 -m packaged -r $release -e 'probe begin { println(\"from a package\") exit() }'" &&
        cp "$root/root/packaged.ko" "$top/packages/"
}
check 'a script is compiled' compile
read_process() {
    inside sh -c "cd /root && { sleep 60 & } && stap --snapshot -x \$! -e 'probe process.snapshot { println(execname()) }' | grep -x sleep &&
        stap -p4 --runtime=process -m alone -e 'probe process.snapshot { println(execname()) }' && ./alone --snapshot -x \$! | grep -x sleep; result=\$?; kill \$!; exit \$result"
}
check 'a process is read' read_process
check 'its library is the installed one' sh -c "chroot '$root' /usr/bin/stap -vv -p1 -r $release -e 'probe begin {}' 2>&1 | grep -q 'Searched: \"/usr/share/tapir/tapsets'"
check 'programs start' inside sh -c 'staprun --version && stap-vm --help && stap-prep --help && stap-docs --help && stap-sign --help && stap-report --help && stap-live --help && stap-watch --help && stap-exporter --help && stap-push --help && stap-server --version'
check 'the manual' inside sh -c 'for page in stap stap-vm stap-prep stap-sign stap-report stap-live stap-watch stap-push stap-docs staprun stap-server stap-exporter stap-boot dtrace function::pid error::pass1 error::fault; do zgrep -q "^.SH NAME" /usr/share/man/man*/$page.* || { echo $page; exit 1; }; done'
marks() {
    inside sh -c 'cd /root && echo "provider packaged { probe here(int n); };" >m.d && dtrace -h -s m.d && dtrace -G -s m.d &&
        echo "#include \"m.h\"
        int main(void) { PACKAGED_HERE(7); return 0; }" >m.c && cc m.c m.o -o m && stap -L "process(\"/root/m\").mark(\"*\")" | grep "mark(\"here\").*arg1"; status=$?; rm -f m m.?; exit $status'
}
check 'a program gets marks' marks
says_of() { says tapir-sdt-dev Provides systemtap-sdt-dev && says tapir-sdt-dev Conflicts systemtap-sdt-dev; }
check 'they replace those of systemtap-sdt-dev' says_of
# As a user without rights, and each tool by its own command.
tools() {
    inside sh -c 'count=0
        for script in /usr/share/tapir/tools/*/*.stp; do
            name=$(basename $script .stp)
            zgrep -q "^.SH NAME" /usr/share/man/man1/stap-$name.1.gz || { echo "$name has no page"; exit 1; }
            setpriv --reuid=65534 --regid=65534 --clear-groups stap-$name --help | grep -q "^$name - " || { echo "$name does not start"; exit 1; }
            count=$((count + 1))
        done
        [ $count -ge 100 ]'
}
check 'a command and a page for each tool' tools
check 'the units' inside sh -c 'systemd-analyze verify --man=no stap-server.service stap@packaged.service stap-watch.service stap-exporter.service 2>&1 | grep stap && exit 1; exit 0'
check 'the user of the server' inside sh -c '[ "$(stat -c %U:%a /var/lib/tapir-server)" = tapir-server:700 ]'
check 'the server sees the kernels that are installed' sh -c "! grep -q ^ProtectKernelModules '$root/lib/systemd/system/stap-server.service'"
check 'a place for scripts that run from boot' inside test -d /etc/tapir/boot.d
check 'an override survives' inside sh -c 'dpkg-statoverride --update --add root stapusr 4750 /usr/bin/staprun && dpkg -i /srv/packages/tapir-runtime_*.deb && [ "$(stat -c %a:%G /usr/bin/staprun)" = 4750:stapusr ] && dpkg-statoverride --remove /usr/bin/staprun'

# --- removed

# As an administrator would have used them.
used() {
    inside systemctl enable stap@packaged.service stap-server.service stap-watch.service && find "$root/etc/systemd" -name '*stap*' | grep -q 'wants/stap@packaged.service' || return
    mkdir -p "$root/var/log/tapir" && touch "$root/var/log/tapir/audit.log" "$root/var/log/tapir/packaged.1"
}
check 'units are enabled' used

mkdir -p "$root/root/.cache/tapir/of-this-test"
check 'removal' inside dpkg -P tapir tapir-runtime tapir-tapsets tapir-doc tapir-sdt-dev tapir-server
cp "$top/out" "$top/removal"
check 'caches that stay are named' sh -c "grep -F 'The cache /root/.cache/tapir stays' '$top/removal' && [ -d '$root/root/.cache/tapir/of-this-test' ]"
rm -f "$root/root/packaged.ko"
files >"$top/after"
check 'nothing is left' diff "$top/before" "$top/after"
check 'no log is left' test ! -e "$root/var/log/tapir"
check 'nothing is left in the service manager' sh -c "! find '$root/etc/systemd' '$root/run/systemd' -name '*stap*' 2>/dev/null | grep ."

# --- the loader alone, on a machine where it was never installed

# The guest's files are this machine's, below what it writes itself.
guest() {
    cp "$top/packages/"tapir-runtime_*.deb "$top/packages/packaged.ko" "$share" &&
        [ "$("$build/bin/stap-vm" --kernel="$release" --share "$share" -- sh -c "dpkg -i $share/tapir-runtime_*.deb >/dev/null && ! command -v stap && staprun $share/packaged.ko")" = 'from a package' ]
}
share=$(mktemp -d)
check 'tapir-runtime alone runs the module in a guest' guest
rm -rf "$share"
finish
