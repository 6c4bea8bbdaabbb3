// SPDX-License-Identifier: GPL-2.0-or-later
// Permissions of a set-user-ID staprun. Nothing here changes anything; docs/security.md has the rules.
#pragma once

#include <string>

#include "caller.h"
#include "common/outcome.h"
#include "loader_options.h"
#include "module/module_file.h"
#include "trust/store.h"
#include "trust/verify.h"

namespace tapir::staprun {

// Checks whether this caller may use staprun with these options at all: else NotAMember or OptionRefused.
Outcome<void> check_caller(const Caller &caller, const Options &options);

// Checks that -x names a process, and one this caller may point a script at: else TargetRefused. Looks at /proc.
Outcome<void> check_target(const Caller &caller, const Options &options);

// A module's file as the caller can read it.
struct Source {
    std::string path;
    std::string image;
    Outcome<void> readable;  // ModuleUnreadable
    uid_t owner = 0;
    bool writable_by_all = false;
    bool approved = false;   // root keeps it for users: see read_source()
    Outcome<void> approval;  // PathUnsafe if it is in a directory for that and is not approved
};

// Where administrators keep modules that users may run.
std::vector<std::string> approved_directories(const std::string &release);

// Reads a regular file without following a link at its end. A file in one of `approved` is approved if only root can
// have changed it and every directory above it.
Source read_source(const std::string &path, size_t limit, const std::vector<std::string> &approved,
                   const trust::Protection &protection);

struct Admission {
    Outcome<void> outcome;   // of staprun's tags and those of trust
    trust::Verdict verdict;  // when there was a signature to look at
    const char *tag = "";    // why it is admitted: "developer", "approved", "signed"
};

struct TrustPlace {
    std::string path = trust::kStorePath;
    trust::Protection protection;
};

// Decides whether this caller may insert the module.
Admission admit(const Caller &caller, const Source &source, const ModuleFile &file, const trust::Subject &subject,
                const TrustPlace &place, int64_t now);

}  // namespace tapir::staprun
