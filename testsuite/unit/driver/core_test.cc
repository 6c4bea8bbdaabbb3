// SPDX-License-Identifier: GPL-2.0-or-later
// Core files that cannot be used: said before anything is translated.
#include <gtest/gtest.h>

#include "driver/program_run.h"

namespace tapir::driver {
namespace {

TEST(DriverCore, CoreUnusable) {
    Diagnostics diagnostics;
    const Options options = parse_options({"--core=/nowhere/core", "-e", "probe process.snapshot { }"}, diagnostics);
    testing::internal::CaptureStderr();
    EXPECT_EQ(1, ProgramRun(options, diagnostics).run());
    EXPECT_EQ("ERROR: the core file /nowhere/core cannot be read: No such file or directory\n",
              testing::internal::GetCapturedStderr());
}

}  // namespace
}  // namespace tapir::driver
