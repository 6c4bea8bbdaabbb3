// SPDX-License-Identifier: GPL-2.0-or-later
#include "driver/clock.h"

#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>

namespace tapir::driver {
namespace {

long milliseconds(const timeval &time) {
    return time.tv_sec * 1000 + time.tv_usec / 1000;
}

void used(long &user_ms, long &system_ms) {
    rusage self = {}, children = {};
    getrusage(RUSAGE_SELF, &self);
    getrusage(RUSAGE_CHILDREN, &children);
    user_ms = milliseconds(self.ru_utime) + milliseconds(children.ru_utime);
    system_ms = milliseconds(self.ru_stime) + milliseconds(children.ru_stime);
}

}  // namespace

PassClock::PassClock() : start_(std::chrono::steady_clock::now()) {
    used(user_ms_, system_ms_);
}

std::string PassClock::times() const {
    long user = 0, system = 0;
    used(user, system);
    long real =
        std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - start_).count();
    return std::to_string(user - user_ms_) + "usr/" + std::to_string(system - system_ms_) + "sys/" +
           std::to_string(real) + "real ms";
}

std::string PassClock::memory() {
    unsigned long size = 0, resident = 0, shared = 0, text = 0, lib = 0, data = 0;
    if (FILE *file = std::fopen("/proc/self/statm", "re")) {
        if (std::fscanf(file, "%lu %lu %lu %lu %lu %lu", &size, &resident, &shared, &text, &lib, &data) != 6) size = 0;
        std::fclose(file);
    }
    unsigned long page_kb = static_cast<unsigned long>(sysconf(_SC_PAGESIZE)) / 1024;
    auto kb = [page_kb](unsigned long pages) { return std::to_string(pages * page_kb); };
    return kb(size) + "virt/" + kb(resident) + "res/" + kb(shared) + "shr/" + kb(data) + "data kb";
}

}  // namespace tapir::driver
