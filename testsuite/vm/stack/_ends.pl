# SPDX-License-Identifier: GPL-2.0-or-later
# Facts of /proc/kallsyms and /proc/kcore on return addresses.
#   ends               three addresses at which functions begin, right behind a call of another one to __stack_chk_fail: the
#                      address, the names of the function that begins, and of the one before
#   name ADDRESS...    the names of the function in which each address is, or ends
# Several names are joined by "|".
use strict;
use warnings;
my (%names, @places);
open(my $symbols, '<', '/proc/kallsyms') or die "kallsyms: $!";
while (<$symbols>) {
    my ($place, $kind, $name, $module) = split;
    push @{$names{hex $place}}, $name if $kind =~ /[tTwW]/ && !$module;
}
@places = sort { $a <=> $b } keys %names;
sub before {
    my ($address, $low, $high) = (shift, 0, scalar @places);
    while ($high - $low > 1) {
        my $middle = ($low + $high) >> 1;
        if ($places[$middle] < $address) { $low = $middle } else { $high = $middle }
    }
    return $places[$low];
}
my $what = shift @ARGV;
sub names { return join('|', @{$names{$_[0]}}) }
if ($what eq 'name') {
    print names(before(hex $_)), "\n" for @ARGV;
    exit;
}
my %of = map { my $place = $_; map { $_ => $place } @{$names{$place}} } @places;
open(my $memory, '<:raw', '/proc/kcore') or exit;
sysread($memory, my $header, 64) == 64 or exit;
my ($at, $size, $count) = (unpack('Q', substr($header, 32, 8)), unpack('S2', substr($header, 54, 4)));
my $code = '';
for my $i (0 .. $count - 1) {
    sysseek($memory, $at + $i * $size, 0);
    sysread($memory, my $part, $size) == $size or exit;
    my ($type, $flags, $offset, $address, $physical, $bytes) = unpack('LLQ4', $part);
    next if $type != 1 || $address > $of{_stext} || $address + $bytes < $of{_etext};
    sysseek($memory, $offset + $of{_stext} - $address, 0);
    while (length $code < $of{_etext} - $of{_stext}) {
        sysread($memory, $code, 1 << 20, length $code) or last;
    }
}
my $found = 0;
for my $place (@places) {
    my $in = $place - $of{_stext};
    next if $in < 5 || $in > length $code || $place >= $of{_etext};
    my ($call, $to) = unpack('Cl<', substr($code, $in - 5, 5));
    next if $call != 0xe8 || $place + $to != $of{__stack_chk_fail};
    printf("%x %s %s\n", $place, names($place), names(before($place)));
    last if ++$found == 3;
}
