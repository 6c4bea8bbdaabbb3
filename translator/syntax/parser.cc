// SPDX-License-Identifier: GPL-2.0-or-later
#include "syntax/parser.h"

#include "common/quoting.h"
#include "grammar.hh"
#include "syntax/builder.h"
#include "syntax/preprocessor.h"
#include "syntax/version.h"

namespace tapir::syntax {

namespace {

// A user's script with nothing in it is a mistake; an empty tapset file is not.
bool report_empty(const SourceFile &file, const std::deque<Token> &tokens, Diagnostics &diagnostics) {
    if (tokens.size() > 1 || file.origin() == Origin::Tapset || diagnostics.error_count(Stage::Parse)) return false;
    std::string name = "Input file '" + printable(file.name()) + "' is empty";
    if (file.text().empty())
        diagnostics.report(Tag::InputEmpty, name + ".");
    else
        diagnostics.report(Tag::InputEmptyAfterPreprocessing, name + " after preprocessing.");
    return true;
}

}  // namespace

std::unique_ptr<ast::File> parse(const SourceFile &file, const ParseOptions &options, Diagnostics &diagnostics) {
    auto tree = std::make_unique<ast::File>();
    tree->source = &file;
    tree->privileged = options.privileged || options.guru;
    std::deque<Token> tokens =
        shape_tokens(place_literals(preprocess(file, options, diagnostics), file, options.literals));
    if (report_empty(file, tokens, diagnostics)) return tree;
    const int64_t array_size_max = tree->privileged ? INT32_MAX : options.array_size_max;
    Builder builder(tokens, tree->privileged, array_size_max, *tree, diagnostics);
    Grammar(builder).parse();
    connect_triggers(*tree, diagnostics);
    apply_version(*tree, options.facts.systemtap_v, options.check_version, diagnostics);
    return tree;
}

void parse_macros(const SourceFile &file, const ParseOptions &options, MacroTable &table, Diagnostics &diagnostics) {
    preprocess_macro_file(file, options, table, diagnostics);
}

}  // namespace tapir::syntax
