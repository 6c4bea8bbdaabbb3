# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# guest.sh STAPRUN PAIRS LOADS: what run.sh does in the guest. Leaves in PAIRS/NUMBER: rows and out of ours, peer and peer.err of the other one, said
# of the load, and `counts`.
set -u
staprun=$1 pairs=$2
export W=$pairs PATIENCE=10
. "$(dirname "$0")/../../vm/lib.sh"
. "$(dirname "$0")/../../vm/tool/_tools.sh"
mkdir -p /run/beside
cd /run/beside
cp "$3"/{app,peer,mach,both.pem} .
cp "$(dirname "$0")/../../vm/programs/_tls.py" tls.py
ip link set lo up
modprobe -a loop ext4 xfs sch_netem 2>/dev/null
# new_disk NAME SIZE: a device of this size
new_disk() { truncate -s "$2" "$1.img" && losetup -f --show "$1.img"; }
for kind in ext4 xfs; do
    device=$(new_disk $kind 512M)
    mkdir $kind
    [ ! -x /usr/sbin/mkfs.$kind ] || { mkfs.$kind -q "$device" && mount "$device" $kind; }
done
swap=$(new_disk swap 64M)
mkswap "$swap" >/dev/null && swapon "$swap"
echo 0 >/proc/sys/vm/page-cluster
groups=/sys/fs/cgroup
echo +memory >$groups/cgroup.subtree_control
mkdir $groups/small $groups/swapped
echo 8M >$groups/small/memory.max
echo 0 >$groups/small/memory.swap.max
echo 8M >$groups/swapped/memory.max

# Adds up the histograms of bpftrace.
histogram() { sed -nE 's/^[[(][^])]*[])] *([0-9]+) *\|.*/\1/p' | awk '{ n += $1 } END { print n + 0 }'; }

# counted FILE PROTOCOL NAME: how much this counter of /proc/net rose between its two copies in FILE
counted() {
    awk -v p="$2:" -v name="$3" '$1 == p && $2 !~ /^[0-9-]/ { n = 0; for (i = 2; i <= NF; i++) if ($i == name) n = i; next }
        $1 == p && n { rose = $n - before; before = $n } END { print rose + 0 }' "$1"
}

# both_watch MODULE PID: waits until the session is armed, and the peer waits for events: it is in one of these system calls twice in a row. Alone: a
# program started meanwhile would be counted.
cat >both_watch <<'END'
my ($module, $peer) = @ARGV;
sub is_armed {
    open(my $control, '>', "/proc/tapir-$module/control") or return 0;
    my $status = "\0" x 48;
    return ioctl($control, 0x8030b70b, $status) && unpack('L', $status) == 2;
}
my %waits = map { $_ => 1 } (7, 23, 34, 35, 61, 230, 232, 247, 270, 271, 281);
my $seen = 0;
for (my $end = time + 400; time < $end; select(undef, undef, undef, 0.3)) {
    open(my $call, '<', "/proc/$peer/syscall") or exit 1;
    my $text = <$call> // '';
    $seen = $text =~ /^(\d+) / && $waits{$1} ? $seen + 1 : 0;
    exit 0 if $seen >= 3 && is_armed();
}
exit 1;
END

# pause SECONDS: without a process, which pairs would count
mkfifo never
pause() { read -r -t "$1" _ <>never; }
# ends PID: waits for one that was interrupted, interrupts it again when it does not end, and kills it in the end
ends() {
    local signal i
    for signal in 0 INT KILL; do
        kill -$signal $1 2>/dev/null || return 0
        for ((i = 0; i < 40; i++)); do
            kill -0 $1 2>/dev/null || return 0
            pause 0.5
        done
    done
}

for place in $(ls -d "$pairs"/*/ | sort -V); do
    place=${place%/} number=$(basename "$place")
    while IFS=$'\t' read -r key value; do printf -v "$key" '%s' "$value"; done <"$place/pair"
    echo "$number: $tool"
    format=csv
    [[ $tool != probe* ]] || format=text
    # shellcheck disable=SC2086 # words
    "$staprun" -w --format=$format "$place/beside_$number.ko" $set >"$place/out" 2>"$place/err" &
    session=$!
    PYTHONUNBUFFERED=1 BPFTRACE_STRLEN=64 $peer >"$place/peer" 2>"$place/peer.err" &
    other=$!
    if perl both_watch "beside_$number" $other; then
        timeout 300 bash -c "$load" >"$place/said" 2>"$place/said.err" </dev/null
        pause 2
    fi
    kill -INT $session $other
    ends $session
    ends $other
    wait $session
    echo "session $?" >"$place/counts"
    wait $other
    echo "peer $?" >>"$place/counts"
    values "$place/out" >"$place/rows"
    {
        echo "own $(cd "$place" && eval "$own")"
        echo "ours $(cd "$place" && eval "$ours" <rows)"
        echo "theirs $(cd "$place" && eval "$theirs" <peer)"
    } >>"$place/counts"
    cat "$place/counts"
done
