#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Scripts on a process that lives, from the outside (--snapshot): the same output as on its core, and that it goes on.
#
# Usage: snapshot.sh BIN
BIN=$1
. "$(dirname "$0")/lib.sh"

build program -O0
start program 1000 3
gcore_of "$pid"

state() { sed -n 's/^State:\s*\(.\).*/\1/p' "/proc/$1/status"; }
is_state() { [ "$(state "$1")" = "$2" ]; }

# ---- the same output as on the core, byte for byte

walked=$(cat "$here/walk.expect")
for how in "" =stop =run; do
    run_stap -x "$pid" --snapshot$how "$here/walk.stp"
    expect "walk.stp by --snapshot$how" "$walked" "$out"
    expect "status of --snapshot$how" 0 "$status"
done
expect "what is said of a process that is not stopped" "" "$err"
is_state "$pid" S || fail "the process does not go on: $(state "$pid")"
run_stap -x "$pid" --snapshot "$here/walk.stp"
grep -qxE "process $pid stood still for [0-9]+\.[0-9] ms" <<<"$err" || fail "how long it stood still: $err"
run_stap -x "$pid" --snapshot -w "$here/walk.stp"
expect "what is said with -w" "" "$err"

stacks='probe process.thread.snapshot { println(tid(), " ", ubacktrace()) }'
threads='probe process.thread.snapshot { printf("%d %d\n", tid() == pid(), @var("per_thread")) }'
lines='probe process.snapshot { print_ubacktrace_fileline() println(usymname(uaddr())) }'
for script in "$stacks" "$threads" "$lines"; do
    run_stap --core "$core" -DMAXSTRINGLEN=4096 -e "$script"
    of_core=$(sort <<<"$out")
    [ -n "$of_core" ] || fail "no output of $script: $err"
    run_stap -x "$pid" --snapshot -DMAXSTRINGLEN=4096 -e "$script"
    expect "live and dead: $script" "$of_core" "$(sort <<<"$out")"
done

# Kernels and debuggers leave memory out of cores that was only reserved.
ranges='probe process.snapshot { for (at = crash_memory_next(0); at; at = crash_memory_next(crash_memory_end(at))) printf("%x-\n", at) }'
run_stap --core "$core" -e "$ranges"
of_core=$out
run_stap -x "$pid" --snapshot -e "$ranges"
[ -n "$of_core" ] && [ -z "$(grep -vxF "$out" <<<"$of_core")" ] || fail "ranges of memory, dead: $of_core, live: $out"

# ---- pictures and tables: 4 threads, in a pipe, on a terminal of 60 columns, and there with --compatible

tables='global seen, size
probe process.thread.snapshot { seen["thread"] <<< 100; size["x"] <<< 5000 }
probe end { print(@hist_log(size["x"], "ns")); print(@hist_log(size, "ns")) }'
# picture COLUMNS WHAT_FOLLOWS_THE_PERCENTILES SHAPE
picture() {
    printf 'size["x"]%*s4 samples, sum 20 us\n' $(($1 - 29)) ''
    printf '4.10 us |%s  4  100.0 %%\n' "$(printf '@%.0s' $(seq $(($1 - 21))))"
    printf 'median up to 5 us    90 %% up to 5 us    99 %% up to 5 us%smax 5 us\n\n' "$2"
    printf 'size  COUNT   MEDIAN     99 %%   MAX  4.10 us\nx         4  <= 5 us  <= 5 us  5 us  %s\n\n' "$3"
}
on_terminal() {
    script -qec "stty cols 60; LC_ALL=C '$BIN/stap' $1 -w -x $pid --snapshot -e '$tables'" /dev/null </dev/null | tr -d '\r'
}
lines='seen["thread"] @count=4 @min=100 @max=100 @sum=400 @avg=100'
LC_ALL=C run_stap -w -x "$pid" --snapshot -e "$tables"
expect "a picture in a pipe" "$(picture 100 '    ' @@@; echo "$lines")" "$out"
expect "the same with --compatible" "$(picture 60 $'\n' @; echo "$lines")" "$(on_terminal --compatible=5.6)"
expect "tables on a terminal" "$(picture 60 $'\n' @
    printf 'seen    COUNT  SUM  MIN  AVG  MAX\nthread      4  400  100  100  100\n\n')" "$(on_terminal '')"

# ---- nothing is stopped: places are known, other registers are not

run_stap -x "$pid" --snapshot=run -DMAXSTRINGLEN=4096 -e 'probe process.thread.snapshot { println(usymname(ustack(0)) != "") }'
expect "places of threads that sleep" "1
1
1
1" "$out"
run_stap -x "$pid" --snapshot=run -e 'probe process.snapshot { try { println(@var("per_thread")) } catch (e) { println(e) } }'
grep -q 'register 58 is not known here' <<<"$out" || fail "a variable of a thread: $out"
run_stap -x "$pid" --snapshot=run -e 'probe process.snapshot { try { println(register("rdi")) } catch (e) { println(e) } }'
expect "a register" "register 'rdi' is not available at this probe point" "$out"

cat >"$work/busy.c" <<'END'
#include <stdio.h>
volatile long counter;
int main(void) { puts("ready"); fflush(stdout); for (;;) counter++; }
END
gcc -g -o "$work/busy" "$work/busy.c"
idle=$pid
start busy
run_stap -x "$pid" --snapshot=run -e 'probe process.snapshot { println(@var("counter") > 0) print_ubacktrace() }'
expect "a process that runs" 1 "$out"
expect "what is said of it" "WARNING: not known where these threads stand, which were running: $pid" "$err"
run_stap -x "$pid" --snapshot -e 'probe process.snapshot { println(usymname(uaddr()), " ", @var("counter") == @var("counter")) }'
expect "the same, stopped" "main 1" "$out"

# ---- it goes on after any end of the script

"$BIN/stap" -x "$pid" --snapshot -e 'global n probe process.snapshot { println("on"); while (1) n++ }
    probe end { println("end ", n > 0) }' >"$work/interrupted" 2>"$work/err" &
stap=$!
started="$started $stap"
patiently 60 grep -q on "$work/interrupted" || fail "no output before the end"
is_state "$pid" t || fail "it is not stopped while the script looks: $(state "$pid")"
pkill -INT -P "$stap"
wait "$stap"
expect "a script that is interrupted" "on
end 1" "$(cat "$work/interrupted")"
patiently 20 is_state "$pid" R || fail "it does not go on after an interruption"

"$BIN/stap" -x "$pid" --snapshot -e 'global n probe process.snapshot { println("on"); while (1) n++ }' >"$work/killed" 2>&1 &
stap=$!
patiently 60 grep -q on "$work/killed" || fail "no output before the end"
{ kill -KILL "$stap" && wait "$stap"; } 2>/dev/null
patiently 20 is_state "$pid" R || fail "it does not go on after stap was killed"

run_stap -x "$idle" --snapshot -e 'probe process.snapshot { println(@cast(8, "node")->value) }'
[ "$status" != 0 ] || fail "an error is none"
patiently 20 is_state "$idle" S || fail "it does not go on after an error"

kill -STOP "$pid"
patiently 20 is_state "$pid" T || fail "it does not stop"
run_stap -x "$pid" --snapshot -e 'probe process.snapshot { println(1) }'
expect "a process that somebody has stopped" 1 "$out"
patiently 20 is_state "$pid" T || fail "it goes on although somebody has stopped it: $(state "$pid")"
kill -CONT "$pid"

# ---- frames: where they are is known once the process stands still, and then the script is compiled

frames='probe process.frame("*") { printf("%d %d %s %s | %s\n", tid(), uframe(), pp(), $$vars, $$vars$$) }
    probe process.library("libc.so.6").frame("*") { println(tid(), " ", pp(), " ", uframe()) }
    probe process.frame("wait_here") { printf("%d %d %d\n", tid(), $number, @var("per_thread")) }'
run_stap --core "$core" -e "$frames"
of_core=$(sort <<<"$out")
[ "$(grep -c 'frame("wait_here@' <<<"$of_core")" = 4 ] || fail "frames of the core: $out $err"
for how in first again; do
    run_stap -x "$idle" --snapshot -vv -e "$frames"
    expect "frames of the process and its core, $how" "$of_core" "$(sort <<<"$out")"
    expect "how often it stood still, $how" 1 "$(grep -cxE "process $idle stood still for [0-9]+\.[0-9] ms" <<<"$err")"
    is_state "$idle" S || fail "it does not go on after a script with frames"
done
grep -q "using cached" <<<"$err" || fail "an unchanged script is compiled again: $err"
run_stap -x "$idle" --snapshot -w -e 'probe process.frame("crash") { println(1) } probe process.snapshot { println("seen") }'
expect "a function that is on no stack" seen "$out"
expect "what is said with -w" "" "$err"
run_stap -x "$pid" --snapshot -w -e 'probe process.frame("main") { println(@var("counter") == @var("counter"), " ", usymname(uaddr())) }'
expect "frames of what runs" "1 main" "$out"
run_stap -x "$idle" --snapshot -e 'probe process.frame("wait_here") { println($nonsense) }'
[ "$status" != 0 ] || fail "an error is none"
grep -q "process $idle stood still for" <<<"$err" || fail "how long it stood still for a script in vain: $err"
is_state "$idle" S || fail "it does not go on after an error of translation"
kill -STOP "$pid"
patiently 20 is_state "$pid" T || fail "it does not stop"
run_stap -x "$pid" --snapshot -w -e 'probe process.frame("main") { println(1) }'
expect "frames of what somebody has stopped" 1 "$out"
patiently 20 is_state "$pid" T || fail "it goes on although somebody has stopped it: $(state "$pid")"
kill -CONT "$pid"
patiently 20 is_state "$pid" R || fail "it does not go on"

cat >"$work/deep.c" <<'END'
#include <stdio.h>
#include <unistd.h>
volatile int depth;
static int rec(int n) { if (n == 0) { puts("ready"); fflush(stdout); for (;;) pause(); } return rec(n - 1) + depth; }
int main(void) { int marker = 4242; return rec(50000) + marker; }
END
gcc -g -O0 -o "$work/deep" "$work/deep.c" || fail "it does not compile"
busy=$pid
start deep
run_stap -x "$pid" --snapshot -w -e 'global n, last probe process.frame("rec") { n++ last = $n }
    probe process.frame("main") { println($marker, " ", uframe() > 50000) } probe end { println(n, " ", last) }'
expect "a deep stack" "4242 1
50001 50000" "$out"
pid=$busy

cat >"$work/in_vfork.c" <<'END'
#include <pthread.h>
#include <unistd.h>
static void *waits(void *p) { if (vfork() == 0) { sleep(1000); _exit(0); } return p; }
int main(void) { pthread_t thread; pthread_create(&thread, 0, waits, 0); pthread_join(thread, 0); }
END
gcc -g -pthread -o "$work/in_vfork" "$work/in_vfork.c" || fail "it does not compile"
"$work/in_vfork" &
waiting=$!
started="$started $waiting"
in_vfork() { grep -lE "^State:\s*D" "/proc/$waiting"/task/*/status 2>/dev/null | cut -d/ -f5; }
is_in_vfork() { [ -n "$(in_vfork)" ]; }
patiently 20 is_in_vfork || fail "no thread waits in vfork()"
run_stap -x "$waiting" --snapshot -e 'probe process.frame("waits") { println(1) } probe process.frame("main") { println("main") }'
expect "a thread that does not stop" main "$out"
grep -qF "process.frame(\"waits\") is never hit: no thread of the process stands in it, as far as is known: the stack of thread $(in_vfork) ends too early" \
    <<<"$err" || fail "what is said of a thread that does not stop: $err"
pkill -P "$waiting"

# The compiler says that it is there, and waits.
mkdir "$work/bin"
cat >"$work/bin/gcc" <<END
#!/bin/bash
echo there >>"$work/compiles"
read -r _ <>"$work/never"
END
chmod +x "$work/bin/gcc"
mkfifo "$work/never"
compiles() { [ "$(grep -c . "$work/compiles" 2>/dev/null)" = "$1" ]; }
count=0
for signal in KILL INT TERM; do
    # The shell has those that it starts in the background ignore Ctrl-C.
    PATH=$work/bin:$PATH env --default-signal=INT "$BIN/stap" -x "$pid" --snapshot -e "probe process.frame(\"main\") { println(\"$signal\") }" >"$work/killed" 2>&1 &
    stap=$!
    started="$started $stap"
    count=$((count + 1))
    patiently 60 compiles $count || fail "the script is not compiled: $(cat "$work/killed")"
    is_state "$pid" t || fail "it is not stopped while the script is compiled: $(state "$pid")"
    { kill -"$signal" "$stap" && wait "$stap"; } 2>/dev/null
    patiently 20 is_state "$pid" R || fail "it does not go on after SIG$signal while the script was compiled"
done
# At any moment.
for moment in 0.00 0.01 0.02 0.04 0.08 0.16; do
    "$BIN/stap" -x "$pid" --snapshot -e "global n probe process.frame(\"main\") { println(\"$moment\") while (1) n++ }" >"$work/killed" 2>&1 &
    stap=$!
    sleep "$moment"
    { kill -KILL "$stap" && wait "$stap"; } 2>/dev/null
    patiently 20 is_state "$pid" R || fail "it does not go on after stap was killed $moment s after its start"
done

# ---- signals that come while it stands still, also if stap is killed then

gcc -g -o "$work/signalled" "$here/signalled.c" && gcc -shared -fPIC -o "$work/slow_ptrace.so" "$here/slow_ptrace.c" -ldl ||
    fail "it does not compile"
"$work/signalled" >"$work/missing" &
signalled=$!
started="$started $signalled"
said_or_ended() { grep -qs on "$work/killed" || ! kill -0 "$stap" 2>/dev/null; }
for round in 0 1 2 3; do
    rm -f "$work/killed"
    LD_PRELOAD=$work/slow_ptrace.so "$BIN/stap" -x "$signalled" --snapshot -e 'global n probe process.snapshot { println("on") while ('$((round % 3))') n++ }' >"$work/killed" 2>&1 &
    stap=$!
    patiently 60 said_or_ended
    grep -q on "$work/killed" || fail "no output of a process that gets signals: $(cat "$work/killed")"
    { pkill -KILL -P "$stap"; kill -KILL "$stap" && wait "$stap"; } 2>/dev/null
done
kill -TERM "$signalled"
wait "$signalled"
expect "signals that are missing" "0 of some" "$(cat "$work/missing")"

# ---- a program whose file is gone

start program 10 1
rm "$work/program"
run_stap -x "$pid" --snapshot -e 'probe process.snapshot { println(user_string(@var("greeting")), " ", usymname(ustack(1)) != "") }'
expect "a file that was deleted" "hello from the process 1" "$out"

# ---- frames of an interpreter, as many as are wanted: the program knows how deep it is

if [ -x /usr/bin/python3.11 ]; then
    printf '%s\n' '#!/usr/bin/python3.11' 'import sys, time' 'sys.setrecursionlimit(5000)' 'def down(n):' \
        '    if n: return down(n - 1)' '    print("ready", flush=True)' '    time.sleep(1000)' 'down(int(sys.argv[1]))' >"$work/recurses"
    chmod +x "$work/recurses"
    numbers='function frames:long (stack:string) { for (n = 0; tokenize(stack, ";") != ""; n++) stack = ""; return n }
    probe process.snapshot {
        println(frames(py_stack()), " ", frames(py_stack(-1)), " ", frames(py_stack(3)),
            " ", py_stack(-1) == py_stack(), " ", substr(py_stack(-1), 0, 4))
        try { println(py_stack(0)) } catch (why) { println(why) }
        try { println(py_stack(-2)) } catch (why) { println(why) } }'
    wrong='py_stack: the number of frames must be at least 1, or -1 for all, not'
    start recurses 7 # and two frames more: the module, and the innermost call
    run_stap -DMAXSTRINGLEN=16000 -x "$pid" --snapshot -e "$numbers"
    expect "numbers of frames: $err" "9 9 3 1 <mod
$wrong 0
$wrong -2" "$out"
    start recurses 700
    run_stap -DMAXSTRINGLEN=16000 -x "$pid" --snapshot -e "$numbers"
    expect "numbers of frames beyond the limit: $err" "513 513 3 1 ...;
$wrong 0
$wrong -2" "$out"
fi

# ---- refused

refused() { # TEXT ARGUMENT...: of a script that looks at $point
    local text=$1
    shift
    run_stap "$@" -e "probe process.${point:-snapshot} { println(1) }"
    [ "$status" != 0 ] || fail "it is taken: $*"
    grep -qF -- "$text" <<<"$err" || fail "the reason why '$*' is refused: $err"
}
refused "process 2147483647" -x 2147483647 --snapshot
frames_refused() { # TEXT ARGUMENT...
    point='frame("main")' refused "$@"
    grep -q "stood still" <<<"$err" && fail "a process is stopped for nothing: $err"
}
frames_refused 'cannot probe process.frame("main"): a process has to stand still for its frames, and this one runs on; use --snapshot=stop' \
    -x "$idle" --snapshot=run
frames_refused 'what pass 4 leaves knows the frames of the run that stops the process alone; leave out -p4' -p4 -x "$idle" --snapshot
refused "A snapshot is of a process that runs already: -x PID --snapshot, without -c." --snapshot
refused "Invalid value 'later' for --snapshot (should be stop or run)." -x "$pid" --snapshot=later
mkfifo "$work/commands"
exec {commands}<>"$work/commands"
gdb -q -nx -p "$idle" <"$work/commands" >"$work/gdb.log" 2>&1 {commands}>&- &
gdb=$!
started="$started $gdb"
patiently 60 grep -q "^TracerPid:.*[1-9]" "/proc/$idle/status" || fail "GDB does not attach"
run_stap -x "$idle" --snapshot -e 'probe process.frame("main") { println(1) }'
grep -qF "is being traced by process $gdb (gdb), and only one may" <<<"$err" || fail "frames of a process under a debugger: $err"
refused "is being traced by process $gdb (gdb), and only one may; end that one, or do not stop the process: --snapshot=run" \
    -x "$idle" --snapshot
run_stap -x "$idle" --snapshot=run "$here/walk.stp"
exec {commands}>&- # GDB reads no more: it detaches and ends
wait "$gdb"

[ "$failures" = 0 ] && echo "all passed" || { echo "$failures failed"; exit 1; }
