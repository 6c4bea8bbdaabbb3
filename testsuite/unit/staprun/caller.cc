// SPDX-License-Identifier: GPL-2.0-or-later
#include "caller.h"

#include <gtest/gtest.h>

#include "privileges.h"

namespace tapir::staprun {
namespace {

constexpr char kGroups[] =
    "root:x:0:\n"
    "xstapusr:x:1:\n"
    "stapusrx:x:2:\n"
    "stapusr:x:156:mallory\n"
    "stapsys:x:157:\n"
    "stapdev:x:158:\n";

TEST(StaprunCaller, GroupsMakeTheStanding) {
    EXPECT_EQ(Standing::Nobody, standing_of({}, kGroups));
    EXPECT_EQ(Standing::Nobody, standing_of({0, 1, 2}, kGroups));
    EXPECT_EQ(Standing::User, standing_of({1000, 156}, kGroups));
    EXPECT_EQ(Standing::System, standing_of({156, 157}, kGroups));
    EXPECT_EQ(Standing::Developer, standing_of({158, 156}, kGroups));
    EXPECT_EQ(Standing::Developer, standing_of({156, 157, 158}, kGroups));
    // The others are nothing without stapusr.
    EXPECT_EQ(Standing::Nobody, standing_of({157, 158}, kGroups));
}

TEST(StaprunCaller, GroupFilesThatAreNot) {
    gid_t group = 0;
    for (const char *text :
         {"", "stapusr", "stapusr:", "stapusr:x", "stapusr:x:", "stapusr:x:abc:", "stapusr:x:-1:", "stapusr:x:0:",
          "stapusr:x:0x9c:", "stapusr:x:0156:", "stapusr:x:4294967295:", "stapusr:x:99999999999999999999:"})
        EXPECT_FALSE(find_group(text, "stapusr", group)) << text;
    EXPECT_TRUE(find_group("stapusr:x:4294967294", "stapusr", group));
    EXPECT_EQ(4294967294u, group);
    // The first line counts, as for everybody who reads the file.
    EXPECT_FALSE(find_group("stapusr:x:zero:\nstapusr:x:5:\n", "stapusr", group));
}

TEST(StaprunCaller, VariablesOfTheEnvironmentThatStay) {
    for (const char *good :
         {"PATH=/bin", "LANG=C", "LC_ALL=C", "TERM=xterm", "TZ=Europe/Berlin", "HOME=/", "SYSTEMTAP_VERBOSE=2"})
        EXPECT_TRUE(keeps_variable(good)) << good;
    for (const char *bad :
         {"LD_PRELOAD=x", "LD_LIBRARY_PATH=x", "OPENSSL_CONF=x", "OPENSSL_MODULES=x", "OPENSSL_ENGINES=x",
          "SSL_CERT_FILE=x", "GCONV_PATH=x", "LOCPATH=x", "GLIBC_TUNABLES=x", "MALLOC_CHECK_=3", "TZDIR=x", "TMPDIR=x",
          "IFS=x", "PATHX=x", "PATH", "=PATH", "", "SYSTEMTAP_MODULE=x"})
        EXPECT_FALSE(keeps_variable(bad)) << bad;
}

}  // namespace
}  // namespace tapir::staprun
