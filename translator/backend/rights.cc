// SPDX-License-Identifier: GPL-2.0-or-later
#include "backend/rights.h"

#include <grp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "common/find_program.h"

namespace tapir::driver {
namespace {

std::vector<gid_t> own_groups() {
    const int count = getgroups(0, nullptr);
    std::vector<gid_t> groups(count > 0 ? static_cast<size_t>(count) : 0);
    const int got = getgroups(static_cast<int>(groups.size()), groups.data());
    groups.resize(got > 0 ? static_cast<size_t>(got) : 0);
    groups.push_back(getgid());
    return groups;
}

// "" if nothing is known that stands in the way.
std::string why_no_run(const machine::Facts &facts, const LoaderRights &loader, bool from_server) {
    const std::string instead = "; -p4 builds the script only, and --vm runs it in a virtual machine";
    if (!facts.takes_modules) return "this kernel is built without loadable modules (CONFIG_MODULES)" + instead;
    if (facts.modules_disabled)
        return "this kernel loads no modules until it is booted again (kernel.modules_disabled is 1)" + instead;
    if (facts.may_load != machine::Answer::No) return "";
    if (loader.set_user_id) {
        if (loader.in_stapusr && (loader.in_stapdev || from_server)) return "";
        if (loader.in_stapusr)
            return "members of the group stapusr run only modules that are signed or approved: have the script built "
                   "by a build server (--use-server), or ask the administrator to add you to stapdev" +
                   instead;
        return "only root and members of the groups stapusr and stapdev run scripts that are built here: run as root, "
               "or ask the administrator to add you to both and log in again" +
               instead;
    }
    if (facts.is_root == machine::Answer::No) return "only root may load modules: run as root, as with sudo" + instead;
    return "this process may not load modules, as in a container or without the capability CAP_SYS_MODULE: run on the "
           "host, or in a container that was given the capability" +
           instead;
}

}  // namespace

LoaderRights read_loader_rights(const std::string &staprun) {
    LoaderRights rights;
    struct stat info = {};
    const Outcome<std::string> file = find_program(staprun);
    rights.set_user_id = file && stat(file->c_str(), &info) == 0 && info.st_uid == 0 && (info.st_mode & S_ISUID) != 0;
    const std::vector<gid_t> groups = own_groups();
    const auto in = [&](const char *name) {
        const group *found = getgrnam(name);
        return found && std::find(groups.begin(), groups.end(), found->gr_gid) != groups.end();
    };
    rights.in_stapusr = in("stapusr");
    rights.in_stapdev = in("stapdev");
    return rights;
}

bool may_run(const machine::Facts &facts, const LoaderRights &loader, bool from_server, Diagnostics &diagnostics) {
    const std::string why = why_no_run(facts, loader, from_server);
    if (!why.empty()) diagnostics.report(Tag::RightsMissing, why);
    return why.empty();
}

}  // namespace tapir::driver
