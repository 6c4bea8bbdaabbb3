// SPDX-License-Identifier: GPL-2.0-or-later
#include "audit.h"

#include <syslog.h>

#include "common/audit_field.h"
#include "common/plain_text.h"

namespace tapir::staprun {

const char *event_of(Action action) {
    return action == Action::Attach ? "attach" : action == Action::Remove ? "remove" : "insert";
}

std::string audit_line(const AuditRecord &record) {
    std::string out = format("event=%s decision=%s uid=%u gid=%u class=%s", record.event, record.decision,
                             record.caller.uid, record.caller.gid, name_of(record.caller.standing));
    const auto field = [&out](const char *name, const std::string &value) { add_audit_field(out, name, value); };
    field("module", record.module);
    field("sha256", record.sha256);
    field("signer", record.signer);
    field("fingerprint", record.fingerprint);
    field("signature", record.signature);
    field("kernel", record.kernel);
    field("tag", record.tag);
    field("reason", record.reason);
    return out;
}

void open_audit() {
    openlog("staprun", LOG_PID | LOG_NDELAY, LOG_AUTHPRIV);
}

void write_audit(const AuditRecord &record) {
    open_audit();
    const bool refused = record.decision == std::string_view("refused");
    syslog(refused ? LOG_WARNING : LOG_NOTICE, "%s", audit_line(record).c_str());
}

}  // namespace tapir::staprun
