# SPDX-License-Identifier: GPL-2.0-or-later
# _interrupt.pl STAPRUN MODULE SIGNALS MS: starts a session, sends staprun the signals (TERM, KILL or TERM,TERM,TERM) so many
# milliseconds after its begin probe, while it arms, and waits until its probes are off. Removes the module of one that was killed.
# Prints how many milliseconds passed since the first signal, as the guest's clock has it, until the kernel traces no function for the
# session any more and until the session is gone. (Kprobes are enabled only when all are registered.)
use strict;
use warnings;
use POSIX qw(:sys_wait_h);
use Time::HiRes qw(clock_gettime CLOCK_MONOTONIC);

my ($staprun, $path, $signals, $wait) = @ARGV;
my ($name) = $path =~ m{([^/]+)\.ko$} or die "$path is no module\n";
my $state_done = 4; # enum tapir_state of tapir/wire.h
my $deadline = time + 100 * ($ENV{PATIENCE} || 1);

sub pause { select(undef, undef, undef, $_[0]) }
sub now { return int(1000 * clock_gettime(CLOCK_MONOTONIC)) }
sub in_time { die "$name: not within the time: $_[0]\n" if time > $deadline }

# TAPIR_IOC_STATUS; -1: there is no such session.
sub state {
    my $status = "\0" x 48;
    open(my $control, ">", "/proc/tapir-$name/control") or return -1;
    ioctl($control, 0x8030b70b, $status) or return -1;
    return unpack("L", $status);
}

sub lines {
    my ($path) = @_;
    open(my $list, "<", $path) or die "$path: $!\n";
    my $count = 0;
    $count++ while <$list>;
    return $count;
}

sub kprobes { return lines("/sys/kernel/debug/kprobes/list") }

# Functions that are traced.
sub functions { return lines("/sys/kernel/tracing/enabled_functions") }

my $functions = functions();
my ($begin, $off);

# The time since the first signal; looks whether functions are off.
sub passed {
    my $took = now() - $begin;
    $off //= $took if functions() <= $functions;
    return $took;
}

pipe(my $out, my $in) or die "$!\n";
my $pid = fork() // die "$!\n";
if (!$pid) {
    open(STDOUT, ">&", $in) or die "$!\n";
    exec($staprun, $path) or die "$!\n";
}
close($in);
defined(my $first = <$out>) or die "$name did not begin\n";
pause($wait / 1000);

my $before = state();
$begin = now();
for my $signal (split(/,/, $signals)) {
    kill($signal, $pid);
    pause(0.01) if $signals =~ /,/;
}
if ($signals eq "KILL") {
    waitpid($pid, 0);
    until (state() == $state_done) { in_time("the probes go off"); passed(); pause(0.005) }
} else {
    until (waitpid($pid, WNOHANG)) { in_time("staprun ends"); passed(); pause(0.005) }
    my $status = $? >> 8;
    die "$name: exit status $status after $signals\n" if $signals eq "TERM" && $status;
    until (state() == -1) { in_time("the module goes"); passed(); pause(0.005) }
}
my $took = passed();
$off //= $took;
# The kernel's worker turns jumps of optimized kprobes into instructions again, some time later.
until (!kprobes()) { in_time("no kprobe is left"); pause(0.05) }
if ($signals eq "KILL") {
    system($staprun, "-d", $name) == 0 or die "$name: staprun -d fails\n";
    die "$name is still there\n" if state() != -1;
} elsif ($signals eq "TERM") {
    my $last = join("", <$out>);
    die "$name: no end probe: $last\n" unless $last =~ /^end$/m;
}
print "$name $signals after $wait ms, in state $before: off after $off ms, gone after $took ms\n";
