// SPDX-License-Identifier: GPL-2.0-or-later
// Command lines of stap, for tests: the options that they are, or the messages about them.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/help.h"
#include "options/options.h"

namespace tapir::driver {

using Words = std::vector<std::string>;

inline Options parsed(const Words &args) {
    Diagnostics diagnostics;
    Options options = parse_options(args, diagnostics);
    for (const auto &diagnostic : diagnostics.all())
        ADD_FAILURE() << diagnostic->message;
    return options;
}

// The messages of a command line that is wrong, one a line, each with the advice below it if `with_help`.
inline std::string refused(const Words &args, bool with_help = false) {
    Diagnostics diagnostics;
    parse_options(args, diagnostics);
    std::string all;
    for (const auto &diagnostic : diagnostics.all()) {
        EXPECT_EQ(diagnostic->tag, Tag::UsageError);
        all += diagnostic->message + "\n";
        for (const Diagnostic &cause : diagnostic->causes)
            if (with_help && is_help(cause)) all += "help: " + cause.message + "\n";
    }
    return all;
}

// The same with the advice.
inline std::string told(const Words &args) {
    return refused(args, true);
}

}  // namespace tapir::driver
