// SPDX-License-Identifier: GPL-2.0-or-later
// The head of a script's text, for tests.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "tool/head.h"

namespace tapir::tool {

struct Read {
    std::unique_ptr<SourceFile> file;
    std::optional<Head> head;
    std::string messages;  // as a user sees them
};

inline Read read_text(const std::string &text) {
    Read read;
    read.file = std::make_unique<SourceFile>("t.stp", text, Origin::UserScript);
    Diagnostics diagnostics;
    read.head = read_head(*read.file, diagnostics);
    read.messages = render_all(diagnostics, true);
    return read;
}

// A script with one option that `spec` describes.
inline Read read_option(const std::string &initial, const std::string &spec) {
    return read_text("@option(o, " + initial + ", \"" + spec + "\")\nprobe begin { println(o) }\n");
}

}  // namespace tapir::tool
