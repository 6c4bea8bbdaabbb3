# SPDX-License-Identifier: GPL-2.0-or-later
# Output that is lost without a reader is counted to the byte, reported, and makes the exit status 1.
#: long: buffers fill up many times
#: scripts: _flood.stp
#: timeout: 300
. "$AREA/_common.sh"
# loses_output: output of the session was lost. The number is TAPIR_IOC_STREAM, asked for the data of each CPU.
loses_output() {
    perl -e 'open(my $control, ">", "/proc/tapir-_flood/control") or exit 1;
        for my $cpu (0 .. $ARGV[0] - 1) {
            my $row = pack("LLQ6", 0, $cpu, (0) x 6);
            ioctl($control, 0xc038b70a, $row) or exit 1;
            exit 0 if (unpack("LLQ6", $row))[4];
        }
        exit 1' "$(nproc)"
}

check_loss() { # the loader's exit status, its stderr, the ledger, the output
    # The warning that staprun hits the probes itself is a record, too.
    local told=$(grep -c "^WARNING: staprun hits the script's probes" "$2")
    is_equal 'exit status' "$1" 1
    is_balanced "$3"
    [ "$(ledger_sum "$3" records dropped)" -gt 0 ] || fail 'nothing was lost'
    is_equal 'lines that arrived' "$(grep -c '^cpu [0-9]* some text to make the line as long as lines usually are$' "$4")" \
        $(($(ledger_sum "$3" records delivered) - 1 - told))
    is_equal 'lines printed' $(($(sed -n 's/^total //p' "$4") + 1 + told)) "$(ledger_sum "$3" records produced)"
    grep -q "^WARNING: $(ledger_sum "$3" records dropped) records of output were lost" "$2" || fail 'the loss is not reported'
    grep -q '^ledger: all streams: records' "$2" || fail 'the ledger is not printed'
    eventually 5 is_gone _flood
}

make_load
# staprun itself is stopped.
"$STAPRUN" --limit BUFFER_BYTES=65536 --ledger=ledger1 _flood.ko >out1 2>err1 &
pid=$!
starts out1
kill -STOP $pid
eventually 30 loses_output
kill -CONT $pid
kill -INT $pid
wait_for $pid
check_loss $status err1 ledger1 out1

# The reader of its output is stopped.
pipe=/dev/shm/staprun-pipe # a shared folder has no pipes
mkfifo $pipe
cat $pipe >out2 &
reader=$!
"$STAPRUN" --limit BUFFER_BYTES=65536 --ledger=ledger2 _flood.ko >$pipe 2>err2 &
pid=$!
starts out2
kill -STOP $reader
eventually 30 loses_output
kill -INT $pid
sleep 0.2 # the end probe waits for a reader
kill -CONT $reader
wait_for $pid
wait $reader
check_loss $status err2 ledger2 out2

# A reader that stays stopped cannot keep staprun: the third signal ends it.
cat $pipe >out3 &
reader=$!
"$STAPRUN" --limit BUFFER_BYTES=65536 --ledger=ledger3 _flood.ko >$pipe 2>err3 &
pid=$!
starts out3
kill -STOP $reader
eventually 30 loses_output
for signal in INT TERM HUP; do
    kill -$signal $pid
    sleep 0.3
done
wait_for $pid
kill -KILL $reader
is_equal 'exit status' $status 1
grep -q '^ERROR: Too many interrupts received, exiting.$' err3 || fail 'no message'
is_balanced ledger3
eventually 5 is_gone _flood
rm $pipe
