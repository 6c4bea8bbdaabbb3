// SPDX-License-Identifier: GPL-2.0-or-later
#include "vm/agent/mounts.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/files.h"

namespace tapir::vm::agent {
namespace {

// 9p: the largest message virtio carries, and no revalidation of what a read-only host tree said once.
constexpr char p9_root[] = "trans=virtio,version=9p2000.L,msize=512000,cache=loose";
constexpr char p9_share[] = "trans=virtio,version=9p2000.L,msize=512000,cache=none";

Fault failure(const std::string &what) {
    return {FaultTag::GuestNotPrepared, what + ": " + strerror(errno)};
}

void make_path(const std::string &path) {
    for (size_t slash = path.find('/', 1); slash != std::string::npos; slash = path.find('/', slash + 1))
        mkdir(path.substr(0, slash).c_str(), 0755);
    mkdir(path.c_str(), 0755);
}

bool mount_at(const char *type, const std::string &source, const std::string &target, unsigned long flags,
              const std::string &data) {
    make_path(target);
    return mount(source.c_str(), target.c_str(), type, flags, data.c_str()) == 0;
}

// Symbolic links such as /lib -> usr/lib are followed by the kernel only from the root they belong to.
std::string modules_dir(const std::string &root, const std::string &release) {
    struct stat status;
    bool merged = lstat((root + "/lib").c_str(), &status) == 0 && S_ISLNK(status.st_mode);
    return root + (merged ? "/usr/lib/modules/" : "/lib/modules/") + release;
}

// Mounts the kernel's own modules over the root's for that release (a headers package leaves `build` there).
Outcome<void> show_modules(const Config &config) {
    std::string top = "/ro" + config.modules_path;
    if (config.modules_path.empty()) {
        top = "/kmod";
        if (!mount_at("9p", config.modules_tag, top, MS_RDONLY, p9_root))
            return failure("mounting the kernel's modules");
    }
    std::string target = modules_dir("/newroot", config.modules_release);
    std::string below = modules_dir("/ro", config.modules_release);
    mkdir("/rw/mu", 0755);
    mkdir("/rw/mw", 0755);
    std::string layers = "lowerdir=" + top + (is_directory(below) ? ":" + below : "");
    if (!mount_at("overlay", "modules", target, 0, layers + ",upperdir=/rw/mu,workdir=/rw/mw"))
        return failure("mounting " + target.substr(8));
    return {};
}

// Mounts the file systems of a running system. Kernels may lack some; a script that needs one will say so.
void mount_kernel_views(const std::string &root) {
    mount_at("devpts", "devpts", root + "/dev/pts", MS_NOSUID | MS_NOEXEC, "mode=620,ptmxmode=666");
    mount_at("tmpfs", "shm", root + "/dev/shm", MS_NOSUID | MS_NODEV, "mode=1777");
    mount_at("tmpfs", "run", root + "/run", MS_NOSUID | MS_NODEV, "mode=755");
    mount("tracefs", (root + "/sys/kernel/tracing").c_str(), "tracefs", 0, "");
    mount("debugfs", (root + "/sys/kernel/debug").c_str(), "debugfs", 0, "");
    mount("bpf", (root + "/sys/fs/bpf").c_str(), "bpf", 0, "");
    mount("cgroup2", (root + "/sys/fs/cgroup").c_str(), "cgroup2", 0, "");
    symlink("/proc/self/fd", (root + "/dev/fd").c_str());
    symlink("/proc/self/fd/0", (root + "/dev/stdin").c_str());
    symlink("/proc/self/fd/1", (root + "/dev/stdout").c_str());
    symlink("/proc/self/fd/2", (root + "/dev/stderr").c_str());
}

bool set_address(int fd, ifreq &request, unsigned long what, const char *address) {
    sockaddr_in value{};
    value.sin_family = AF_INET;
    inet_pton(AF_INET, address, &value.sin_addr);
    memcpy(&request.ifr_addr, &value, sizeof value);
    return ioctl(fd, what, &request) == 0;
}

// The address that QEMU's user network expects at a guest, "" = the device has one.
Outcome<void> raise_device(const char *name, const char *address) {
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    ifreq request{};
    strcpy(request.ifr_name, name);
    bool good = fd >= 0;
    if (good && *address)
        good =
            set_address(fd, request, SIOCSIFADDR, address) && set_address(fd, request, SIOCSIFNETMASK, "255.255.255.0");
    request.ifr_flags = IFF_UP | IFF_RUNNING;
    good = good && ioctl(fd, SIOCSIFFLAGS, &request) == 0;
    Outcome<void> raised = good ? Outcome<void>() : failure(std::string("setting up ") + name);
    if (fd >= 0) close(fd);
    return raised;
}

}  // namespace

void mount_essentials() {
    mount_at("devtmpfs", "dev", "/dev", MS_NOSUID, "mode=755");
    mount_at("proc", "proc", "/proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, "");
    mount_at("sysfs", "sys", "/sys", MS_NOSUID | MS_NODEV | MS_NOEXEC, "");
}

std::string insert_modules(const Config &config) {
    std::string failures;
    for (const std::string &path : config.modules) {
        int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
        if (fd < 0 || (syscall(SYS_finit_module, fd, "", 0) != 0 && errno != EEXIST))
            failures += failure("inserting " + path.substr(1)).text + "; ";
        if (fd >= 0) close(fd);
        unlink(path.c_str());
    }
    return failures;
}

Outcome<void> enter_root(const Config &config) {
    if (!mount_at("9p", config.root_tag, "/ro", MS_RDONLY, p9_root)) return failure("mounting the host's file system");
    if (!mount_at("tmpfs", "tmpfs", "/rw", 0, "mode=755")) return failure("mounting a tmpfs");
    mkdir("/rw/u", 0755);
    mkdir("/rw/w", 0755);
    if (!mount_at("overlay", "root", "/newroot", 0, "lowerdir=/ro,upperdir=/rw/u,workdir=/rw/w"))
        return failure("mounting the overlay");
    if (!config.modules_release.empty())
        if (Outcome<void> shown = show_modules(config); !shown) return shown;
    for (const char *dir : {"/dev", "/proc", "/sys"}) {
        std::string target = std::string("/newroot") + dir;
        make_path(target);
        if (mount(dir, target.c_str(), nullptr, MS_MOVE, nullptr) != 0) return failure("moving " + target);
    }
    mount_kernel_views("/newroot");
    for (const Share &share : config.shares)
        if (!mount_at("9p", share.tag, "/newroot" + share.path, 0, p9_share))
            return failure("mounting the share " + share.path);
    if (chdir("/newroot") != 0 || mount(".", "/", nullptr, MS_MOVE, nullptr) != 0 || chroot(".") != 0 ||
        chdir("/") != 0)
        return failure("changing the root");
    static_cast<void>(raise_device("lo", ""));  // some kernels have none
    sethostname("tapir-vm", 8);
    return config.network ? raise_device("eth0", "10.0.2.15") : Outcome<void>();
}

}  // namespace tapir::vm::agent
