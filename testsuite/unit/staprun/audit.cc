// SPDX-License-Identifier: GPL-2.0-or-later
#include "audit.h"

#include <gtest/gtest.h>

namespace tapir::staprun {
namespace {

TEST(StaprunAudit, OneLineWithWhatIsKnown) {
    AuditRecord record = {"insert", "allowed", {1000, 100, Standing::System}};
    record.module = "stap_x";
    record.sha256 = "ab";
    record.signer = "CN=Signer";
    record.kernel = "6.1.0";
    record.tag = "signed";
    EXPECT_EQ(
        "event=insert decision=allowed uid=1000 gid=100 class=stapsys module=\"stap_x\" sha256=\"ab\" "
        "signer=\"CN=Signer\" "
        "kernel=\"6.1.0\" tag=\"signed\"",
        audit_line(record));
}

TEST(StaprunAudit, NoFieldEndsItselfOrTheLine) {
    AuditRecord record = {"insert", "refused", {1000, 100, Standing::User}};
    record.module = "x\" decision=\"allowed\nAug 1 staprun: event=insert\x1b[2J\\\xff%s";
    EXPECT_EQ(
        "event=insert decision=refused uid=1000 gid=100 class=stapusr "
        "module=\"x\\x22 decision=\\x22allowed\\x0aAug 1 staprun: event=insert\\x1b[2J\\x5c\\xff%s\"",
        audit_line(record));
    record.module = std::string(100000, 'x');
    EXPECT_LT(audit_line(record).size(), 400u);
}

}  // namespace
}  // namespace tapir::staprun
