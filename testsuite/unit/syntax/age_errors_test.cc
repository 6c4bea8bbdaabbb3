// SPDX-License-Identifier: GPL-2.0-or-later
// The text of the diagnostics of pass 1 about ages of arrays.
#include <gtest/gtest.h>

#include "parse.h"

namespace tapir::syntax {
namespace {

TEST(ParseError, AgeOutOfRange) {
    EXPECT_EQ(errors("global a age 99ms\nglobal b age 8785h\nglobal c age 5d\nglobal d age 60\nglobal e age 1s = 5"),
              "parse error: age out of range (100ms to 8784h)\n"
              "         at: number '99ms' at x.stp:1:14\n"
              "     source: global a age 99ms\n"
              "                          ^\n"
              "\n"
              "parse error: age out of range (100ms to 8784h)\n"
              "         at: number '8785h' at :2:14\n"
              "     source: global b age 8785h\n"
              "                          ^\n"
              "\n"
              "parse error: the age of elements is a number with a unit of time\n"
              "         at: number '5d' at :3:14\n"
              "     source: global c age 5d\n"
              "                          ^\n"
              "       help: write it as in age 60s; units are ns, us, ms, s, m, min and h\n"
              "\n"
              "parse error: expected 'probe', 'global', 'private', 'function', or '%{'\n"
              "        saw: identifier 'age' at :4:10\n"
              "     source: global d age 60\n"
              "                      ^\n"
              "       help: the age of elements has a unit of time: age 60s\n"
              "\n"
              "parse error: arrays cannot have initializers\n"
              "         at: number '5' at :5:19\n"
              "     source: global e age 1s = 5\n"
              "                               ^\n"
              "\n");
}

}  // namespace
}  // namespace tapir::syntax
