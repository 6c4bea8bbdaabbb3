# SPDX-License-Identifier: GPL-2.0-or-later
# Scripts start and end at random, three at a time, for SECONDS_OF_LOAD: some end by themselves, some are interrupted, some
# terminated, and some killed; while processors go and come and memory is short. Afterwards nothing is left, and the
# kernel has no more memory in use than after the first quarter of the time. MODULES names a file that lists the scripts.
#
# The debug kernel takes seconds of an emulated processor to start a process: what keeps it busy must leave most of the time to the
# scripts, and nothing here starts a process that bash can do without. The console tells once a minute how far it is.
#: host: cc -O2 -static -o hog "$AREA/_hog.c"
#: timeout: 7200
#: cpus: 2
lanes=3
of_kernel=(dummy crc7 loop)
out=$(mktemp -d)
mapfile -t modules <"$MODULES"
total_mb=$(awk '/^MemTotal:/ { print int($2 / 1024) }' /proc/meminfo)

loaded() { [ -d "/sys/module/$1" ]; }
# pause SECONDS: sleep(1) is a process.
mkfifo "$out/never"
exec {never}<>"$out/never"
pause() { read -r -t "$1" -u "$never" || :; }

# run_scripts LANE END SEED: those whose number leaves the remainder LANE, so that no two lanes load the same one.
run_scripts() {
    local lane=$1 end=$2 seed=$3 mine=() i module name pid how state status why
    for ((i = lane; i < ${#modules[@]}; i += lanes)); do
        # The kernel's own of that name, which switch_modules() loads, would be taken for it.
        [[ " ${of_kernel[*]} " = *" $(module=${modules[i]##*/}; echo "${module%.ko}") "* ]] || mine+=("${modules[i]}")
    done
    RANDOM=$((seed + lane))
    while [ "$SECONDS" -lt "$end" ]; do
        module=${mine[RANDOM % ${#mine[@]}]}
        name=${module##*/} name=${name%.ko} name=${name//[^[:alnum:]]/_}
        "$STAPRUN" --duration $((RANDOM % 5 + 1)) "$module" </dev/null >/dev/null 2>"$out/error.$lane" &
        pid=$!
        pause $((RANDOM % 6)).$((RANDOM % 10))
        case $((RANDOM % 4)) in
        0) how=KILL ;;
        1) how=TERM ;;
        2) how=INT ;;
        3) how= ;;
        esac
        [ -n "$how" ] && kill -"$how" $pid 2>/dev/null || how=ended
        # Where handlers take nearly all of the processor, a wait for armed scripts would not end.
        for ((i = 0; i < 30; i++)); do
            read -r _ _ state _ 2>/dev/null <"/proc/$pid/stat" && [ "$state" != Z ] || break
            pause 1
        done
        [ $i -lt 30 ] || [ "$how" = KILL ] || { kill -INT $pid 2>/dev/null && how=slow; }
        wait $pid 2>/dev/null && status=0 || status=$?
        # A killed staprun cannot remove the module.
        if loaded "$name"; then
            [ "$how" = KILL ] || { echo "$name stays after $how, status $status: $(cat "$out/error.$lane")" >>"$out/wrong" && return; }
            "$STAPRUN" -d "$name" 2>"$out/error.$lane" || :
            for ((i = 0; i < 600 * PATIENCE; i++)); do loaded "$name" && pause 0.1 || break; done
            ! loaded "$name" || { echo "$name stays after $how and staprun -d: $(<"$out/error.$lane")" >>"$out/wrong" && return; }
        fi
        read -r why <"$out/error.$lane" || :
        echo "$how $status $name $why" >>"$out/runs"
    done
}

switch_processors() {
    local end=$1 count online
    count=$(getconf _NPROCESSORS_CONF)
    RANDOM=$((SEED + 10))
    while [ "$SECONDS" -lt "$end" ]; do
        echo $((RANDOM % 2)) >/sys/devices/system/cpu/cpu$((RANDOM % (count - 1) + 1))/online
        pause $((RANDOM % 10 + 5))
    done
    for online in /sys/devices/system/cpu/cpu*/online; do echo 1 >"$online"; done
}

# Takes up to half of the memory; the kernel kills a process that takes more than two fifths.
use_memory() {
    local end=$1 pid
    RANDOM=$((SEED + 11))
    while [ "$SECONDS" -lt "$end" ]; do
        ( [ ! -d "$group" ] || echo $BASHPID >"$group/cgroup.procs"; exec ./hog $((total_mb * (RANDOM % 40 + 10) / 100)) ) &
        pid=$!
        pause $((RANDOM % 5 + 1))
        kill -KILL $pid 2>/dev/null || :
        wait $pid 2>/dev/null || :
        pause $((RANDOM % 10 + 10))
    done
}

switch_modules() {
    local end=$1 module
    RANDOM=$((SEED + 12))
    while [ "$SECONDS" -lt "$end" ]; do
        module=${of_kernel[RANDOM % ${#of_kernel[@]}]}
        if loaded "$module"; then modprobe -r "$module" 2>/dev/null || :; else modprobe "$module" 2>/dev/null || :; fi
        pause $((RANDOM % 8 + 2))
    done
    modprobe -ra "${of_kernel[@]}" 2>/dev/null || :
}

keep_busy() {
    local end=$1 file
    while [ "$SECONDS" -lt "$end" ]; do
        for file in /usr/bin/*; do [ ! -x "$file" ] || read -r -N 1000 _ <"$file" || :; done 2>/dev/null
        head -c 300000 /usr/bin/bash >"$out/busy"
        pause 5
    done
}

tell() {
    local end=$1 runs up load
    while :; do
        mapfile -t runs 2>/dev/null <"$out/runs" || runs=()
        read -r up _ </proc/uptime
        read -r load </proc/loadavg
        echo "soak: $SECONDS of $end s, ${#runs[@]} runs, up $up, load $load" >/dev/console
        pause 60
    done
}

# run_for SECONDS
run_for() {
    local end=$((SECONDS + $1)) jobs=() lane told
    for ((lane = 0; lane < lanes; lane++)); do
        run_scripts $lane $end $((SEED + $1)) &
        jobs+=($!)
    done
    switch_processors $end & jobs+=($!)
    switch_modules $end & jobs+=($!)
    use_memory $end & jobs+=($!)
    keep_busy $end & jobs+=($!)
    tell $end & told=$!
    for job in "${jobs[@]}"; do wait "$job" || fail "job $job of the soak failed: $(cat "$out"/error.* 2>/dev/null)"; done
    kill $told
    [ ! -s "$out/wrong" ] || fail "$(cat "$out/wrong")"
    is_equal 'what is left loaded' "$(foreign_modules)" ''
}

# kB of: slabs, per-CPU areas, vmalloc, after what is only cached has been given back (KASAN's quarantine, too).
memory_in_use() {
    local round shrink
    for round in 1 2 3; do
        echo 3 >/proc/sys/vm/drop_caches
        for shrink in /sys/kernel/slab/*/shrink; do echo 1 >"$shrink"; done
        pause 2
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
