# SPDX-License-Identifier: GPL-2.0-or-later
# Calls subs, and prints how often.
use strict;
package Bird { sub new { my $class = shift; return bless {}, $class } sub eats { my ($self, $n) = @_; main::gone($n); return 1 } }
sub gone { my $n = shift; $n + 1 }
sub lost { die "lost" }
my $bird = Bird->new;
$bird->eats($_) for 1 .. 17;
eval { lost() } for 1 .. 3;
print "1 Bird::new\n17 Bird::eats\n17 main::gone\n";
