// SPDX-License-Identifier: GPL-2.0-or-later
// Pass 1 on any bytes: it ends, reports without breaking the terminal, and what it accepts prints and parses back the
// same. The first line, when it begins with "#!", gives script arguments.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>

#include "ast/ast.h"
#include "base/diagnostics.h"
#include "syntax/parser.h"

using namespace tapir;

namespace {

syntax::ParseOptions options(const std::string &text) {
    syntax::ParseOptions result;
    result.guru = true;
    result.facts.kernel_v = "6.1.0";
    result.facts.kernel_vr = "6.1.0-56-amd64";
    result.facts.arch = "x86_64";
    result.facts.config = [](const std::string &) { return std::optional<std::string>("y"); };
    if (text.starts_with("#!")) {
        std::istringstream words(text.substr(2, text.find('\n') - 2));
        for (std::string word; result.args.size() < 9 && words >> word;)
            result.args.push_back(word);
    }
    return result;
}

void require(bool good, const char *what, const std::string &detail) {
    if (good) return;
    fprintf(stderr, "%s\n%s\n", what, detail.c_str());
    abort();
}

void require_printable(const std::string &text) {
    for (unsigned char c : text)
        require(c >= 0x20 ? c != 0x7f : c == '\n' || c == '\t', "a message would control the terminal", text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    std::string text(reinterpret_cast<const char *>(data), size);
    SourceFile file("fuzz.stp", text, Origin::UserScript);
    Diagnostics diagnostics;
    auto tree = syntax::parse(file, options(text), diagnostics);
    require_printable(render_all(diagnostics, false));
    if (diagnostics.has_errors()) return 0;

    std::string printed = ast::print(*tree);
    if (printed.empty()) return 0;
    SourceFile again("again.stp", printed, Origin::UserScript);
    Diagnostics second;
    auto copy = syntax::parse(again, options(""), second);
    require(!second.has_errors(), "the printed tree does not parse", printed + render_all(second, true));
    require(ast::print(*copy) == printed, "the printed tree is another tree", printed + "----\n" + ast::print(*copy));
    return 0;
}
