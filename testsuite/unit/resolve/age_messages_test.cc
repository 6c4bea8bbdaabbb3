// SPDX-License-Identifier: GPL-2.0-or-later
// Messages of pass 2 about ages of arrays, whole.
#include "pass2.h"

namespace tapir::resolve {
namespace {

TEST(ResolveMessages, AgeOfScalar) {
    EXPECT_EQ(diagnose("global a age 5s probe begin { a = 1 println(a) }"),
              "semantic error: an age is for arrays only: identifier 'a' at <input>:1:8\n"
              "        source: global a age 5s probe begin { a = 1 println(a) }\n"
              "                       ^\n"
              "\n"
              "semantic error: used as a scalar here: identifier 'a' at :1:31\n"
              "        source: global a age 5s probe begin { a = 1 println(a) }\n"
              "                                              ^\n"
              "\n");
}

}  // namespace
}  // namespace tapir::resolve
