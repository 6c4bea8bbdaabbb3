// SPDX-License-Identifier: GPL-2.0-or-later
#include "loader.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>

#include "text.h"

namespace tapir::staprun {

namespace {

constexpr size_t kSmallFile = 65536;

// Reads what the kernel logs between its construction and lines().
class KernelLog {
  public:
    KernelLog() : fd_(open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC)) {
        if (fd_ >= 0 && lseek(fd_, 0, SEEK_END) < 0) close_now();
    }
    ~KernelLog() { close_now(); }
    KernelLog(const KernelLog &) = delete;
    KernelLog &operator=(const KernelLog &) = delete;

    // Texts of the records that contain `word` or are about lockdown, without prefix and continuation lines.
    std::vector<std::string> lines(const std::string &word) {
        std::vector<std::string> out;
        char record[8192];
        while (fd_ >= 0) {
            ssize_t got = read(fd_, record, sizeof record);
            if (got < 0 && errno == EPIPE) continue;  // records were overwritten meanwhile
            if (got <= 0) break;
            std::string text(record, static_cast<size_t>(got));
            size_t begin = text.find(';');
            if (begin == std::string::npos) continue;
            text = text.substr(begin + 1, text.find('\n') - begin - 1);
            bool lockdown = text.compare(0, 9, "Lockdown:") == 0;  // names the process, not the module
            if (lockdown || text.find(word) != std::string::npos) out.push_back(text);
        }
        return out;
    }

  private:
    void close_now() {
        if (fd_ >= 0) close(fd_);
        fd_ = -1;
    }
    int fd_;
};

std::string first_line(const char *path) {
    std::string content;
    if (read_file(path, kSmallFile, content) != 0) return {};
    return content.substr(0, content.find('\n'));
}

void pause_ms(unsigned ms) {
    timespec wait = {static_cast<time_t>(ms / 1000), static_cast<long>(ms % 1000) * 1000000};
    nanosleep(&wait, nullptr);
}

std::string permission_reason(const ModuleFile &file, const KernelFacts &facts) {
    if (facts.modules_disabled)
        return "this kernel loads no modules until it is booted again (kernel.modules_disabled is 1)";
    if (!facts.lockdown.empty())
        return format(
            "the kernel is locked down (%s, usually because of Secure Boot) and takes only modules signed with a key "
            "it "
            "trusts; this module is %s",
            facts.lockdown.c_str(), file.is_signed() ? "signed with another key" : "not signed");
    if (geteuid() != 0) return "permission denied: only root may load modules";
    return "permission denied: this process may not load modules (in a container, or without the capability "
           "CAP_SYS_MODULE)";
}

std::string reason_for(int error, const ModuleFile &file, const KernelFacts &facts) {
    const char *name = file.name().c_str();
    switch (error) {
        case EPERM:
        case EACCES:
            return permission_reason(file, facts);
        case ENOKEY:
            return "the kernel takes only signed modules; this one is not signed with a key it trusts";
        case EKEYREJECTED:
            return "the kernel rejected the module's signature";
        case EBADMSG:
            return "the module's signature is damaged";
        case ENOEXEC:
            if (!file.release().empty() && file.release() != facts.release)
                return format(
                    "it was built for kernel %s (%s), this kernel is %s; translate the script again with -r %s",
                    file.release().c_str(), file.vermagic().c_str(), facts.release.c_str(), facts.release.c_str());
            return format(
                "the kernel says it does not fit (module built for '%s', kernel %s); translate the script again",
                file.vermagic().c_str(), facts.release.c_str());
        case EEXIST:
            return format(
                "a module of that name is already loaded; 'staprun -A %s' attaches to it, 'staprun -d %s' removes it, "
                "-R loads under a unique name",
                name, name);
        case EBUSY:
            return "a module of that name is being loaded or removed at this moment; try again";
        case ENOMEM:
            return "the kernel has not enough memory for it";
        case ENOENT:
            return "it needs a symbol that this kernel does not have";
        case EINVAL:
            return "Invalid parameters";
        case ENOSYS:
            return "this kernel is built without loadable modules";
        default:
            return strerror(error);
    }
}

}  // namespace

KernelFacts read_kernel_facts() {
    KernelFacts facts;
    utsname names = {};
    if (uname(&names) == 0) facts.release = names.release;
    std::string lockdown = first_line("/sys/kernel/security/lockdown");  // "none [integrity] confidentiality"
    size_t open = lockdown.find('[');
    size_t shut = lockdown.find(']');
    if (open != std::string::npos && shut != std::string::npos && open < shut)
        facts.lockdown = lockdown.substr(open + 1, shut - open - 1);
    if (facts.lockdown == "none") facts.lockdown.clear();
    facts.modules_disabled = first_line("/proc/sys/kernel/modules_disabled") == "1";
    return facts;
}

std::string explain_insert_error(int error, const std::string &path, const ModuleFile &file, const KernelFacts &facts,
                                 const std::vector<std::string> &log) {
    KernelFacts known = facts;
    // Where securityfs is not mounted, only the log tells.
    for (const std::string &line : log)
        if (known.lockdown.empty() && line.compare(0, 9, "Lockdown:") == 0) known.lockdown = "see the kernel log";
    std::string text = format("Couldn't insert module '%s': %s", path.c_str(), reason_for(error, file, known).c_str());
    for (const std::string &line : log)
        text += "\nkernel log: " + line;
    return text;
}

int insert_module(const ModuleFile &file, const std::string &path, std::vector<std::string> &log) {
    KernelLog kernel_log;
    int error = 0;
    int fd = file.renamed() ? -1 : open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        error = syscall(SYS_finit_module, fd, "", 0) == 0 ? 0 : errno;
        close(fd);
    }
    if (fd < 0 || error == ENOSYS)
        error = syscall(SYS_init_module, file.image().data(), file.image().size(), "") == 0 ? 0 : errno;
    if (error) {
        // Some messages carry the name from .modinfo, which renaming leaves alone: both begin alike.
        std::string word = file.name().substr(0, std::min<size_t>(file.name().size(), 12));
        log = kernel_log.lines(word);
    }
    return error;
}

int remove_module(const std::string &name, unsigned patience_ms) {
    unsigned waited = 0;
    for (unsigned step = 1;; step = std::min(step * 2, 50u)) {
        if (syscall(SYS_delete_module, name.c_str(), O_NONBLOCK) == 0) return 0;
        int error = errno;
        bool worth_waiting = error == EAGAIN || error == EBUSY;
        if (!worth_waiting || waited >= patience_ms) return error;
        pause_ms(step);
        waited += step;
    }
}

std::vector<std::string> list_tapir_modules() {
    constexpr char prefix[] = "tapir-";
    std::vector<std::string> names;
    DIR *directory = opendir("/proc");
    if (!directory) return names;
    while (const dirent *entry = readdir(directory)) {
        if (strncmp(entry->d_name, prefix, sizeof prefix - 1) == 0)
            names.emplace_back(entry->d_name + sizeof prefix - 1);
    }
    closedir(directory);
    std::sort(names.begin(), names.end());
    return names;
}

}  // namespace tapir::staprun
