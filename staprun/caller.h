// SPDX-License-Identifier: GPL-2.0-or-later
// The user who runs staprun, and that user's standing on this machine.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tapir::staprun {

// A user's standing by groups, when staprun is installed set-user-ID.
enum class Standing : uint8_t {
    Nobody,     // not in stapusr
    User,       // stapusr
    System,     // stapusr and stapsys
    Developer,  // stapusr and stapdev
    Root,       // root itself, or staprun has no more rights than the user: the kernel decides
};

struct Caller {
    uid_t uid = 0;
    gid_t gid = 0;
    Standing standing = Standing::Root;

    bool restricted() const { return standing != Standing::Root; }
};

// "root", "stapdev", "stapsys", "stapusr", "nobody"
const char *name_of(Standing standing);

// The number of a group in the text of /etc/group; false if it is not there. Other sources of groups (LDAP, ...) are
// not asked: that would run libraries of the machine's choice with rights.
bool find_group(std::string_view group_file, std::string_view name, gid_t &out);

// `mine`: all groups of the process.
Standing standing_of(const std::vector<gid_t> &mine, std::string_view group_file);

}  // namespace tapir::staprun
