# SPDX-License-Identifier: GPL-2.0-or-later
# signal.* against a program that knows which signals it sends, handles and blocks.
#: scripts: _signal.stp
#: requires: debug-info
#: host: cc -O2 -static -o signal "$AREA/_signal.c"
"$STAPRUN" _signal.ko -c ./signal >out
cat out
handler=$(sed -n 's/^handler //p' out)
# Which of its copies the compiler made of the function that wakes up says what of the state is left; newer kernels wake up who is traced, too.
sed '/^handler /d; s/^wakeup signal 1 TASK_INTERRUPTIBLE | \(TASK_TRACED | \)\?TASK_WAKEKILL$/wakeup signal -1 /' out >seen
cat >expected <<END
action SIGUSR1 1 $handler [12,40]
action SIGTERM 0 0 []
action SIGRTMIN+3 1 $handler []
action SIGRTMIN+8 1 $handler []
syskill SIGUSR1 1 1 signal
check SIGUSR1 SI_USER signal
ignored? SIGUSR1 1 signal
send 10 SIGUSR1 SI_USER 1 signal 1 1 1
handle SIGUSR1 0 User Mode Signal 1 RESTART|RESTORER
systgkill SIGUSR1 1 1 signal
check SIGUSR1 SI_TKILL signal
ignored? SIGUSR1 1 signal
send 10 SIGUSR1 SI_TKILL 0 signal 1 1 1
handle SIGUSR1 -6 User Mode Signal 1 RESTART|RESTORER
action SIGCONT 1 1 [18]
syskill SIGCONT 1 1 signal
check SIGCONT SI_USER signal
ignored? SIGCONT 1 signal
send 18 SIGCONT SI_USER 1 signal 1 1 1
check SIGRTMIN+8 SI_QUEUE signal
ignored? SIGRTMIN+8 1 signal
send 40 SIGRTMIN+8 SI_QUEUE 1 signal 1 1 1
handle SIGRTMIN+8 -1 User Mode Signal 1 RESTORER
queue 35 SIGRTMIN+3 1 signal
timed 35 SIGRTMIN+3 SI_TIMER 1
handle SIGRTMIN+3 -2 User Mode Signal 1 RESTORER
mask 0 [10,14] 0
syskill SIGUSR1 1 1 signal
check SIGUSR1 SI_USER signal
ignored? SIGUSR1 1 signal
send 10 SIGUSR1 SI_USER 1 signal 1 1 1
pending 8
blocked 1100
systkill 0 1 1 signal
check 0 SI_TKILL signal
mask 2 [] 0
handle SIGUSR1 0 User Mode Signal 1 RESTART|RESTORER
syskill SIGKILL 0 1 signal
check SIGKILL SI_USER signal
ignored? SIGKILL 0 signal
wakeup signal -1 
send 9 SIGKILL SI_USER 1 signal 0 0 1
send 17 SIGCHLD SI_KERNEL 1 signal 0 1 1
send 12 SIGUSR2 SI_USER 1 signal 1 0 1
segv SIGUSR2 1 signal
send 11 SIGSEGV SI_KERNEL 0 signal 1 0 1
send 17 SIGCHLD SI_KERNEL 1 signal 0 1 1
result check_ignored 0 5
result check_ignored 1 1
result checkperm 0 7
result do_action 0 5
result handle 0 5
result pending 0 1
result procmask 0 2
result send_signal 0 0 1
result send_signal 1 0 5
result syskill 0 4
result systgkill 0 1
result systkill 0 1
END
diff expected seen || fail 'signals differ'
