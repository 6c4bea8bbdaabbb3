#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Instructions that wait_site() and wait_kind() take in switches between threads that wait in several ways, in one guest boot whose clock
# counts instructions: one is 1 ns.
#   waits.sh [--check] [RELEASE]
#     --check    fail if either takes more than LIMIT on average
set -eu -o pipefail
here=$(cd "$(dirname "$0")" && pwd)
bin=${TAPIR_BIN:-$here/../../build/bin}
limit=600
check=0
[ "${1:-}" != --check ] || { check=1; shift; }
kernel=$("$bin/stap-vm" --print-kernel --headers ${1:+-k "$1"})
release=$(sed -n "s/^release //p" <<<"$kernel")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
gcc -O2 -o "$work/waits" "$here/../vm/stack/_waits.c" -pthread -lutil
cat >"$work/script.stp" <<'END'
global site, kind, none
probe kernel.trace("sched:sched_switch") {
	if ($preempt || substr(execname(), 0, 2) != "w:") next
	t0 = local_clock_ns()
	t1 = local_clock_ns()
	s = wait_site()
	t2 = local_clock_ns()
	k = wait_kind()
	t3 = local_clock_ns()
	if (k == "") next
	none <<< t1 - t0
	// The first ones ask the kernel.
	if (warm[k, s]++ < 20) next
	site[k, s] <<< t2 - t1
	kind[k, s] <<< t3 - t2
}
global warm
probe end {
	foreach ([k, s] in site-) {
		printf("%s %s %d: site %d, kind %d\n", k, symname(s), @count(site[k, s]), @avg(site[k, s]) - @avg(none), @avg(kind[k, s]) - @avg(none))
		n += @count(site[k, s])
		sites += @sum(site[k, s])
		kinds += @sum(kind[k, s])
	}
	printf("all %d: site %d, kind %d\n", n, sites / n - @avg(none), kinds / n - @avg(none))
}
END
(cd "$work" && "$bin/stap" -r "$release" -p4 -w -m script script.stp >/dev/null)
# Without the module of the guest test the last ways are left out.
printf '%s\n' "cd $work" "$bin/staprun -w -c './waits 60 2>&1 >/dev/null || :' script.ko" >"$work/guest.sh"
mkdir "$work/bin"
printf '#!/bin/sh\nexec %s "$@" -icount shift=0,sleep=off\n' "$(command -v qemu-system-x86_64)" >"$work/bin/qemu-system-x86_64"
chmod +x "$work/bin/qemu-system-x86_64"
PATH=$work/bin:$PATH "$bin/stap-vm" -k "$release" --accel tcg --cpus 1 --timeout 3600 --hang 600 -- bash "$work/guest.sh" | tee "$work/out"
awk -v check=$check -v limit=$limit '
    $1 == "all" { any = 1; site = $4 + 0; kind = $6 + 0 }
    END { if (!any) exit 1; if (check && (site > limit || kind > limit)) { print "more than", limit; exit 1 } }' "$work/out"
