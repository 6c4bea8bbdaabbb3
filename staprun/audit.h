// SPDX-License-Identifier: GPL-2.0-or-later
// Records of sessions in the system's log (facility authpriv). docs/security.md has the format.
#pragma once

#include <string>

#include "caller.h"
#include "loader_options.h"

namespace tapir::staprun {

struct AuditRecord {
    const char *event = "";  // "insert", "attach", "remove", "end"
    // "allowed", "refused"; of an end "done", "failed"; "failed" of an insertion that the kernel refused.
    const char *decision = "";
    Caller caller;
    std::string module = {};       // its name, or the word on the command line before it is known
    std::string sha256 = {};       // of its file
    std::string signer = {};       // subject of the certificate
    std::string fingerprint = {};  // of the certificate
    std::string signature = {};    // the manifest's id
    std::string kernel = {};       // `uname -r`
    std::string tag = {};          // why, for programs
    std::string reason = {};       // why, for people
};

const char *event_of(Action action);

// Formats one line. No value can end its field or the line.
std::string audit_line(const AuditRecord &record);

// Connects to the system's log now, for a time when there may be no descriptors left.
void open_audit();
void write_audit(const AuditRecord &record);

}  // namespace tapir::staprun
