// SPDX-License-Identifier: GPL-2.0-or-later
#include "vm/accel.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "arch/arch.h"
#include "common/files.h"
#include "common/find_program.h"

namespace fs = std::filesystem;

namespace tapir::vm {

std::string kvm_circumstances() {
    std::string boot = read_file("/proc/sys/kernel/random/boot_id").value_or("?");
    boot = boot.substr(0, boot.find('\n'));
    struct stat status {};
    if (const Outcome<std::string> qemu = find_program(std::string(arch::host().guest.program)))
        stat(qemu->c_str(), &status);
    return boot + " " + std::to_string(status.st_mtime) + " " + std::to_string(status.st_size);
}

bool kvm_works(const GuestConfig &config, const std::string &cache, int signal_fd, const Progress &progress,
               int &interrupted_by) {
    if (access("/dev/kvm", R_OK | W_OK) != 0) return false;
    std::string path = cache + "/kvm-verdict", circumstances = kvm_circumstances();
    if (auto verdict = read_file(path)) {
        if (*verdict == circumstances + " works\n") return true;
        if (*verdict == circumstances + " fails\n") return false;
    }
    if (progress) progress("testing whether KVM works here (at most ten seconds, once)");
    GuestConfig test = config;
    test.root.clear();
    test.shares.clear();
    test.forwards.clear();
    test.console.clear();
    test.kvm = true;
    test.cpus = 1;
    test.memory_mb = 256;
    test.boot_seconds = 10;
    Guest guest;
    Diagnostics unheard;
    bool works = guest.boot(test, signal_fd, unheard);
    interrupted_by = guest.interrupted_by();
    if (interrupted_by) return false;
    std::error_code error;
    fs::create_directories(cache, error);
    replace_file(path, circumstances + (works ? " works\n" : " fails\n"));  // where it cannot be kept, test again
    return works;
}

}  // namespace tapir::vm
