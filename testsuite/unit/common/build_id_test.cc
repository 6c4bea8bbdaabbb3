// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/build_id.h"

#include <gtest/gtest.h>

namespace tapir {
namespace {

// As gdb and elfutils look for them.
TEST(BuildId, NamesTheFileOfDebugSymbols) {
    EXPECT_EQ(debug_file_of_build("abcdef0123"), "/usr/lib/debug/.build-id/ab/cdef0123.debug");
    EXPECT_EQ(debug_file_of_build("abcdef0123", "/root/debug"), "/root/debug/.build-id/ab/cdef0123.debug");
}

}  // namespace
}  // namespace tapir
