// SPDX-License-Identifier: GPL-2.0-or-later
#include "target/cache_dir.h"

#include <pwd.h>
#include <unistd.h>

#include <cstdlib>

namespace tapir::target {

static std::string environment(const char *name) {
    const char *value = std::getenv(name);
    return value ? value : "";
}

std::string cache_dir() {
    if (std::string dir = environment("TAPIR_CACHE_DIR"); !dir.empty()) return dir;
    if (std::string dir = environment("SYSTEMTAP_DIR"); !dir.empty()) return dir + "/tapir";
    if (std::string dir = environment("XDG_CACHE_HOME"); !dir.empty()) return dir + "/tapir";
    std::string home = environment("HOME");
    if (home.empty()) {
        const passwd *entry = getpwuid(geteuid());
        home = entry && entry->pw_dir ? entry->pw_dir : "/root";
    }
    return home + "/.cache/tapir";
}

}  // namespace tapir::target
