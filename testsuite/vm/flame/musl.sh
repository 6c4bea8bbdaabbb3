# SPDX-License-Identifier: GPL-2.0-or-later
# Pictures of a program whose C library, musl, has no unwind information: linked to it statically, with and without symbols, and
# dynamically. Status 0 each; at least 99 % of the samples are complete, and each of a thread ends where the thread begins.
#: host: ! command -v musl-gcc || for how in '-static' '-static -s' '-fno-pie -no-pie'; do musl-gcc -O2 -pthread $how -o "musl$(printf %s "$how" | tr -d ' ')" "$AREA/_musl.c" || exit; done
#: host: for t in oncpu offcpu; do "$STAP" -p4 -r "$R" -m $t -c /bin/true run $t >/dev/null || exit; done
#: timeout: 300
#: long: three programs are sampled for seconds, twice each
#: records: no, it makes pictures
[ -e musl-static ] || skip 'musl-gcc is not installed'
seconds=${SECONDS_OF_LOAD:-4}
# sum FILE FRAME...: of the samples with these frames, in this order.
sum() {
    local file=$1 pattern
    shift
    pattern=$(printf ';%s(;.*)?' "$@")
    awk -v f="${pattern%"(;.*)?"}[; ]" '!/^#/ && (";" $0) ~ f { s += $NF } END { print s + 0 }' $file
}
for program in musl-static musl-static-s musl-fno-pie-no-pie; do
    for tool in oncpu offcpu; do
        file=$program-$tool.folded status=0
        "$STAPRUN" $tool.ko -o $file -c "./$program $seconds" >out 2>err || status=$?
        grep '^# \(quality\|missing\|without\)' $file || :
        # Functions of a stripped program have no names, which is another matter.
        case $program:$status in *-s:3 | *:0) ;; *) cat err; fail "$program, $tool: status $status" ;; esac
        grep -q '^[1-9][0-9]* turns$' out || fail "$program: $(cat out)"
        complete=$(sed -n 's/^# quality: [> ]*\([0-9.]*\) % complete.*/\1/p' $file)
        awk -v c="${complete:-0}" 'BEGIN { exit !(c >= 99) }' || fail "$program, $tool: $complete % complete"
    done
done
# The shared library is stripped: nothing names its function `start`.
for program in musl-static musl-fno-pie-no-pie; do
    start=start cpu=$program-oncpu.folded waits=$program-offcpu.folded
    [ $program = musl-static ] || start=
    for frames in "$start work sort by_value" 'main sort by_value' 'work format snprintf' 'work allocate'; do
        [ "$(sum $cpu $frames)" -gt 0 ] || { head -50 $cpu; fail "$cpu: no samples of $frames"; }
    done
    for frames in "$start work descend descend nap" 'main descend' "$start await" "$start take read"; do
        [ "$(sum $waits $frames)" -gt 0 ] || { head -50 $waits; fail "$waits: no samples of $frames"; }
    done
done
