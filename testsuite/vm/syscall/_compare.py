#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares what tools/syscalls/strace.stp prints with what strace prints: _compare.py STRACE STRACE_RAW OURS KNOWN

STRACE is with arguments decoded, STRACE_RAW the same program with -e raw=all. KNOWN lists the system calls that can be probed. Calls between write(-1, "begin") and write(-1, "end") are
compared one by one for each process, processes in the order in which they appear. An argument agrees if its text is equal, or, if the
kernel fills it in (FILLED), if ours is its address. Every other difference has to be one of OTHERS. An unused entry of either list is an error, too.
"""
import re
import sys

# The names of these calls in scripts.
NAMES = {"newfstatat": "fstatat", "pread64": "pread", "pwrite64": "pwrite", "getdents64": "getdents", "umount2": "umount"}

# Arguments, from 0, that the kernel fills in: what is there is known at the return only.
FILLED = {}
for where, calls in (
        ((0,), "getcwd pipe pipe2 getrandom rt_sigpending getcpu uname sysinfo times"),
        ((0, 1), "get_mempolicy gettimeofday"),
        ((0, 1, 2), "getresuid getresgid"),
        ((1,), "read pread fstat listxattr flistxattr getdents stat lstat statfs fstatfs readlink epoll_wait epoll_pwait timerfd_gettime io_setup "
               "getsockname getpeername recvfrom recvmsg recvmmsg msgrcv sigaltstack getitimer timer_gettime clock_gettime clock_getres getgroups "
               "getrlimit getrusage sched_getparam sched_rr_get_interval arch_prctl wait4"),
        ((1, 2), "get_robust_list"),
        ((1, 3), "mq_timedreceive"),
        ((2,), "fstatat readlinkat ioctl mincore mq_getsetattr rt_sigaction rt_sigprocmask setitimer timer_create sched_getaffinity waitid getxattr fgetxattr"),
        ((3,), "timerfd_settime io_getevents getsockopt socketpair prlimit64"),
        ((4,), "statx")):
    for name in calls.split():
        FILLED[name] = where

# (call, argument or "count" or "result"): why it differs otherwise.
OTHERS = {
    ("readv", 1): "the kernel fills in what the structures point to",
    ("preadv", 1): "the kernel fills in what the structures point to",
    ("sendmmsg", 1): "the kernel fills in msg_len",
    ("msgsnd", 1): "a structure of the program's own, the length of which is another argument's",
    ("quotactl", 0): "argstr has the number, cmd_str the text",
}

# Results that are others every time: the time, keys, processes outside.
VARYING = "add_key keyctl time times getppid getpgrp getpgid getsid".split()


def split_arguments(text):
    """At the commas outside of brackets and quotes."""
    parts, depth, quoted, part, i = [], 0, False, "", 0
    while i < len(text):
        c = text[i]
        if quoted:
            part += c
            if c == "\\":
                i += 1
                part += text[i]
            elif c == '"':
                quoted = False
        elif text.startswith("/*", i):
            stop = text.index("*/", i) + 2
            part += text[i:stop]
            i = stop
            continue
        elif c == "," and depth == 0:
            parts.append(part.strip())
            part = ""
        else:
            if c == '"':
                quoted = True
            depth += c in "([{"
            depth -= c in ")]}"
            part += c
        i += 1
    return parts + [part.strip()] if part.strip() or parts else []


def call_of(line):
    """(pid, name, arguments, result) of "PID NAME(ARGUMENTS) = RESULT", else None."""
    match = re.match(r"(\d+) +(\w+)\((.*)\) += (.*)$", line)
    return match and (match[1], match[2], split_arguments(match[3]), match[4])


def strace_lines(path):
    """Complete lines: those that another process interrupted are joined."""
    pending = {}
    for line in open(path, encoding="utf-8", errors="backslashreplace"):
        line = line.rstrip("\n")
        pid, _, rest = line.partition(" ")
        rest = rest.strip()
        if rest.endswith("<unfinished ...>"):
            pending[pid] = rest[:-len("<unfinished ...>")]
        elif match := re.match(r"<\.\.\. \w+ resumed>(.*)", rest):
            yield pid + " " + pending.pop(pid) + match[1]
        elif not rest.startswith(("+++", "---")):
            yield line


def processes(lines):
    """Calls by process, in the order in which processes appear, of what is between the marks."""
    found, started = {}, False
    for line in lines:
        call = call_of(line)
        if call is None:
            continue
        pid, name, arguments, _ = call
        if name == "write" and arguments[1].startswith('"begin"') or name == "write" and arguments[0] == "0xffffffff" and not started:
            started = True
        if started:
            call = (pid, NAMES.get(name, name), arguments, call[3])
            found.setdefault(pid, []).append(call)
    return list(found.values()), list(found)


def result_of(text, pids):
    """The number in a result, in any base; an error's name; which process; None for "?"."""
    text = normal(text, pids)
    if text.startswith("?"):
        return None
    if text.startswith("pid"):
        return text.split()[0]
    if match := re.match(r"-1 (E\w+)", text) or re.match(r"-\d+ \((E\w+)\)", text):
        return match[1]
    digits = text.split()[0]
    return int(digits, 16) if digits.startswith("0x") else int(digits, 8) if re.match(r"0[0-7]+$", digits) else int(digits)


def same_number(text, raw):
    """Is ours the address that was handed over?"""
    value = 0 if raw in ("NULL", "0") else int(raw, 16) if raw.startswith("0x") else None
    return value is not None and text == (hex(value) if value else "NULL")


def normal(text, pids):
    text = re.sub(r" /\* \d{4}-\d\d-\d\dT[^*]* \*/", "", text)  # what a time means
    text = re.sub(r"\[([^\[\]]*) => [^\[\]]*\]", r"[\1]", text)
    text = re.sub(r" => (\[[^\[\]]*\]|\{[^{}]*\})", "", text)
    for pid, stands_for in pids.items():
        text = re.sub(rf"\b{pid}\b", stands_for, text)
    return text


def main():
    theirs, their_pids = processes(strace_lines(sys.argv[1]))
    raws, raw_pids = processes(strace_lines(sys.argv[2]))
    ours, our_pids = processes(open(sys.argv[3], encoding="utf-8", errors="backslashreplace").read().split("\n"))
    # Calls that this kernel does not have are answered, but are no system calls to a probe.
    known = set(open(sys.argv[4], encoding="utf-8").read().split("\n"))
    absent = [[c[3].startswith("-1 ENOSYS") and f"syscall.{c[1]}" not in known for c in calls] for calls in theirs]
    lacking = {c[1] for calls, gone in zip(theirs, absent) for c, none in zip(calls, gone) if none}
    theirs, raws = ([[c for c, none in zip(calls, gone) if not none] for calls, gone in zip(side, absent)] for side in (theirs, raws))
    names = [{pid: f"pid{i}" for i, pid in enumerate(pids)} for pids in (their_pids, our_pids)]
    wrong, used, calls, kinds, succeeded = [], set(), 0, set(), set()

    def differs(name, where, text):
        used.add((name, where))
        if (name, where) not in OTHERS:
            wrong.append(text)

    if len({len(theirs), len(raws), len(ours)}) != 1:
        sys.exit(f"{len(theirs)}, {len(raws)} and {len(ours)} processes")
    for mine, other, raw in zip(ours, theirs, raws):
        executed = False
        if [c[1] for c in mine] != [c[1] for c in other]:
            for index, (a, b) in enumerate(zip(mine, other)):
                if a[1] != b[1]:
                    sys.exit(f"call {index}: {a[1]}{a[2]} where strace has {b[1]}{b[2]}")
            sys.exit(f"{len(mine)} calls where strace has {len(other)}")
        for a, b, r in zip(mine, other, raw):
            calls += 1
            kinds.add(a[1])
            if not b[3].startswith("-1 "):
                succeeded.add(a[1])
            say = f"{a[1]}({', '.join(a[2])}) = {a[3]}\n    strace: {b[1]}({', '.join(b[2])}) = {b[3]}\n    raw: {r[2]}"
            if len(a[2]) != len(b[2]):
                differs(a[1], "count", "arguments: " + say)
                continue
            ours_named, theirs_named = (names[1], names[0]) if a[1] in ("wait4", "waitid") else ({}, {})
            for index, (x, y) in enumerate(zip(a[2], b[2])):
                x, y = normal(x, ours_named), normal(y, theirs_named)
                address = index < len(r[2]) and same_number(x, r[2][index])
                if x == y:
                    continue
                if address and index in FILLED.get(a[1], ()):
                    used.add((a[1], index))
                elif not (executed and address):  # pages of a new program that it has not touched
                    differs(a[1], index, f"argument {index}: " + say)
            if a[1] not in VARYING and a[3] != b[3] and result_of(a[3], names[1]) != result_of(b[3], names[0]):
                differs(a[1], "result", "result: " + say)
            executed = executed or a[1] == "execve" and a[3] == "0"
    for text in wrong:
        print(text)
    needless = ({(name, where) for name, places in FILLED.items() for where in places} | set(OTHERS)) - used
    # The kernel fills in nothing for a call that it refuses, as some do on some file systems.
    needless = {key for key in needless if key[0] not in lacking and key[0] not in kinds - succeeded}
    for key in sorted(needless, key=str):
        print("needless:", key)
    print(f"{calls} calls of {len(kinds)} kinds, {len(wrong)} differ")
    return 1 if wrong or needless else 0


sys.exit(main())
