# SPDX-License-Identifier: GPL-2.0-or-later
# Tasks, modules, mounts and sockets from /proc/kcore without a module: the same as a module sees by the same scripts, and as /proc has it.
#: requires: program perl ps
#: requires: debug-info
#: requires: file /proc/kcore
#: host: "$STAP" -p4 -r "$R" -m tasks -DMAXACTION=1000000 "$AREA/_kernel_lists.stp" >/dev/null
#: host: "$STAP" -p4 -r "$R" --core /proc/kcore -m tasks_of_kcore "$AREA/_kernel_lists.stp" >/dev/null
#: host: "$STAP" -p4 -r "$R" -m mounts run mounts >/dev/null
#: host: "$STAP" -p4 -r "$R" --core /proc/kcore -m mounts_of_kcore run mounts >/dev/null
#: host: "$STAP" -p4 -r "$R" --core /proc/kcore -m mounts_of_type run mounts --type '^tmpfs$' >/dev/null
#: host: "$STAP" -p4 -r "$R" -m sockets run sockets >/dev/null
#: host: "$STAP" -p4 -r "$R" --core /proc/kcore -m sockets_of_kcore run sockets >/dev/null
#: timeout: 180
#: long: a dozen scripts read the memory of the kernel
#: records: also

# A process with sockets of all kinds, and a file system whose name has a space.
mount -t tmpfs 'with space' "$(mktemp -d)"
local=$(mktemp -d)/local # the case's folder may be on a file system that has no sockets
perl -e 'use Socket; $| = 1;
    sub any { socket(my $s, $_[0], $_[1], 0) or die; push @all, $s; return $s }
    my $server = any(AF_INET, SOCK_STREAM);
    bind($server, sockaddr_in(4242, INADDR_ANY)) && listen($server, 5) or die "tcp: $!";
    bind(any(AF_INET, SOCK_DGRAM), sockaddr_in(4243, INADDR_ANY)) or die "udp: $!";
    bind(any(AF_INET6, SOCK_STREAM), Socket::pack_sockaddr_in6(4244, "\0" x 16)) or die "tcp6: $!";
    bind(any(AF_UNIX, SOCK_STREAM), pack_sockaddr_un($ARGV[0])) or die "unix: $!";
    bind(any(AF_UNIX, SOCK_DGRAM), pack("Sxa*", AF_UNIX, "abstract")) or die "unix: $!";
    socketpair(my $one, my $other, AF_UNIX, SOCK_STREAM, 0) or die;
    print "ready\n"; sleep 100000' "$local" >ready & holder=$!
eventually 30 grep -q ready ready

live() { "$STAPRUN" "$1.ko" >"$1.live"; }
dead() { "./$1_of_kcore" --core=/proc/kcore >"$1.kcore"; }
# listing NAME OPTION...: the rows of a tool without their times, in NAME.live and NAME.kcore.
listing() {
    local name=$1 how
    shift
    "$STAPRUN" "$name.ko" --format=csv "$@" >live.csv
    "./${name}_of_kcore" --core=/proc/kcore --format=csv "$@" >kcore.csv
    for how in live kcore; do tr -d '\r' <$how.csv | sed '1d; s/^[^,]*,//' >"$name.$how"; done
}
listed() { ps -eo pid=,ppid=,comm= | awk '{ print "task", $1, $2, substr($3, 1, 15) }' | sed 's,kworker/.*,kworker,' | sort; }
# of FILE: what begins with "task", likewise
tasks_of() { grep '^task' "$1" | awk '{ print $1, $2, $3, $4 }' | sed 's,kworker/.*,kworker,' | sort; }

listed >before
live tasks
dead tasks
listed >after
comm -12 before after >lasting
[ "$(wc -l <lasting)" -gt 10 ] || fail "few tasks last: $(cat lasting)"
for how in live kcore; do
    tasks_of tasks.$how >tasks
    is_equal "tasks that are missing in tasks.$how" "$(comm -23 lasting tasks)" ''
    # All others have begun meanwhile, or ended.
    awk '{ print $2 }' lasting >pids
    is_equal "tasks that tasks.$how has otherwise" "$(comm -13 lasting tasks | awk 'NR == FNR { lasts[$1] = 1; next } $2 in lasts' pids -)" ''
    is_equal "what task_*() say in tasks.$how" "$(grep -c 'not so' tasks.$how)" 0
    is_equal "modules in tasks.$how" "$(sed -n 's/^module //p' tasks.$how | grep -vx tasks | sort)" "$(cut -d ' ' -f 1 /proc/modules | sort)"
done

listing mounts
is_equal 'mounts' "$(cat mounts.kcore)" "$(cat mounts.live)"
# The mounts that this process can see: number, that of the parent, and the kind. Spaces are written otherwise there.
awk '{ for (i = 7; $i != "-"; i++); print $1, $2, $(i + 1), $(i + 2) }' /proc/self/mountinfo | sed 's/\\040/ /g' | sort >seen
awk -F, '{ print $1, $2, $4, $5 }' mounts.kcore | sort >mounts
is_equal 'mounts that are missing' "$(comm -23 seen mounts)" ''
grep -q 'tmpfs with space$' mounts || fail "the new mount: $(cat mounts)"
awk '{ print $1, $5 }' /proc/self/mountinfo | sort >places.seen
awk -F, '{ print $1, $3 }' mounts.kcore | sort >places
is_equal 'places of mounts' "$(comm -23 places.seen places)" ''
tmpfs=$(awk -F, '$4 == "tmpfs"' mounts.kcore)
"./mounts_of_type" --core=/proc/kcore --format=csv | tr -d '\r' | sed '1d; s/^[^,]*,//' >tmpfs
is_equal 'mounts of a type' "$(cat tmpfs)" "$tmpfs"

listing sockets
of_holder() { grep "^$holder," "$1" | sort; }
is_equal 'sockets' "$(of_holder sockets.kcore)" "$(of_holder sockets.live)"
is_equal 'descriptors' "$(of_holder sockets.kcore | awk -F, '{ print $2, "socket:[" $3 "]" }' | sort)" \
    "$(for fd in /proc/$holder/fd/*; do echo "${fd##*/} $(readlink "$fd")"; done | grep socket: | sort)"
number_of() { awk -F, -v "family=$1" -v "name=$2" '$4 == family && $7 == name { print $3 }' sockets.kcore; }
is_equal 'TCP' "$(number_of INET 0.0.0.0:4242)" "$(awk '$2 == "00000000:1092" { print $10 }' /proc/net/tcp)"
is_equal 'UDP' "$(number_of INET 0.0.0.0:4243)" "$(awk '$2 == "00000000:1093" { print $10 }' /proc/net/udp)"
is_equal 'a path' "$(number_of LOCAL "$local")" "$(awk -v "path=$local" '$8 == path { print $7 }' /proc/net/unix)"
is_equal 'a name without a file' "$(number_of LOCAL '@abstract')" "$(awk '$8 == "@abstract" { print $7 }' /proc/net/unix)"
is_equal 'sockets without a name' "$(of_holder sockets.kcore | grep -c "LOCAL,1,.,,$")" 2
cp sockets.kcore all
listing sockets "process=$holder"
is_equal 'sockets of a process' "$(sort sockets.kcore)" "$(grep "^$holder," all | sort)"
is_equal 'sockets of a process in the kernel' "$(sort sockets.live)" "$(grep "^$holder," all | sort)"
listing sockets "process=$holder" family=INET6
is_equal 'sockets of a family' "$(sort sockets.kcore)" "$(grep "^$holder,.*,INET6," all | sort)"
