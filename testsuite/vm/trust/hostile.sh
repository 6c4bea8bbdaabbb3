# SPDX-License-Identifier: GPL-2.0-or-later
# A caller's choices for a process do not help against a set-user-ID staprun.
#: long: random inputs, many of them
#: timeout: 300
#: scripts: _hello.stp _ticks.stp
#: requires: program openssl setpriv python3
. "$AREA/_common.sh"
cp _hello.ko $place
module=$place/_hello.ko

# A configuration that would have libcrypto load code, and variables that would have the C library do so.
cat >$place/4001/openssl.cnf <<'END'
openssl_conf = start
[start]
providers = providers
[providers]
mine = mine
[mine]
module = /run/tapir-trust/4001/mine.so
activate = 1
END
hostile=(OPENSSL_CONF=$place/4001/openssl.cnf OPENSSL_MODULES=$place/4001 OPENSSL_ENGINES=$place/4001 OPENSSL_ia32cap=0
    LD_PRELOAD=$place/4001/mine.so LD_LIBRARY_PATH=$place/4001 LD_AUDIT=$place/4001/mine.so LD_DEBUG=all LD_DEBUG_OUTPUT=$place/4001/debug
    GCONV_PATH=$place/4001 LOCPATH=$place/4001 NLSPATH=$place/4001/%N MALLOC_PERTURB_=1 GLIBC_TUNABLES=glibc.malloc.check=3
    TZ=/run/tapir-trust/4001/pipe TZDIR=$place/4001 LANG=../../../../run/tapir-trust/4001 SSL_CERT_DIR=$place/4001 PATH=$place/4001)
mkfifo $place/4001/mine.so $place/4001/pipe
run become user timeout $((60 * PATIENCE)) env -i "${hostile[@]}" $place/staprun $module 2>$place/err
is_equal 'exit status' $status 1
grep -q 'this one has no signature' $place/err || fail "$(cat $place/err)"
sign --for=stapusr $module
run become user timeout $((60 * PATIENCE)) env -i "${hostile[@]}" $place/staprun $module >$place/out 2>$place/err
is_equal "exit status after '$(cat $place/err)'" $status 0
is_equal 'output' "$(cat $place/out)" hello
[ -z "$(find $place/4001 -name 'debug*')" ] || fail 'a file was written'

# Descriptors, limits, signals, names.
cp _ticks.ko $place
sign --for=stapusr $place/_ticks.ko
python3 - $place/staprun $module $place/_ticks.ko "$(group stapusr)" <<'END'
import os, resource, signal, sys
staprun, module, ticks, group = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])

def run(arguments, prepare=lambda: None, environment={}):
    """Exit status and output."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.dup2(write, 1)
        os.dup2(write, 2)
        os.setgroups([group])
        os.setresgid(4001, 4001, 4001)
        os.setresuid(4001, 4001, 4001)
        prepare()
        os.execve(staprun, arguments, environment)
    os.close(write)
    output = b''
    while part := os.read(read, 65536):
        output += part
    os.close(read)
    return os.waitpid(pid, 0)[1], output

def expect(what, got, status, text):
    assert os.waitstatus_to_exitcode(got[0]) == status and text in got[1], (what, got)

def ignore_all():
    for number in signal.valid_signals():
        try:
            signal.signal(number, signal.SIG_IGN)
        except (OSError, ValueError):
            pass
    signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    signal.setitimer(signal.ITIMER_REAL, 1)

expect('signals', run(['staprun', module], ignore_all), 0, b'hello')
def few_descriptors(count):
    return lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (count, count))

for number in [3, 4, 5]:
    expect('descriptors', run(['staprun', module], few_descriptors(number)), 0, b'hello')
expect('whose limit', run(['staprun', '-c', 'echo limit $(ulimit -n)', ticks], few_descriptors(9)), 0, b'limit 9\n')

def close_all():
    os.closerange(0, 256)

def leave_descriptors():
    fd = os.open('/etc/hostname', os.O_RDONLY)
    for number in [3, 77, 200]:
        os.dup2(fd, number, inheritable=True)

got = run(['staprun', module], close_all)  # its output goes nowhere, which is said nowhere
assert os.waitstatus_to_exitcode(got[0]) == 1 and got[1] == b'', got
got = run(['staprun', '-c', 'ls /proc/self/fd', ticks], leave_descriptors)
expect('many descriptors', got, 0, b'begin')
assert not {b'77', b'200'} & set(got[1].split()), got
expect('file size', run(['staprun', module], lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))), 0, b'hello')
for name in [b'', b'..', b'../../../root/x', b'/proc/self/mem', b'/', b'a' * 100000, b'%s%n', b'\x1b[2J', b'-', b'/proc/self/fd/0']:
    got = run([b'staprun', name])
    assert os.waitstatus_to_exitcode(got[0]) == 1, (name, got)
    assert b'ERROR' in got[1], (name, got)
for name in [b'../x', b'..', b'/', b'', b'a' * 5000]:
    for option in [b'-A', b'-d']:
        got = run([b'staprun', option, name])
        assert os.waitstatus_to_exitcode(got[0]) == 1, (option, name, got)
END
# All of these sessions are in the log, also those with few descriptors.
balanced() { [ "$(grep -c 'event=insert decision=allowed' $place/log)" = 9 ] && [ "$(grep -c 'event=end' $place/log)" = 9 ]; }
eventually 10 balanced
run become user bash -c "exec -a '' $place/staprun" 2>$place/err
is_equal 'exit status without a name' $status 1
grep -q 'no module given' $place/err || fail "without a name: $(cat $place/err)"
is_gone _hello || fail 'the module is there'

# Lines of the log cannot be forged by names.
refuses user "Couldn't read module" $'x\nstaprun: event=insert decision=allowed.ko'
refuses stranger 'only root' $'x"\nstaprun: event=insert decision=allowed.ko'
! grep -q '^staprun' $place/log || fail 'a line was forged'
logged 'module="x\\x22\\x0astaprun: event=insert decision=allowed.ko"'
