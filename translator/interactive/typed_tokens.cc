// SPDX-License-Identifier: GPL-2.0-or-later
#include "interactive/typed_tokens.h"

#include <algorithm>
#include <string>

#include "syntax/scanner.h"

namespace tapir::interactive {

namespace {

int step_of(std::string_view token) {
    if (token == "{" || token == "(" || token == "[" || token == "%(") return 1;
    if (token == "}" || token == ")" || token == "]" || token == "%)") return -1;
    return 0;
}

struct Scan {
    std::vector<Lexeme> lexemes;
    int depth = 0, least = 0;
    bool swallowed = false;  // a comment, embedded code or a text has no end
    bool broken = false;     // a text ends with its line
};

Scan scan(std::string_view text) {
    const SourceFile file("", std::string(text), Origin::UserScript);
    const std::vector<std::string> none;
    syntax::Scanner scanner(file, none, nullptr);
    Scan found;
    for (;;) {
        const syntax::Token token = scanner.next();
        if (token.problem == Tag::UnterminatedComment || token.problem == Tag::UnterminatedEmbeddedCode)
            found.swallowed = true;
        // A text goes on in the next line only behind a backslash.
        if (token.problem == Tag::UnterminatedString) (text.ends_with("\\\n") ? found.swallowed : found.broken) = true;
        if (token.ref.kind == TokenKind::EndOfFile) return found;
        const auto begin = static_cast<size_t>(token.ref.text.data() - file.text().data());
        // The text has no values of script arguments.
        if (begin >= text.size()) continue;
        const int step = step_of(token.ref.text);
        if (step < 0) found.depth--;
        found.least = std::min(found.least, found.depth);
        found.lexemes.push_back({text.substr(begin, token.ref.text.size()), begin, found.depth});
        if (step > 0) found.depth++;
    }
}

}  // namespace

std::vector<Lexeme> lexemes_of(std::string_view text) {
    return scan(text).lexemes;
}

Closing closing_of(std::string_view text) {
    const Scan found = scan(text);
    if (found.least < 0) return Closing::TooMany;
    if (found.broken) return Closing::Closed;
    return found.depth || found.swallowed ? Closing::Open : Closing::Closed;
}

}  // namespace tapir::interactive
