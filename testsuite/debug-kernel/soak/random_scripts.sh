# SPDX-License-Identifier: GPL-2.0-or-later
# Scripts start and end at random, three at a time, for SECONDS_OF_LOAD: some end by themselves, some are interrupted, some
# terminated, and some killed; while processors go and come and memory is short. Afterwards nothing is left, and the
# kernel has no more memory in use than after the first quarter of the time. MODULES names a file that lists the scripts.
#: host: cc -O2 -static -o hog "$AREA/_hog.c"
#: timeout: 7200
#: cpus: 2
lanes=3
out=$(mktemp -d)
mapfile -t modules <"$MODULES"
total_mb=$(awk '/^MemTotal:/ { print int($2 / 1024) }' /proc/meminfo)

loaded() { grep -q "^$1 " /proc/modules; }
gone() { ! loaded "$1"; }

# run_scripts LANE END: those whose number leaves the remainder LANE, so that no two lanes load the same one.
run_scripts() {
    local lane=$1 end=$2 mine=() i module name pid
    for ((i = lane; i < ${#modules[@]}; i += lanes)); do mine+=("${modules[i]}"); done
    RANDOM=$((SEED + lane))
    while [ "$SECONDS" -lt "$end" ]; do
        module=${mine[RANDOM % ${#mine[@]}]}
        name=$(basename "$module" .ko)
        name=${name//[^[:alnum:]]/_}
        "$STAPRUN" --duration $((RANDOM % 5 + 1)) "$module" </dev/null >/dev/null 2>"$out/error.$lane" &
        pid=$!
        sleep $((RANDOM % 6)).$((RANDOM % 10))
        case $((RANDOM % 4)) in
        0) how=KILL ;;
        1) how=TERM ;;
        2) how=INT ;;
        3) how= ;;
        esac
        [ -n "$how" ] && kill -"$how" $pid 2>/dev/null || how=ended
        wait $pid 2>/dev/null && status=0 || status=$?
        # Who is killed cannot remove the module.
        if loaded "$name"; then
            [ "$how" = KILL ] || { echo "$name stays after $how, status $status: $(cat "$out/error.$lane")" >>"$out/wrong" && return; }
            "$STAPRUN" -d "$name" 2>"$out/error.$lane" || sleep 1
            eventually 60 gone "$name"
        fi
        echo "$how $status $name $(head -n 1 "$out/error.$lane")" >>"$out/runs"
    done
}

switch_processors() {
    local end=$1 count
    count=$(getconf _NPROCESSORS_CONF)
    RANDOM=$((SEED + 10))
    while [ "$SECONDS" -lt "$end" ]; do
        echo $((RANDOM % 2)) >/sys/devices/system/cpu/cpu$((RANDOM % (count - 1) + 1))/online
        sleep $((RANDOM % 3)).$((RANDOM % 10))
    done
    for online in /sys/devices/system/cpu/cpu*/online; do echo 1 >"$online"; done
}

# Up to half of the memory; whoever takes more than two fifths is killed by the kernel.
use_memory() {
    local end=$1 pid
    RANDOM=$((SEED + 11))
    while [ "$SECONDS" -lt "$end" ]; do
        ( [ ! -d "$group" ] || echo $BASHPID >"$group/cgroup.procs"; exec ./hog $((total_mb * (RANDOM % 40 + 10) / 100)) ) &
        pid=$!
        sleep $((RANDOM % 5 + 1))
        kill -KILL $pid 2>/dev/null || :
        wait $pid 2>/dev/null || :
    done
}

switch_modules() {
    local end=$1 module
    RANDOM=$((SEED + 12))
    while [ "$SECONDS" -lt "$end" ]; do
        for module in dummy crc7 loop; do
            [ $((RANDOM % 2)) = 0 ] && modprobe "$module" 2>/dev/null || modprobe -r "$module" 2>/dev/null || :
        done
        sleep 0.$((RANDOM % 10))
    done
    modprobe -ra dummy crc7 loop 2>/dev/null || :
}

keep_busy() {
    local end=$1
    while [ "$SECONDS" -lt "$end" ]; do
        find /usr/lib -maxdepth 3 -name '*.so*' -newer /etc/passwd >/dev/null 2>&1
        for i in 1 2 3 4 5; do
            head -c 300000 /usr/bin/bash | sha256sum >"$out/busy.$i"
            /bin/true
        done
        sleep 0.1
    done
}

# run_for SECONDS
run_for() {
    local end=$((SECONDS + $1)) jobs=() lane
    for ((lane = 0; lane < lanes; lane++)); do
        run_scripts $lane $end &
        jobs+=($!)
    done
    switch_processors $end & jobs+=($!)
    switch_modules $end & jobs+=($!)
    use_memory $end & jobs+=($!)
    keep_busy $end & jobs+=($!)
    for job in "${jobs[@]}"; do wait "$job" || fail "job $job of the soak failed: $(cat "$out"/error.* 2>/dev/null)"; done
    [ ! -s "$out/wrong" ] || fail "$(cat "$out/wrong")"
    is_equal 'what is left loaded' "$(foreign_modules)" ''
}

# kB of: slabs, per-CPU areas, vmalloc, after what is only cached has been given back (KASAN's quarantine, too).
memory_in_use() {
    local round shrink
    for round in 1 2 3; do
        echo 3 >/proc/sys/vm/drop_caches
        for shrink in /sys/kernel/slab/*/shrink; do echo 1 >"$shrink"; done
        sleep 2
    done 2>/dev/null
    awk '/^SUnreclaim:/ { slab = $2 } /^Percpu:/ { percpu = $2 } /^VmallocUsed:/ { vmalloc = $2 }
        END { print slab, percpu, vmalloc }' /proc/meminfo
}

# grown WHAT BEFORE AFTER MOST
grown() {
    [ $(($3 - $2)) -le "$4" ] || fail "$1: $2 kB after the first quarter, $3 kB at the end; at most $4 kB more are in order"
}

group=/sys/fs/cgroup/soak
if [ ! -e /sys/fs/cgroup/cgroup.procs ]; then mount -t cgroup2 none /sys/fs/cgroup || :; fi
if mkdir "$group" 2>/dev/null && echo +memory >/sys/fs/cgroup/cgroup.subtree_control; then
    echo $((total_mb * 2 / 5))M >"$group/memory.max"
    echo 1 >"$group/memory.oom.group"
fi
SEED=${SEED:-1} seconds=${SECONDS_OF_LOAD:-60}
run_for $((seconds / 4))
read -r slab percpu vmalloc <<<"$(memory_in_use)"
run_for $((seconds - seconds / 4))
read -r slab_now percpu_now vmalloc_now <<<"$(memory_in_use)"
cp "$out/runs" runs
{
    echo "# seed $SEED, ${#modules[@]} scripts, $seconds seconds"
    echo "# $(wc -l <runs) runs of $(cut -d ' ' -f 3 runs | sort -u | wc -l) scripts:$(cut -d ' ' -f 1 runs | sort | uniq -c | tr -s ' \n' ' ')"
    echo "# kB of slabs $slab, then $slab_now; per-CPU $percpu, $percpu_now; vmalloc $vmalloc, $vmalloc_now"
    awk '$1 == "ended" && $2 != 0 { print "# refused:", $3, $4, $5, $6, $7, $8, $9, $10, $11, $12 }' runs | sort | uniq -c
} | tee summary
# Every start that was refused said why.
if awk '$1 == "ended" && $2 != 0 && NF < 4' runs | grep . >&2; then fail 'these ended without a word'; fi
grown 'slabs' "$slab" "$slab_now" 16384
grown 'per-CPU areas' "$percpu" "$percpu_now" 2048
grown 'vmalloc' "$vmalloc" "$vmalloc_now" 4096
[ "$(wc -l <runs)" -ge $((seconds / 30)) ] || fail 'hardly any script ran'
