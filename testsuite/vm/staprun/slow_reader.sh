# SPDX-License-Identifier: GPL-2.0-or-later
# The end probe waits for a reader as long as there is one: of a pipe that takes nothing, of staprun itself that is stopped. A
# reader that goes ends that, and so does the second signal; then what is lost is counted, and said.
#: scripts: _ends_long.stp
#: long: it waits until nothing is produced any more, four times
#: timeout: 120
. "$AREA/_common.sh"
pipe=/dev/shm/staprun-slow # a shared folder has no pipes
mkfifo $pipe
lines=40001

# Starts a session whose output goes to the pipe, and a reader that takes the first line; then it takes nothing until a file `go`
# appears. Leaves them in $staprun and $reader. The session is then asked to end.
begin() {
    rm -f go out
    (
        read -r line
        echo "$line" >out
        until [ -e go ]; do sleep 0.05; done
        cat >>out
    ) <$pipe &
    reader=$!
    "$STAPRUN" --limit BUFFER_BYTES=65536 --limit MAXACTION_INTERRUPTIBLE=1000000 --ledger=ledger _ends_long.ko >$pipe 2>err &
    staprun=$!
    eventually 30 test -s out
    kill -TERM $staprun
}

# Records are where no reader takes them: the end probe has filled the buffers. The amount produced stays the same for three looks.
waits() {
    local before= now same=0
    until [ $same = 3 ]; do
        now=$(perl -e 'open(my $control, ">", "/proc/tapir-_ends_long/control") or exit 1; my $sum = 0;
            for my $cpu (0 .. $ARGV[0] - 1) {
                my $row = pack("LLQ6", 0, $cpu, (0) x 6);
                ioctl($control, 0xc038b70a, $row) or exit 1;
                $sum += (unpack("LLQ6", $row))[3];
            }
            print $sum' "$(nproc)") || fail 'the module does not answer'
        [ "$now" = "$before" ] && [ "$now" -gt 100000 ] && same=$((same + 1)) || same=0
        before=$now
        sleep 1
    done
}

begin
waits
touch go
wait_for $staprun
wait $reader
is_equal 'exit status' $status 0
is_equal 'messages' "$(cat err)" ''
is_equal 'lines' "$(wc -l <out)" $lines
is_balanced ledger
is_equal 'records dropped' "$(ledger_sum ledger records dropped)" 0

# staprun itself is stopped.
begin
touch go
kill -STOP $staprun
waits
kill -CONT $staprun
wait_for $staprun
wait $reader
is_equal 'exit status after staprun was stopped' $status 0
is_equal 'lines after staprun was stopped' "$(wc -l <out)" $lines

# The second signal.
begin
waits
kill -TERM $staprun
wait_for $staprun
kill $reader
is_equal 'exit status after two signals' $status 1
grep -q '^ERROR: Gave up writing: the reader of the output takes nothing$' err || fail 'the reader is not blamed'
grep -q '^WARNING: probe end was interrupted$' err || fail 'the end probe goes on'
grep -q '^ledger: staprun: read .* bytes of output, lost [1-9]' err || fail 'the loss is not reported'
is_balanced ledger

# A reader that goes.
begin
waits
kill $reader
wait_for $staprun
is_equal 'exit status without a reader' $status 1
grep -q '^WARNING: the reader of stdout has gone; stopping$' err || fail 'no word of the reader'
is_equal 'records dropped without a reader' "$(ledger_sum ledger records dropped)" 0
eventually 5 is_gone _ends_long

# The session does not wait for a user who only ends or loads it, and does not read.
"$STAPRUN" -L --limit MAXACTION_INTERRUPTIBLE=1000000 --limit BUFFER_BYTES=65536 _ends_long.ko
"$STAPRUN" -d _ends_long
is_gone _ends_long || fail 'the module is still there'
rm $pipe
