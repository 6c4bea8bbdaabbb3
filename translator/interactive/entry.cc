// SPDX-License-Identifier: GPL-2.0-or-later
#include "interactive/entry.h"

#include <algorithm>
#include <cctype>
#include <memory>

#include "common/quoting.h"
#include "interactive/typed_tokens.h"
#include "syntax/parser.h"

namespace tapir::interactive {

namespace {

constexpr Command kCommands[] = {
    {"help", "", "show what can be typed"},
    {"list", "", "show the definitions, with their numbers and the lines that messages name"},
    {"delete", "NAME|N", "remove a definition"},
    {"edit", "[NAME|N]", "change definitions in $EDITOR"},
    {"load", "FILE", "add the definitions of a file"},
    {"save", "FILE", "write the definitions to a file"},
    {"run", "", "start the probes anew"},
    {"stop", "", "stop the probes"},
    {"quit", "", "end; so does Ctrl-D"},
};

// The last probe of a script that runs a statement ends it.
constexpr char kLast[] = "probe begin(9223372036854775807) { exit() }\n";
constexpr char kOpening[] = "probe begin {\n", kEnding[] = "\n}\n";

bool is_command_word(std::string_view word) {
    return std::ranges::find(kCommands, word, &Command::name) != std::end(kCommands);
}

// `delete a[1]` and `list = 1` are statements.
bool take_command(std::string_view line, const Definitions &definitions, Entry &entry) {
    line = trim(line);
    const size_t end = std::min(line.find_first_of(" \t"), line.size());
    const std::string_view word = line.substr(0, end), rest = trim(line.substr(end));
    const auto command = std::ranges::find(kCommands, word, &Command::name);
    if (command == std::end(kCommands)) return false;
    const bool optional = command->argument.starts_with('[');
    if (rest.empty() ? !command->argument.empty() && !optional : command->argument.empty()) {
        const bool goes_on = !rest.empty() && !std::isalnum(static_cast<unsigned char>(rest[0]));
        if (goes_on || word == "delete") return false;
        entry.kind = Entry::Kind::Wrong;
        entry.complaint = std::string(word) + (command->argument.empty() ? " takes no argument\n"
                                                                         : " needs one: " + std::string(word) + " " +
                                                                               std::string(command->argument) + "\n");
        return true;
    }
    const bool numbered = !rest.empty() && std::ranges::all_of(rest, [](unsigned char c) { return std::isdigit(c); });
    if (word == "delete" && !numbered && !definitions.find(std::string(rest)) && rest.find('[') != rest.npos)
        return false;
    if (word != "delete" && !rest.empty() && std::string_view("=+-<>(*/.").find(rest[0]) != rest.npos &&
        command->argument != "FILE")
        return false;
    entry.kind = Entry::Kind::Command;
    entry.command = word;
    entry.argument = rest;
    return true;
}

bool begins_definition(std::string_view word) {
    static constexpr std::string_view kBeginnings[] = {"probe",   "global", "function",    "private",
                                                       "@define", "@table", "@interpreter"};
    return std::ranges::find(kBeginnings, word) != std::end(kBeginnings);
}

// One text between others, which messages do not show.
struct Framed {
    std::shared_ptr<const SourceFile> written;
    std::unique_ptr<SourceFile> file;

    Framed(const std::string &name, const std::string &before, const std::string &text, const std::string &after)
        : written(std::make_shared<SourceFile>(name, text, Origin::UserScript)) {
        std::vector<SourceRun> runs;
        if (!before.empty()) runs.push_back({0, 0, false});
        runs.push_back({before.size(), 0, true});
        if (!after.empty()) runs.push_back({before.size() + text.size(), text.size(), false});
        file = std::make_unique<SourceFile>(before + text + after, written, std::move(runs));
    }

    // Is this behind the text?
    bool is_at_end(const SourceRef &at) const {
        uint32_t line = 0, column = 0;
        written->locate(trim_end(written->text()), line, column);
        return at.kind == TokenKind::EndOfFile || std::pair(at.line, at.column) >= std::pair(line, column);
    }

  private:
    static size_t trim_end(std::string_view text) {
        const size_t last = text.find_last_not_of(" \t\r\n");
        return last == text.npos ? 0 : last + 1;
    }
};

std::unique_ptr<ast::File> parsed(const Framed &framed, const Reader &reader, Diagnostics &diagnostics) {
    syntax::ParseOptions options;
    options.guru = reader.guru;
    options.facts.guru_mode = reader.guru;
    return syntax::parse(*framed.file, options, diagnostics);
}

// Sets what came of parsing. Returns false if it was an error.
bool accept(const Framed &framed, const Reader &reader, const Diagnostics &diagnostics, Entry &entry) {
    const auto first = std::ranges::find_if(diagnostics.all(), [](const auto &d) {
        // Macros alone are nothing that a script could be made of.
        return d->severity == Severity::Error && d->tag != Tag::InputEmptyAfterPreprocessing;
    });
    if (first == diagnostics.all().end()) return true;
    if (framed.is_at_end((*first)->at)) {
        entry.kind = Entry::Kind::Unfinished;
        return false;
    }
    entry.kind = Entry::Kind::Wrong;
    entry.complaint = reader.shown(diagnostics);
    return false;
}

// The expression that a handler consists of, if it has a value to print.
const ast::Expr *value_of(const ast::File &file) {
    if (file.probes.empty() || file.probes.back()->body->kind != ast::StmtKind::Block) return nullptr;
    const auto &block = static_cast<const ast::Block &>(*file.probes.back()->body);
    if (block.body.size() != 1 || block.body[0]->kind != ast::StmtKind::Expr) return nullptr;
    const ast::Expr &value = *static_cast<const ast::ExprStmt &>(*block.body[0]).expr;
    switch (value.kind) {
        case ast::ExprKind::Assign:
        case ast::ExprKind::IncDec:
        case ast::ExprKind::EmbeddedC:
        case ast::ExprKind::ProbeWrite:
            return nullptr;
        case ast::ExprKind::Print:
            return static_cast<const ast::Print &>(value).name.starts_with('s') ? &value : nullptr;
        default:
            return &value;
    }
}

Entry read_statement(const std::string &text, const Reader &reader) {
    Entry entry;
    Diagnostics diagnostics;
    const Framed framed("typed", reader.definitions.script(false) + kOpening, text, kEnding);
    const std::unique_ptr<ast::File> file = parsed(framed, reader, diagnostics);
    if (!accept(framed, reader, diagnostics, entry)) return entry;
    entry.kind = Entry::Kind::Statement;
    entry.statement = trim(text);
    const ast::Expr *expression = value_of(*file);
    if (!expression) return entry;
    entry.is_call = expression->kind == ast::ExprKind::Call;
    std::string_view value = entry.statement;
    while (value.starts_with(';'))
        value = trim(value.substr(1));
    while (value.ends_with(';'))
        value = trim(value.substr(0, value.size() - 1));
    // A comment may stand behind it.
    entry.printed = "println(" + std::string(value) + "\n)";
    return entry;
}

// No further line makes a text right that closes more than it opens.
Entry read_overfull(const std::string &text, const std::vector<Lexeme> &tokens, const Reader &reader) {
    Entry entry;
    const Framed framed("typed", "", text, "");
    const auto extra = std::ranges::find_if(tokens, [](const Lexeme &token) { return token.depth < 0; });
    SourceRef at{framed.file.get(), 0, 0, TokenKind::Operator, extra->text};
    framed.file->locate(extra->begin, at.line, at.column);
    Diagnostics diagnostics;
    diagnostics.report(Tag::SyntaxError, at, "nothing is open that '" + std::string(extra->text) + "' closes");
    entry.kind = Entry::Kind::Wrong;
    entry.complaint = reader.shown(diagnostics);
    return entry;
}

}  // namespace

std::span<const Command> commands() {
    return kCommands;
}

Entry read_definitions(const std::string &text, const std::string &name, const Reader &reader) {
    Entry entry;
    Diagnostics diagnostics;
    std::vector<Item> items = part(text);
    const Framed framed(name, reader.definitions.without(items).script(false), text, "");
    parsed(framed, reader, diagnostics);
    if (!accept(framed, reader, diagnostics, entry)) return entry;
    entry.kind = Entry::Kind::Definitions;
    entry.items = std::move(items);
    return entry;
}

Entry read_entry(const std::string &text, const Reader &reader) {
    Entry entry;
    const std::string_view first(text.data(), std::min(text.find('\n'), text.size()));
    if (is_command_word(trim(first).substr(0, trim(first).find_first_of(" \t"))) &&
        take_command(first, reader.definitions, entry))
        return entry;
    const Closing closing = closing_of(text);
    if (closing == Closing::Open) {
        entry.kind = Entry::Kind::Unfinished;
        return entry;
    }
    const std::vector<Lexeme> tokens = lexemes_of(text);
    if (tokens.empty()) return entry;
    const bool defines = begins_definition(tokens[0].text) || (tokens[0].text.starts_with("%{") && reader.guru);
    if (closing == Closing::TooMany) return read_overfull(text, tokens, reader);
    return defines ? read_definitions(text, "typed", reader) : read_statement(text, reader);
}

std::string script_of(const Definitions &definitions, const std::string &statement) {
    return definitions.script(false) + kOpening + statement + kEnding + kLast;
}

std::string script_for_check(const Definitions &definitions) {
    return definitions.script(true) + kLast;
}

}  // namespace tapir::interactive
