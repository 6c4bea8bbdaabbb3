// SPDX-License-Identifier: GPL-2.0-or-later
// Diagnostics as text. Labels are right-aligned with the colon of the first line, so that a block reads as one column:
//
//     parse error: expected statement
//             saw: operator ')' at <input>:1:15
//          source: probe begin { ) }
//                                ^
//            help: ...
#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "base/diagnostics.h"
#include "base/help.h"
#include "common/quoting.h"

namespace tapir {

namespace {

// Lines longer than this are shown as a window around the caret.
constexpr size_t max_source_width = 200;
// How many messages of one kind are shown before the rest is only counted.
constexpr size_t max_similar = 20;

class Renderer {
  public:
    std::string block(const Diagnostic &diagnostic, bool is_cause = false);

  private:
    std::string label(const Diagnostic &diagnostic) const;
    std::string place(const SourceRef &at);
    std::string source(const SourceRef &at, size_t width);
    std::string expansions(const SourceRef &at, size_t width);

    std::set<const SourceFile *> mentioned_;
};

std::string Renderer::label(const Diagnostic &diagnostic) const {
    if (diagnostic.severity == Severity::Warning) return "WARNING";
    switch (tag_stage(diagnostic.tag)) {
        case Stage::Parse:
            return "parse error";
        case Stage::Semantic:
            return "semantic error";
        case Stage::Translate:
            return "translation error";
        case Stage::Usage:
        case Stage::Build:
        case Stage::Run:
            break;
    }
    return "ERROR";
}

// "identifier 'x' at file:1:2"; the file's name only when it is mentioned for the first time.
std::string Renderer::place(const SourceRef &at) {
    bool first = mentioned_.insert(at.file).second;
    std::string name = first ? printable(at.file->name()) : "";
    if (at.kind == TokenKind::EndOfFile) return printable(at.file->name()) + " EOF";
    return std::string(token_kind_name(at.kind)) + " '" + printable(first_line(at.text)) + "' at " + name + ":" +
           std::to_string(at.line) + ":" + std::to_string(at.column);
}

// One labelled line, the label's colon at column `width`.
std::string labelled(std::string_view label, size_t width, const std::string &text) {
    std::string padding(width > label.size() ? width - label.size() : 0, ' ');
    return padding + std::string(label) + ": " + text + "\n";
}

std::string Renderer::source(const SourceRef &at, size_t width) {
    std::string_view line = at.file->line(at.line);
    if (line.empty()) return {};
    size_t column = std::min<size_t>(at.column ? at.column - 1 : 0, line.size());
    size_t begin = 0, end = line.size();
    if (line.size() > max_source_width) {
        begin = column > max_source_width / 2 ? column - max_source_width / 2 : 0;
        end = std::min(line.size(), begin + max_source_width);
        auto inside = [&](size_t i) { return i < line.size() && (static_cast<unsigned char>(line[i]) & 0xc0) == 0x80; };
        for (int steps = 0; steps < 3 && begin > 0 && inside(begin); steps++)
            begin--;
        for (int steps = 0; steps < 3 && inside(end); steps++)
            end++;
    }
    std::string_view before = line.substr(begin, column - begin);
    std::string text = (begin ? "..." : "") + printable(before) + printable(line.substr(column, end - column)) +
                       (end < line.size() ? "..." : "");
    // The caret line repeats the tabs above it, so that it lines up with any tab stops.
    std::string caret(begin ? 3 : 0, ' ');
    while (!before.empty()) {
        size_t plain = std::min(before.find('\t'), before.size());
        caret.append(printable_width(before.substr(0, plain)), ' ');
        before.remove_prefix(plain);
        if (!before.empty()) {
            caret += '\t';
            before.remove_prefix(1);
        }
    }
    return labelled("source", width, text) + std::string(std::max(width, std::string_view("source").size()) + 2, ' ') +
           caret + "^\n";
}

std::string Renderer::expansions(const SourceRef &at, size_t width) {
    constexpr int max_shown = 8;
    std::string out;
    int shown = 0;
    for (const SourceRef *use = at.expansion; use; use = use->expansion) {
        if (shown++ == max_shown) {
            int more = 1;
            while ((use = use->expansion))
                more++;
            out += "in expansion of " + std::to_string(more) + " more macros\n";
            break;
        }
        out += "in expansion of macro: " + place(*use) + "\n" + source(*use, width);
    }
    return out;
}

std::string Renderer::block(const Diagnostic &diagnostic, bool is_cause) {
    std::string head = label(diagnostic);
    size_t width = head.size();
    std::string message = diagnostic.message;
    bool is_parse = tag_stage(diagnostic.tag) == Stage::Parse && diagnostic.severity == Severity::Error;
    std::string out;
    if (!diagnostic.at) {
        out = (is_parse ? "" : head + ": ") + message + "\n";
    } else if (is_parse) {
        // A token that the parser did not expect is one that it saw; other complaints are about a place.
        bool saw = (diagnostic.tag == Tag::SyntaxError && !is_cause) || diagnostic.at.kind == TokenKind::EndOfFile;
        out = head + ": " + message + "\n" + labelled(saw ? "saw" : "at", width, place(diagnostic.at));
    } else {
        out = head + ": " + message + ": " + place(diagnostic.at) + "\n";
    }
    if (diagnostic.at) {
        if (diagnostic.at.kind != TokenKind::EndOfFile) out += source(diagnostic.at, width);
        out += expansions(diagnostic.at, width);
    }
    for (const Diagnostic &cause : diagnostic.causes)
        if (is_help(cause)) out += labelled("help", diagnostic.at || !is_parse ? width : 0, cause.message);
    if (head != "WARNING" && head != "ERROR" && (diagnostic.at || !is_parse)) out += "\n";
    for (const Diagnostic &cause : diagnostic.causes)
        if (!is_help(cause)) out += block(cause, true);
    return out;
}

std::string suppressed(size_t count, std::string_view what) {
    if (!count) return {};
    return "Number of similar " + std::string(what) + " messages suppressed: " + std::to_string(count) +
           ".\nRerun with -v to see them.\n";
}

}  // namespace

std::string render(const Diagnostic &diagnostic) {
    return Renderer().block(diagnostic);
}

std::string render_all(const Diagnostics &diagnostics, bool verbose) {
    Renderer renderer;
    std::string out;
    std::map<Tag, size_t> shown;
    std::set<std::tuple<Tag, std::string, const SourceFile *, uint32_t, uint32_t>> seen;
    size_t errors = 0, warnings = 0;
    for (const auto &diagnostic : diagnostics.all()) {
        const SourceRef &at = diagnostic->at;
        bool repeated = !seen.emplace(diagnostic->tag, diagnostic->message, at.file, at.line, at.column).second;
        if (!verbose && (repeated || shown[diagnostic->tag] >= max_similar)) {
            (diagnostic->severity == Severity::Error ? errors : warnings)++;
            continue;
        }
        shown[diagnostic->tag]++;
        out += renderer.block(*diagnostic);
    }
    return out + suppressed(errors, "error") + suppressed(warnings, "warning");
}

}  // namespace tapir
