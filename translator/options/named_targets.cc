// SPDX-License-Identifier: GPL-2.0-or-later
#include "options/named_targets.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <functional>
#include <optional>

#include "common/command_text.h"
#include "common/process_id.h"

namespace tapir::driver {
namespace {

namespace fs = std::filesystem;

std::optional<int64_t> whole_number(std::string_view text) {
    int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
}

Fault no_target(std::string text, std::string hint = {}) {
    return Fault{FaultTag::Misuse, std::move(text), std::move(hint)};
}

Outcome<std::vector<int64_t>> processes_of_group(int64_t group) {
    std::vector<int64_t> pids =
        processes_where([&](int64_t pid) { return getpgid(static_cast<pid_t>(pid)) == static_cast<pid_t>(group); });
    if (pids.empty())
        return no_target("no process is in the process group " + std::to_string(group), "ps -o pid,pgid,args -e");
    return pids;
}

// The mount point of the second version of control groups, or of the first one's that systemd uses.
std::string cgroup_root() {
    std::error_code error;
    for (const char *root : {"/sys/fs/cgroup", "/sys/fs/cgroup/unified", "/sys/fs/cgroup/systemd"})
        if (fs::exists(std::string(root) + "/cgroup.procs", error)) return root;
    return "/sys/fs/cgroup";
}

// The groups below the root whose names are wanted, as paths below it. The groups inside of these are not looked at.
std::vector<std::string> groups_where(const std::string &root, const std::function<bool(const std::string &)> &wanted) {
    std::vector<std::string> found;
    std::error_code error;
    auto walk = fs::recursive_directory_iterator(root, fs::directory_options::skip_permission_denied, error);
    for (; !error && walk != fs::recursive_directory_iterator(); walk.increment(error)) {
        if (!walk->is_directory(error) || !wanted(walk->path().filename())) continue;
        found.push_back(walk->path().string().substr(root.size()));
        walk.disable_recursion_pending();
    }
    std::sort(found.begin(), found.end());
    return found;
}

Outcome<std::string> only_one(std::vector<std::string> groups, const std::string &what, const std::string &hint) {
    if (groups.empty()) return no_target("there is no control group of " + what, hint);
    if (groups.size() == 1) return groups.front();
    return no_target("there are several control groups of " + what,
                     "choose one with --cgroup: " + groups[0] + ", " + groups[1] + (groups.size() > 2 ? ", ..." : ""));
}

}  // namespace

Outcome<std::vector<int64_t>> processes_of(const std::string &list, bool here) {
    if (list.starts_with('-')) {
        const std::optional<int64_t> group = whole_number(std::string_view(list).substr(1));
        if (!group || *group < 1) return no_target("'" + list + "' is not a process group", "write -PGID, such as -42");
        if (!here) return no_target("the process group " + list + " cannot be looked up here", "name processes");
        return processes_of_group(*group);
    }
    std::vector<int64_t> pids;
    for (size_t at = 0; at <= list.size();) {
        const size_t end = std::min(list.find(',', at), list.size());
        const std::string word = list.substr(at, end - at);
        const std::optional<int64_t> pid = whole_number(word);
        if (!pid || *pid < 1) return no_target("'" + word + "' is not a process ID", "pidof NAME and ps -e list them");
        if (const std::string why = here ? why_no_process(*pid) : ""; !why.empty()) return no_target(why);
        if (std::find(pids.begin(), pids.end(), *pid) == pids.end()) pids.push_back(*pid);
        at = end + 1;
    }
    return pids;
}

Outcome<std::vector<int64_t>> processes_running(const std::string &path) {
    std::error_code error;
    const fs::path program = fs::canonical(path, error);
    if (error) return no_target("'" + path + "' cannot be looked up: " + error.message(), "--exe takes a path");
    bool hidden = false;
    std::vector<int64_t> pids = processes_where([&](int64_t pid) {
        std::error_code unreadable;
        const fs::path exe = fs::read_symlink("/proc/" + std::to_string(pid) + "/exe", unreadable);
        hidden = hidden || unreadable == std::errc::permission_denied;
        return !unreadable && exe == program;
    });
    if (pids.empty())
        return no_target("no process runs " + program.string(),
                         hidden && geteuid() != 0 ? "only root sees what the processes of others run" : "");
    return pids;
}

Outcome<std::string> cgroup_of_unit(const std::string &unit) {
    if (unit.empty() || unit.find('/') != std::string::npos)
        return no_target("'" + unit + "' is not the name of a unit");
    const bool whole = unit.ends_with(".service") || unit.ends_with(".scope") || unit.ends_with(".slice");
    return only_one(groups_where(cgroup_root(),
                                 [&](const std::string &name) {
                                     return whole ? name == unit : name == unit + ".service" || name == unit + ".scope";
                                 }),
                    "the unit '" + unit + "'", "systemctl status " + shell_word(unit) + " says whether it runs");
}

Outcome<std::string> cgroup_of_container(const std::string &container) {
    if (container.size() < 2 || container.find('/') != std::string::npos)
        return no_target("'" + container + "' is not the ID of a container");
    // docker-ID.scope, libpod-ID.scope, cri-containerd-ID.scope, machine-NAME.scope, lxc.payload.NAME, or the ID alone.
    const auto wanted = [&](const std::string &name) {
        std::string_view id = name;
        if (id.ends_with(".scope")) id.remove_suffix(6);
        for (const std::string_view prefix :
             {"docker-", "libpod-", "cri-containerd-", "crio-", "machine-", "lxc.payload.", "systemd-nspawn@"})
            if (id.starts_with(prefix)) {
                id.remove_prefix(prefix.size());
                return id.starts_with(container);
            }
        return id == container || (container.size() >= 12 && id.starts_with(container));
    };
    return only_one(groups_where(cgroup_root(), wanted), "the container '" + container + "'",
                    "give its ID, as podman ps or docker ps shows it");
}

}  // namespace tapir::driver
