// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/confinement.h"

#include <fcntl.h>
#include <grp.h>
#include <seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <memory>
#include <string_view>

namespace tapir::report {

namespace {

constexpr uid_t kNobody = 65534;

std::string failed(const char *what) {
    return std::string(what) + ": " + strerror(errno);
}

// System calls for memory, input, output and the end of a process.
constexpr int kAlways[] = {
    SCMP_SYS(read),
    SCMP_SYS(pread64),
    SCMP_SYS(write),
    SCMP_SYS(writev),
    SCMP_SYS(close),
    SCMP_SYS(fstat),
    SCMP_SYS(lseek),
    SCMP_SYS(ftruncate),
    SCMP_SYS(brk),
    SCMP_SYS(munmap),
    SCMP_SYS(mremap),
    SCMP_SYS(madvise),
    SCMP_SYS(futex),
    SCMP_SYS(rt_sigreturn),
    SCMP_SYS(rt_sigprocmask),
    SCMP_SYS(rt_sigaction),
    SCMP_SYS(getrandom),
    SCMP_SYS(clock_gettime),
    SCMP_SYS(gettimeofday),
    SCMP_SYS(getpid),
    SCMP_SYS(gettid),
    SCMP_SYS(poll),
    SCMP_SYS(ppoll),
    SCMP_SYS(sched_yield),
    SCMP_SYS(restart_syscall),
    SCMP_SYS(exit),
    SCMP_SYS(exit_group),
    SCMP_SYS(sigaltstack),
};
// Further system calls, to find debug information.
constexpr int kForFiles[] = {
    SCMP_SYS(readlink), SCMP_SYS(readlinkat), SCMP_SYS(stat),       SCMP_SYS(lstat), SCMP_SYS(statx),
    SCMP_SYS(access),   SCMP_SYS(faccessat),  SCMP_SYS(faccessat2), SCMP_SYS(fcntl), SCMP_SYS(getcwd),
    SCMP_SYS(sysinfo),  // qsort() of more than a kilobyte asks for the machine's memory
};

bool allow(scmp_filter_ctx filter, Reads reads) {
    bool good = true;
    const auto add = [&](int call) { good &= seccomp_rule_add(filter, SCMP_ACT_ALLOW, call, 0) == 0; };
    for (const int call : kAlways)
        add(call);
    // abort() sends a signal to its own process. Others may be other programs of the same user.
    const scmp_arg_cmp of_itself = {0, SCMP_CMP_EQ, static_cast<scmp_datum_t>(getpid()), 0};
    good &= seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(tgkill), 1, of_itself) == 0;
    // Memory is never executable.
    const scmp_arg_cmp no_code = SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0);
    good &= seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(mmap), 1, no_code) == 0;
    good &= seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(mprotect), 1, no_code) == 0;
    // fstat() of newer libraries: of a descriptor, not of a name.
    const scmp_arg_cmp of_descriptor = SCMP_A3(SCMP_CMP_MASKED_EQ, AT_EMPTY_PATH, AT_EMPTY_PATH);
    if (reads == Reads::Nothing) {
        good &= seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(newfstatat), 1, of_descriptor) == 0;
        return good;
    }
    add(SCMP_SYS(newfstatat));
    for (const int call : kForFiles)
        add(call);
    const int changes = O_ACCMODE | O_CREAT | O_TRUNC;
    const scmp_arg_cmp only_reads = SCMP_A2(SCMP_CMP_MASKED_EQ, static_cast<scmp_datum_t>(changes), 0);
    good &= seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(openat), 1, only_reads) == 0;
    // Others than those are answered, not punished: the library tries several ways.
    return good && seccomp_rule_add(filter, SCMP_ACT_ERRNO(EACCES), SCMP_SYS(openat), 1,
                                    SCMP_A2(SCMP_CMP_MASKED_EQ, O_ACCMODE, O_RDWR)) == 0;
}

std::string drop_rights() {
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return failed("no_new_privs");
    if (geteuid() == 0) {
        if (setgroups(0, nullptr) != 0 && errno != EPERM) return failed("setgroups");
        if (setresgid(kNobody, kNobody, kNobody) != 0 || setresuid(kNobody, kNobody, kNobody) != 0) {
            // In a user namespace without this user, root is the user nobody already.
            if (errno != EINVAL && errno != EPERM) return failed("setresuid");
        }
    } else if (setresgid(getgid(), getgid(), getgid()) != 0 || setresuid(getuid(), getuid(), getuid()) != 0) {
        return failed("setresuid");
    }
    return "";
}

// In a signal handler: only the system calls that are left, and no memory.
void tell_of_refused(int, siginfo_t *info, void *) {
    const auto say = [](std::string_view part) { (void)!write(STDERR_FILENO, part.data(), part.size()); };
    char digits[12];
    char *const end = std::to_chars(digits, std::end(digits), info->si_syscall).ptr;
    say("ERROR: stopped at system call ");
    say({digits, static_cast<size_t>(end - digits)});
    say(", which the confinement of this program does not allow; either the capture attacked it, or this is a fault of "
        "Tapir to be reported\n");
    _exit(1);
}

}  // namespace

std::string confine(Reads reads) {
    if (std::string problem = drop_rights(); !problem.empty()) return problem;
    struct sigaction action = {};
    action.sa_sigaction = tell_of_refused;
    action.sa_flags = SA_SIGINFO;
    if (sigaction(SIGSYS, &action, nullptr) != 0) return failed("the handler of refused system calls");
    const std::unique_ptr<void, void (*)(scmp_filter_ctx)> filter(seccomp_init(SCMP_ACT_TRAP), seccomp_release);
    if (!filter || !allow(filter.get(), reads)) return "the filter of system calls cannot be made";
    const int loaded = seccomp_load(filter.get());
    if (loaded != 0) return std::string("the filter of system calls: ") + strerror(-loaded);
    return "";
}

}  // namespace tapir::report
