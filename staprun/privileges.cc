// SPDX-License-Identifier: GPL-2.0-or-later
#include "privileges.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <signal.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>

#include "audit.h"
#include "common/files.h"
#include "common/plain_text.h"

namespace tapir::staprun {

namespace {

constexpr size_t kMaxGroupFile = 16u << 20;
constexpr int kMaxGroups = 65536;  // NGROUPS_MAX of Linux

bool set_user_id = false;
std::vector<char *> caller_environment;  // as the program was started with
rlimit caller_descriptors = {};          // the same
constexpr rlim_t kEnoughDescriptors = 64;

std::initializer_list<unsigned> capabilities(Need need) {
    static constexpr std::initializer_list<unsigned> modules = {CAP_SYS_MODULE},
                                                     control = {CAP_DAC_OVERRIDE, CAP_SYS_MODULE},
                                                     symbols = {CAP_SYSLOG};
    return need == Need::Control ? control : need == Need::Symbols ? symbols : modules;
}

struct Capabilities {
    __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    __user_cap_data_struct data[2] = {};

    bool get() { return syscall(SYS_capget, &header, data) == 0; }
    bool set() { return syscall(SYS_capset, &header, data) == 0; }
};

// Bits of the capability in its half.
constexpr unsigned half(unsigned number) {
    return number / 32;
}
constexpr unsigned bit(unsigned number) {
    return 1u << number % 32;
}

[[noreturn]] void give_up(const char *what) {
    const std::string text = format("ERROR: staprun cannot give up root's rights (%s): %s\n", what, strerror(errno));
    const ssize_t ignored = write(STDERR_FILENO, text.data(), text.size());
    (void)ignored;
    _exit(1);
}

void keep_environment() {
    for (char **variable = environ; variable && *variable; variable++)
        caller_environment.push_back(*variable);
    caller_environment.push_back(nullptr);
    // `environ` may be the caller's array, so this makes a new list of the kept variables.
    static std::vector<char *> kept;
    for (char *variable : caller_environment)
        if (variable && keeps_variable(variable)) kept.push_back(variable);
    kept.push_back(nullptr);
    environ = kept.data();
}

void set_right_what_is_inherited() {
    keep_environment();
    // close_range() is younger than some kernels.
    if (syscall(SYS_close_range, 3u, ~0u, 0u) != 0) {
        rlimit limit = {1024, 1024};
        getrlimit(RLIMIT_NOFILE, &limit);
        for (rlim_t fd = 3; fd < limit.rlim_max && fd < 1048576; fd++)
            close(static_cast<int>(fd));
    }
    for (int signal = 1; signal < NSIG; signal++) {
        // nohup's choice and a shell's for background jobs stand.
        if (signal != SIGHUP && signal != SIGINT && signal != SIGQUIT) ::signal(signal, SIG_DFL);
    }
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    alarm(0);
    const itimerval never = {};
    setitimer(ITIMER_VIRTUAL, &never, nullptr);
    setitimer(ITIMER_PROF, &never, nullptr);
    const rlimit no_core = {0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    // With too few descriptors, log entries would be lost.
    if (getrlimit(RLIMIT_NOFILE, &caller_descriptors) != 0) give_up("descriptors");
    const rlimit enough = {std::max(caller_descriptors.rlim_cur, kEnoughDescriptors),
                           std::max(caller_descriptors.rlim_max, kEnoughDescriptors)};
    if (setrlimit(RLIMIT_NOFILE, &enough) != 0) give_up("descriptors");
}

// All capabilities but these are given up; these, as far as there are any (a container may have less), are permitted
// and not in effect.
void keep_only(std::initializer_list<unsigned> numbers) {
    Capabilities have, keep;
    if (!have.get()) give_up("capget");
    for (unsigned number : numbers)
        keep.data[half(number)].permitted |= have.data[half(number)].permitted & bit(number);
    if (!keep.set()) give_up("capset");
}

void become_caller(uid_t uid, gid_t gid) {
    if (prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) != 0) give_up("PR_SET_KEEPCAPS");
    if (setresgid(gid, gid, gid) != 0) give_up("setresgid");
    if (setresuid(uid, uid, uid) != 0) give_up("setresuid");
    keep_only({CAP_SYS_MODULE, CAP_DAC_OVERRIDE, CAP_SYSLOG});
    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    prctl(PR_SET_KEEPCAPS, 0, 0, 0, 0);
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    uid_t real, effective, saved;
    gid_t real_group, effective_group, saved_group;
    if (getresuid(&real, &effective, &saved) != 0 || real != uid || effective != uid || saved != uid ||
        getresgid(&real_group, &effective_group, &saved_group) != 0 || real_group != gid || effective_group != gid ||
        saved_group != gid || setuid(0) == 0)
        give_up("identity");
}

Standing examine_groups() {
    std::vector<gid_t> groups(kMaxGroups);
    const int count = getgroups(kMaxGroups, groups.data());
    groups.resize(count > 0 ? static_cast<size_t>(count) : 0);
    groups.push_back(getgid());
    std::string file;
    if (read_file("/etc/group", kMaxGroupFile, file) != 0) return Standing::Nobody;
    return standing_of(groups, file);
}

}  // namespace

bool keeps_variable(const char *assignment) {
    const char *const kept[] = {"HOME", "LANG", "LANGUAGE", "LOGNAME", "PATH", "SHELL", "SYSTEMTAP_VERBOSE",
                                "TERM", "TZ",   "USER"};
    const char *end = strchr(assignment, '=');
    if (!end) return false;
    const std::string_view name(assignment, static_cast<size_t>(end - assignment));
    if (name.substr(0, 3) == "LC_") return true;
    for (const char *known : kept)
        if (name == known) return true;
    return false;
}

Caller enter_process() {
    Caller caller;
    caller.uid = getuid();
    caller.gid = getgid();
    set_user_id = caller.uid != 0 && (geteuid() != caller.uid || getauxval(AT_SECURE) != 0);
    if (!set_user_id) return caller;
    set_right_what_is_inherited();
    open_audit();
    become_caller(caller.uid, caller.gid);
    caller.standing = examine_groups();
    return caller;
}

Right::Right(Need need) {
    if (!set_user_id) return;
    Capabilities now;
    if (!now.get()) return;
    // Without one the call fails, with a message of its own.
    for (unsigned number : capabilities(need))
        now.data[half(number)].effective |= now.data[half(number)].permitted & bit(number);
    now.set();
}

Right::~Right() {
    if (!set_user_id) return;
    Capabilities now;
    if (!now.get()) give_up("capget");
    for (auto &part : now.data)
        part.effective = 0;
    if (!now.set()) give_up("capset");
}

void drop_privileges(bool keep_file_access, bool keep_process_access) {
    if (set_user_id) return keep_only({CAP_SYS_MODULE});
    Capabilities have;
    if (!have.get()) return;
    unsigned keep = bit(CAP_SYS_MODULE);
    if (keep_file_access) keep |= bit(CAP_DAC_OVERRIDE);
    if (keep_process_access) keep |= bit(CAP_SYS_PTRACE) | bit(CAP_DAC_READ_SEARCH);
    have.data[0].permitted &= keep;
    have.data[1].permitted = 0;
    for (auto &part : have.data) {
        part.effective = part.permitted;
        part.inheritable = 0;
    }
    // A refusal leaves more rights than needed, which is how staprun was started.
    have.set();
}

void drop_all_privileges() {
    if (set_user_id) keep_only({});
}

void restore_caller(Program &program) {
    if (!set_user_id) return;
    program.limits.push_back({RLIMIT_NOFILE, caller_descriptors});
    constexpr std::string_view kModule = "SYSTEMTAP_MODULE=";
    const char *module = getenv("SYSTEMTAP_MODULE");
    std::vector<std::string> variables;
    for (const char *variable : caller_environment)
        if (variable && !(module && std::string_view(variable).substr(0, kModule.size()) == kModule))
            variables.emplace_back(variable);
    if (module) variables.push_back(std::string(kModule) + module);
    program.environment = std::move(variables);
}

}  // namespace tapir::staprun
