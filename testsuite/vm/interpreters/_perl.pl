# SPDX-License-Identifier: GPL-2.0-or-later
# _perl.pl SAMPLES: writes its own stack so often to standard output, "OUTERMOST;...;INNERMOST" as perl_stack() has it, by caller().
use strict;
use warnings;
use threads;

my $left = shift;
srand(12);

sub place {
    my ($file, $line) = @_;
    $file =~ s{.*/}{};
    return "($file:$line)";
}

sub stack {
    # A frame of caller() is a call: the place of the call, and the sub that is called. The first one is the call of this sub.
    my ($text, $i) = ("", 0);
    my (undef, $file, $line) = caller(0);
    while (my (undef, undef, undef, $sub) = caller(++$i)) {
        $text = "$sub " . place($file, $line) . ($text eq "" ? "" : ";$text");
        (undef, $file, $line) = caller($i);
    }
    $text = "main " . place($file, $line) . ($text eq "" ? "" : ";$text");
    $text =~ s/;;/;/g;
    return $text;
}

sub leaf {
    syswrite(STDOUT, stack()) if $left-- > 0;
}

sub deep {
    my $n = shift;
    return $n ? deep($n - 1) : leaf();
}

sub by_value { leaf(); return $a <=> $b }

package Shop::Scale;
sub new { my $class = shift; main::leaf(); return bless {}, $class }
sub weigh { my $self = shift; return $self->sum(map { main::leaf(); $_ } 1, 2) }
sub sum { main::leaf(); return 0 }
sub TIESCALAR { my $self = {}; return bless $self }
sub FETCH { main::leaf(); return 1 }
sub DESTROY { main::leaf() }
our $AUTOLOAD;
sub AUTOLOAD { main::leaf(); return $AUTOLOAD }

package main;
use overload;

my @shapes = (
    sub { deep(int rand 40) },
    sub { Shop::Scale->new->weigh },
    sub { my @list = sort by_value 3, 1, 2; return },
    sub { my @list = sort { leaf(); $a <=> $b } 3, 1, 2; return },
    sub { eval { deep(2); die "x\n" }; leaf() },
    sub { eval "leaf();\n\nleaf()" or 1 },
    sub { tie my $scale, "Shop::Scale"; my $got = $scale; untie $scale; return $got },
    sub { return &leaf },
    sub { @_ = (); goto &leaf },
    sub { Shop::Scale->missing(1) },
    sub { local $SIG{ALRM} = sub { leaf() }; kill ALRM => $$ unless threads->tid; return },
    sub { local $SIG{__WARN__} = sub { leaf() }; warn "x"; return },
    sub { my $text = "a b"; $text =~ s/(\w)/leaf(); $1/ge; return },
);

sub work {
    $shapes[rand @shapes]->() while $left > 0;
}
work();
$left = 20;
threads->create(\&work)->join;
