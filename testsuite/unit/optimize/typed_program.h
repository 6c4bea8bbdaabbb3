// SPDX-License-Identifier: GPL-2.0-or-later
// A typed program from script text, without tapsets.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "library/library.h"
#include "optimize/optimize.h"
#include "resolve/elaborate.h"
#include "syntax/parser.h"
#include "types/infer.h"

namespace tapir::test {

struct TypedProgram {
    explicit TypedProgram(std::string text, Origin origin = Origin::UserScript)
        : source("test.stp", std::move(text), origin) {
        std::vector<std::unique_ptr<ast::File>> files;
        syntax::ParseOptions parse;
        parse.guru = true;
        files.push_back(syntax::parse(source, parse, diagnostics));
        resolve::ElaborateOptions options;
        options.guru = true;
        program = resolve::elaborate(std::move(files), library, options, diagnostics);
        EXPECT_EQ("", render_all(diagnostics, false));
        types::infer(*program, {.autoprint = false}, diagnostics);
        EXPECT_EQ("", render_all(diagnostics, false));
    }

    // The body of the script's first handler after the passes.
    std::string body() const { return ast::print(*program->handlers.at(0)->body); }

    Diagnostics diagnostics;
    SourceFile source;
    library::Library library{library::Index(), [](const SourceFile &, Diagnostics &) { return nullptr; }, diagnostics};
    std::unique_ptr<resolve::Program> program;
};

}  // namespace tapir::test
