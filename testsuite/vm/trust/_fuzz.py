# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs a set-user-ID staprun with everything that its caller can choose: words, variables, descriptors, limits, signals, folders.

usage: _fuzz.py STAPRUN SIGNED.ko UNSIGNED.ko GROUP LOG ROUNDS [SEED]

Nothing of it may crash staprun, keep it busy, leave a module or a file of root's, write where the user cannot, run the
unsigned module, or go unlogged when it is refused.
"""
import ctypes
import os
import random
import resource
import signal
import subprocess
import sys
import time

STAPRUN, SIGNED, UNSIGNED, GROUP, LOG, ROUNDS = sys.argv[1:7]
SEED = int(sys.argv[7]) if len(sys.argv) > 7 else int.from_bytes(os.urandom(4), 'big')
print('seed', SEED, flush=True)
PLACE = os.path.dirname(STAPRUN)
EFFECT = b'the unsigned module runs'
PATIENCE = 60 * int(os.environ.get('PATIENCE', '1'))
# A crash is one of these; the others are the caller's limits and signals.
FAULTS = {signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS, signal.SIGFPE, signal.SIGILL, signal.SIGSYS, signal.SIGTRAP}
ENDED = {signal.SIGXCPU, signal.SIGXFSZ, signal.SIGKILL, signal.SIGALRM, signal.SIGPROF}

choice = random.Random(SEED)
libc = ctypes.CDLL(None, use_errno=True)


def some_bytes(most):
    return bytes(choice.randrange(1, 256) for _ in range(choice.randrange(most)))


NAMES = [name.encode() for name in '''LD_PRELOAD LD_LIBRARY_PATH LD_AUDIT LD_DEBUG LD_DEBUG_OUTPUT LD_PROFILE LD_PROFILE_OUTPUT
    LD_BIND_NOW LD_ORIGIN_PATH LD_SHOW_AUXV LD_USE_LOAD_BIAS GCONV_PATH GETCONF_DIR HOSTALIASES LOCALDOMAIN LOCPATH MALLOC_TRACE MALLOC_CHECK_
    MALLOC_PERTURB_ MALLOC_ARENA_MAX NIS_PATH NLSPATH RESOLV_HOST_CONF RES_OPTIONS TMPDIR TMP TZ TZDIR LANG LANGUAGE LC_ALL
    LC_CTYPE LC_MESSAGES PATH HOME USER LOGNAME SHELL TERM COLUMNS POSIXLY_CORRECT IFS ENV BASH_ENV CDPATH SYSTEMTAP_VERBOSE SYSTEMTAP_DIR
    SYSTEMTAP_MODULE SYSTEMTAP_STAPRUN SYSTEMTAP_TAPSET TAPIR_TRUST TAPIR_STORE TAPIR_CACHE_DIR OPENSSL_CONF OPENSSL_MODULES OPENSSL_ENGINES
    OPENSSL_ia32cap OPENSSL_ENABLE_MD5_VERIFY SSL_CERT_FILE SSL_CERT_DIR RANDFILE GLIBC_TUNABLES LIBC_FATAL_STDERR_ GMON_OUT_PREFIX
    ASAN_OPTIONS UBSAN_OPTIONS GCOV_PREFIX'''.split()]


def value(home):
    return choice.choice([
        lambda: b'', lambda: b'1', lambda: b'all', lambda: b'-1', lambda: b'9' * 40, lambda: home, lambda: home + b'/pipe', lambda: home + b'/code.so',
        lambda: home + b'/conf', lambda: b':' + home, lambda: b'../../../../' + home, lambda: b'/proc/self/fd/0', lambda: b'/dev/zero',
        lambda: b'%s%n%s%n', lambda: b'() { :; }; touch ' + home + b'/shell', lambda: b'glibc.malloc.check=3:glibc.malloc.tcache_count=' + b'9' * 99,
        lambda: b'CET-1CEST', lambda: b'A' * choice.randrange(100000), lambda: some_bytes(300)])()


def environment(home):
    out = []
    for _ in range(choice.choice([0, 3, 20, 200])):
        name = choice.choice(NAMES) if choice.random() < 0.9 else some_bytes(30)
        out.append(name if choice.random() < 0.02 else name + b'=' + value(home))
    return out


def module(home):
    return choice.choice([lambda: SIGNED.encode()] * 4 + [lambda: UNSIGNED.encode()] * 4 + [
        lambda: home + b'/pipe', lambda: home + b'/code.so', lambda: home + b'/missing.ko', lambda: home + b'/link.ko', lambda: home,
        lambda: b'', lambda: b'/dev/zero', lambda: b'/proc/self/mem', lambda: b'..', lambda: b'-', lambda: b'A' * choice.randrange(100000),
        lambda: b'%n%n.ko', lambda: some_bytes(60)])()


def word(home):
    number = lambda: str(choice.choice([0, 1, 2, 64, 65, 4096, 2**31, 2**32, 2**63, 2**64, -1])).encode()
    return choice.choice([
        lambda: [b'-o', home + b'/out%H'], lambda: [b'-o', b'/etc/out'], lambda: [b'-o', home + b'/' + b'%' * choice.randrange(300)],
        lambda: [b'-S', number()], lambda: [b'-S', b'1,' + number()], lambda: [b'-b'], lambda: [b'-s', number()], lambda: [b'-D'],
        lambda: [b'-w'], lambda: [b'-C', choice.choice([b'never', b'always', b'x'])], lambda: [b'-c', choice.choice([b'true', b'false', b'/no', b'id; id', b"'"])],
        lambda: [b'-x', number()], lambda: [b'--duration', b'0.5'], lambda: [b'-G', b'word=' + value(home)], lambda: [b'--limit', b'MAXACTION=' + number()],
        lambda: [b'--suppress-handler-errors'], lambda: [b'-t'], lambda: [b'--ledger=' + home + b'/ledger'], lambda: [b'--ledger=/etc/ledger'],
        lambda: [b'-r', number() + b':' + value(home)[:400]], lambda: [b'-R'], lambda: [b'-L'], lambda: [b'-A'], lambda: [b'-d'], lambda: [b'-v'] * choice.randrange(9),
        lambda: [b'--json'], lambda: [b'--'], lambda: [b'word=' + value(home)], lambda: [b'-' + some_bytes(4)], lambda: [b'--' + some_bytes(20)], lambda: [some_bytes(30)]])()


def arguments(home):
    if choice.random() < 0.03:
        return []
    out = [choice.choice([b'staprun', b'', b'/', b'A' * 5000, some_bytes(20)])]
    if choice.random() < 0.5:  # what is a session, but for the module
        return out + choice.choice([[], [b'-R'], [b'-v'], [b'-w', b'-t'], [b'--duration', b'1'], [b'-s', b'1']]) + [module(home)]
    for _ in range(choice.randrange(6)):
        out += word(home)
    out.insert(choice.randrange(1, len(out) + 1), module(home))
    return out


def vector(words):
    return (ctypes.c_char_p * (len(words) + 1))(*words, None)


LIMITS = [(resource.RLIMIT_NOFILE, [0, 3, 4, 7, 20]), (resource.RLIMIT_FSIZE, [0, 1, 4096]), (resource.RLIMIT_NPROC, [0, 1]),
          (resource.RLIMIT_CPU, [1, 5]), (resource.RLIMIT_AS, [24 << 20, 32 << 20, 64 << 20]), (resource.RLIMIT_DATA, [1 << 20, 8 << 20]),
          (resource.RLIMIT_CORE, [1 << 30]), (resource.RLIMIT_MEMLOCK, [0])]


def run(uid):
    """One process: its number, wait status, words, names of its limits, and output."""
    home = b'%s/%d' % (PLACE.encode(), uid)
    words, variables = arguments(home), environment(home)
    limits = [(which, choice.choice(values)) for which, values in LIMITS if choice.random() < 0.15]
    closed = [fd for fd in (0, 1, 2) if choice.random() < 0.15]
    # The C library itself ends a set-user-ID program with a fault when it has nothing to put in the place of a closed descriptor.
    if closed:
        limits = [(which, max(most, 3) if which == resource.RLIMIT_NOFILE else most) for which, most in limits]
    more = choice.random() < 0.2
    ignored = choice.random() < 0.2
    mask = choice.choice([0, 0o22, 0o77, 0o777])
    folder = choice.choice([home, b'/', None])
    output = open(PLACE + '/fuzz.out', 'wb')
    argv, envp = vector(words), vector(variables)
    pid = os.fork()
    if pid == 0:
        try:
            os.dup2(os.open('/dev/null', os.O_RDONLY), 0)
            os.dup2(output.fileno(), 1)
            os.dup2(output.fileno(), 2)
            os.setgroups([int(GROUP)] if uid == 4001 else [])
            os.setresgid(uid, uid, uid)
            os.setresuid(uid, uid, uid)
            os.umask(mask)
            if folder is None:
                os.mkdir(home + b'/gone')
                os.chdir(home + b'/gone')
                os.rmdir(home + b'/gone')
            else:
                os.chdir(folder)
            if ignored:
                for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
                    signal.signal(number, signal.SIG_IGN)
                signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
                signal.setitimer(signal.ITIMER_REAL, 0.2)
                signal.setitimer(signal.ITIMER_PROF, 0.2)
            if more:
                for fd in (5, 50, 200):
                    os.dup2(0, fd, inheritable=True)
            for fd in closed:
                os.close(fd)
            for which, most in limits:
                resource.setrlimit(which, (most, most))
            libc.execve(STAPRUN.encode(), argv, envp)
        finally:
            os._exit(111)  # too many words: nothing was started
    deadline = time.monotonic() + PATIENCE
    while True:
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended or time.monotonic() > deadline:
            break
        time.sleep(0.005)
    if not ended:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        status = None
    output.close()
    with open(PLACE + '/fuzz.out', 'rb') as text:
        return pid, status, words, {which for which, _ in limits}, text.read()


def modules():
    with open('/proc/modules') as text:
        return {line.split()[0] for line in text}


def is_logged(pid):
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        with open(LOG, 'rb') as text:
            if b'staprun[%d]: event=' % pid in text.read():
                return True
        time.sleep(0.1)
    return False


def clean_up(uid):
    """A user's way to remove what a killed staprun left."""
    subprocess.run([STAPRUN, '-d', '*'], user=uid, group=uid, extra_groups=[int(GROUP)], check=False)


def prepare(uid):
    home = '%s/%d' % (PLACE, uid)
    os.mkfifo(home + '/pipe')
    os.symlink(UNSIGNED, home + '/link.ko')
    for name, text in (('code.so', '\x7fELF'), ('conf', 'openssl_conf = start\n[start]\nproviders = p\n[p]\nmine = m\n[m]\nmodule = %s/code.so\nactivate = 1\n' % home)):
        with open(home + '/' + name, 'w') as out:
            out.write(text)
    for name in os.listdir(home):
        os.lchown(home + '/' + name, uid, uid)


def strangers(uids, since):
    """Files that are not where they may be, or not whose they may be."""
    homes = ['%s/%d' % (PLACE, uid) for uid in uids]
    theirs = subprocess.run(['find', '/', '/etc', '/run', '/tmp', '/var', '/var/tmp', '/root', '/home', '/dev/shm', '-maxdepth', '2', '(', *' -o '.join('-path ' + home for home in homes).split(), ')',
                             '-prune', '-o', '(', *' -o '.join('-uid %d' % uid for uid in uids).split(), ')', '-print'], stdout=subprocess.PIPE, check=False).stdout
    roots = subprocess.run(['find', *homes, '-uid', '0', '-print'], stdout=subprocess.PIPE, check=False).stdout
    changed = subprocess.run(['find', '/etc', '/root', '/etc/tapir/trust', PLACE + '/signer.pem', STAPRUN, SIGNED, UNSIGNED, '-maxdepth', '1', '-newer', since, '-type', 'f', '-print'],
                             stdout=subprocess.PIPE, check=False).stdout
    return theirs + roots + changed


def main():
    uids = [4001, 4005]
    for uid in uids:
        prepare(uid)
    marker = PLACE + '/marker'
    open(marker, 'w').close()
    os.utime(marker)
    before = modules()
    sessions = refusals = 0
    for number in range(int(ROUNDS)):
        uid = choice.choice([4001] * 5 + [4005])
        pid, status, words, limits, output = run(uid)
        what = 'round %d of seed %d, user %d, limits %s, words %r: %r' % (number, SEED, uid, sorted(limits), [w[:200] for w in words], output[-500:])
        assert status is not None, 'it does not end: ' + what
        end = os.waitstatus_to_exitcode(status)
        if end == 111:
            continue
        assert end >= 0 or -end not in FAULTS, 'signal %d: %s' % (-end, what)
        assert end in (0, 1) or -end in ENDED, 'status %d: %s' % (end, what)
        assert EFFECT not in output, 'the unsigned module was inserted: ' + what
        if end < 0:
            clean_up(uid)
        assert modules() == before, 'modules are left: ' + what
        # A process with too little memory or time does not get as far as a refusal.
        if end == 1 and not limits & {resource.RLIMIT_AS, resource.RLIMIT_DATA, resource.RLIMIT_CPU}:
            assert is_logged(pid), 'nothing in the log: ' + what
            refusals += 1
        sessions += output.startswith(b'hello')
    found = strangers(uids, marker)
    assert not found, 'files: ' + found.decode(errors='replace')
    print('%d sessions, %d refusals' % (sessions, refusals))
    assert sessions and refusals, 'too little happened'


main()
