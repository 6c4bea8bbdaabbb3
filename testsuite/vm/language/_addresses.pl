# SPDX-License-Identifier: GPL-2.0-or-later
# addresses.pl TAPSETS: prints a script that gives every function of the library that reads memory, and every construct of the language
# that does, addresses at all borders: in a begin probe, in system calls of a program that calls getppid(), and in a timer's interrupt.
use strict;
use warnings;

# Names that functions have for a first parameter that is an address.
my %is_address = map { $_ => 1 } qw(
    addr address buf bus_type cgroup clnt counters dentry dev disk entry file filp handle inode iocb iov iphdr iter kobj mapping mm msg
    nd node page path protected_pointer qdisc req request rq rqstp ruaddr sb sigset sk skb sock sockaddr source start task vector vfsmnt
    vma xprt uaddr umsg timespec timeval value_address);

my (%reads, @writes);
for my $path (sort glob("$ARGV[0]/*.stp")) {
    open(my $file, '<', $path) or die "$path: $!";
    while (<$file>) {
        next unless /^function ([a-z]\w*)(:\w+)? ?\((\w+):long((?:, *\w+:\w+)*)\)/;
        my ($name, $type, $first, $rest) = ($1, $2, $3, $4);
        my @others = $rest =~ /:(\w+)/g;
        my $call = join(', ', 'a', map { $_ eq 'long' ? '16' : '"other"' } @others);
        if ($name =~ /_warn$|^set_user_string_arg$/) {
            # They warn, once for each address, or do nothing, where others fail.
        } elsif ($name =~ /^set_(kernel|user)_(char|short|int|long|pointer|string)/) {
            push @writes, "$name($call)";
        } elsif ($type && $is_address{$first}) {
            $reads{"$name($call)"} = $type;
        }
    }
}
$reads{"\@kderef($_, a)"} = $reads{"\@uderef($_, a)"} = ':long' for 1, 2, 4, 8;
$reads{'@cast(a, "task_struct")->pid'} = ':long';
$reads{'@cast(a, "task_struct")->comm$'} = ':string';
$reads{'sprintf("%64m", a)'} = $reads{'sprintf("%64M", a)'} = ':string';
$reads{"embedded_$_(a)"} = ':long' for qw(kread uread kderef uderef);
die "only " . keys(%reads) . " functions\n" if keys %reads < 100;
die "only " . @writes . " functions that write\n" if @writes < 12;


my $reading = join '', map {
    my $use = $reads{$_} eq ':long' ? "kept ^= $_" : "kept += strlen($_)";
    "    tried++; try { $use } catch { failed++ }\n"
} sort keys %reads;
my $writing = join '', map {
    my $label = s/"//gr;
    "    writes++; try { $_; printf(\"0x%x: $label\\n\", a); wrong++ } catch { refused++ }\n"
} @writes;
my $count = keys %reads;

print <<"END";
global bases, deltas, addresses, naddresses, levels = 4
global kept, tried, failed, writes, refused, wrong, compared, next_in_call, next_in_timer

function embedded_kread:long (a:long) %{ STAP_RETVALUE = kread((int *)STAP_ARG_a); %}
function embedded_uread:long (a:long) %{ STAP_RETVALUE = uread((int *)STAP_ARG_a); %}
function embedded_kderef:long (a:long) %{ STAP_RETVALUE = kderef(8, STAP_ARG_a); %}
function embedded_uderef:long (a:long) %{ STAP_RETVALUE = uderef(8, STAP_ARG_a); %}

// How many of eight bytes are there. All of them are if the number they make is, and none of them in the lower half or in the hole.
function compare(a) {
    there = 0
    for (i = 0; i < 8; i++)
        try { if (kernel_char(a + i) + 1) there++; else there++ } catch { }
    whole = 0
    try { if (kernel_long(a)) whole = 1; else whole = 1 } catch { }
    if (whole != (there == 8)) { printf("0x%x: %d of 8 bytes, whole: %d\\n", a, there, whole); wrong++ }
    lowest = levels == 5 ? -(1 << 56) : -(1 << 47)
    if (there && !(a + 7 >= lowest && a + 7 < 0)) { printf("0x%x is not a kernel address\\n", a); wrong++ }
    compared++
    return there
}
// Where nothing is, so that nothing is harmed.
function write_at(a) {
    if (compare(a - 16) || compare(a - 8) || compare(a) || compare(a + 8) || compare(a + 16)) return 0
    for (i = -8; i < 24; i++)
        try { if (user_char_error(a + i) + 1000) return 0 } catch { }
$writing}
function read_at(a) {
$reading}

probe begin {
    bases[0] = bases[1 << 47] = bases[1 << 56] = bases[1 << 63] = bases[-(1 << 47)] = bases[-(1 << 56)] = 1
    // The direct map, vmalloc() and vmemmap of 4 and of 5 levels; text, modules, vsyscalls, what is above them, a hole in all.
    bases[0xffff888000000000] = bases[0xffffc90000000000] = bases[0xffffea0000000000] = 1
    bases[0xff11000000000000] = bases[0xffa0000000000000] = bases[0xffd4000000000000] = 1
    bases[0xffffffff80000000] = bases[0xffffffffa0000000] = bases[0xffffffffff000000] = bases[0xffffffffff600000] = 1
    bases[0xffffffffff601000] = bases[0xdead000000000000] = 1
    for (i = -8; i <= 8; i++) deltas[i] = deltas[4096 + i] = deltas[-4096 + i] = 1
    deltas[40] = deltas[-63] = deltas[-64] = deltas[-65] = 1
    foreach (base+ in bases)
        foreach (delta+ in deltas)
            addresses[naddresses++] = base + delta
    for (n = 0; n < naddresses; n++) read_at(addresses[n])
    for (n = 0; n < naddresses; n++) write_at(addresses[n])
    println("started")
}
probe kprobe.function("__x64_sys_getppid") {
    n = next_in_call++
    if (n < naddresses) {
        a = addresses[n]
        read_at(a)
        write_at(a)
        if (a < 0) try { if (user_char_error(a) + 1000) { printf("0x%x is the program's\\n", a); wrong++ } } catch { }
    } else if (n < naddresses + 9) {
        // Across two pages of text.
        if (compare(((addr() + 4095) & ~4095) - (n - naddresses)) != 8) { println("no text"); wrong++ }
    }
}
probe timer.ms(2) {
    n = next_in_timer
    if (n < naddresses) {
        next_in_timer = n + 1
        read_at(addresses[n])
    }
    if (next_in_timer == naddresses && next_in_call >= naddresses + 9) exit()
}
probe end {
    printf("%d addresses, %s, %s\\n", naddresses, tried == 3 * naddresses * $count ? "all tried" : "some not tried",
           writes == refused ? "no write succeeded" : "writes")
    printf("tried %d failed %d writes %d compared %d wrong %d\\n", tried, failed, writes, compared, wrong)
    println(kept == 1 ? "" : "kept")
    println(wrong || failed < tried / 2 || writes < naddresses ? "bad" : "good")
}
END
