# SPDX-License-Identifier: GPL-2.0-or-later
# _wild.pl SAMPLES: Perl 5.36 writes wild words into its own contexts, and says then which frame is innermost.
use strict;
use warnings;
no warnings "portable";

my ($left) = @ARGV;
open my $memory, "+<:raw", "/proc/self/mem" or die;

sub word {
    my $bytes;
    sysseek $memory, shift, 0 or die;
    sysread $memory, $bytes, 8 or die;
    return unpack "Q", $bytes;
}

sub put {
    my ($address, $value) = @_;
    sysseek $memory, $address, 0 or die;
    syswrite $memory, pack "Q", $value or die;
}

# Where on the heap a word is.
sub places {
    my $word = pack "Q", shift;
    my @places;
    open my $maps, "<", "/proc/self/maps" or die;
    while (<$maps>) {
        my ($from, $to) = /^(\w+)-(\w+) .*\[heap\]$/ or next;
        my $heap;
        sysseek $memory, hex $from, 0;
        sysread $memory, $heap, hex($to) - hex $from;
        for (my $at = -1; ($at = index $heap, $word, $at + 1) >= 0;) {
            push @places, hex($from) + $at unless $at % 8;
        }
    }
    return @places;
}

# The context of the sub that calls this, and the PERL_SI that has it.
sub context_of {
    my $sub = shift;
    for my $place (places(0 + $sub)) {
        my $context = $place - 72;
        next unless (word($context) & 15) == 9;
        for my $index (0 .. 3) {
            for my $info (map { $_ - 8 } places($context - 104 * $index)) {
                return ($context, $info) if word($info + 40) >> 32 == 1 && word($info + 16) == 0;
            }
        }
    }
    die "there is no context";
}

my ($context, $info);

# A circle of stacks without contexts.
my $hidden = "\0" x 4096;
my $base = unpack("Q", pack "P", $hidden) + 7 & ~7;
for (my $at = 0; $at < 2048; $at += 64) {
    put($base + $at + 16, $base + ($at + 64) % 2048);
    put($base + $at + 32, 0xffffffff);
}

# Each makes a word wild: where it is, and what it becomes.
my @wild = (
    sub { ($info + 16, $info) },
    sub { ($info + 16, $base) },
    sub { ($info + 16, 0xdead00000000) },
    sub { ($context + 16, 0xdead00000000) },
    sub { ($context + 16, $base) },
    sub { ($info + 16, 0xffff800000000000) },
);

sub wild {
    ($context, $info) = context_of(\&wild) unless $context;
    my ($place, $made) = $wild[$left % @wild]->();
    my $kept = word($place);
    put($place, $made);
    for (my $i = 0; $i < 20000; $i++) { }
    syswrite STDOUT, "main::wild (_wild.pl:81)";
    put($place, $kept);
}

wild() while $left-- > 0;
