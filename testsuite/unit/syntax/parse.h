// SPDX-License-Identifier: GPL-2.0-or-later
// Parsing for tests: a text in, the tree and everything reported out.
#pragma once

#include <fstream>
#include <memory>
#include <sstream>
#include <string>

#include "syntax/parser.h"

namespace tapir::syntax {

inline PreprocessorFacts test_facts() {
    PreprocessorFacts facts;
    facts.kernel_v = "6.1.0";
    facts.kernel_vr = "6.1.0-56-amd64";
    facts.arch = "x86_64";
    facts.config = [](const std::string &name) -> std::optional<std::string> {
        if (name == "CONFIG_SMP") return "y";
        if (name == "CONFIG_HZ") return "250";
        if (name == "CONFIG_NR_CPUS") return "8192";
        return std::nullopt;
    };
    return facts;
}

struct Parsed {
    explicit Parsed(const std::string &text, bool guru = false, std::vector<std::string> args = {},
                    const MacroTable *macros = nullptr)
        : source("x.stp", text, Origin::UserScript) {
        ParseOptions options;
        options.guru = guru;
        options.args = std::move(args);
        options.facts = test_facts();
        options.library_macros = macros;
        options.used_args = &used_args;
        file = parse(source, options, diagnostics);
    }
    std::string printed() const { return ast::print(*file); }
    std::string messages() const { return render_all(diagnostics, true); }

    SourceFile source;
    Diagnostics diagnostics;
    std::set<size_t> used_args;
    std::unique_ptr<ast::File> file;
};

// The printed form of one expression, taken as a statement of a probe; the messages when it does not parse.
inline std::string expression(const std::string &text, bool guru = true) {
    Parsed parsed("probe p { " + text + " }", guru);
    if (parsed.diagnostics.has_errors()) return parsed.messages();
    const auto &body = static_cast<const ast::Block &>(*parsed.file->probes.at(0)->body).body;
    std::string out;
    for (const auto &stmt : body)
        out += (out.empty() ? "" : " ") + ast::print(*stmt);
    while (!out.empty() && out.back() == '\n')
        out.pop_back();
    return out;
}

// All messages for a text.
inline std::string errors(const std::string &text, bool guru = false, std::vector<std::string> args = {},
                          const MacroTable *macros = nullptr) {
    return Parsed(text, guru, std::move(args), macros).messages();
}

inline std::string read_text(const std::string &path) {
    std::ifstream in(path, std::ios::binary);
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
}

}  // namespace tapir::syntax
