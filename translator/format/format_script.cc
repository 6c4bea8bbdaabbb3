// SPDX-License-Identifier: GPL-2.0-or-later
#include "format/format_script.h"

#include <algorithm>

#include <grammar.hh>
#include "common/quoting.h"
#include "format/pieces.h"
#include "format/script_layout.h"
#include "syntax/parser.h"

namespace tapir::formatter {

using T = syntax::Grammar::token;

namespace {

class Writer {
  public:
    Writer(std::string_view text, std::vector<Line> lines, const Style &style)
        : text_(text), lines_(std::move(lines)), unit_(style.unit.empty() ? own_unit() : style.unit) {}

    std::string write() {
        for (size_t i = 0; i < lines_.size(); i++) {
            if (lines_[i].blank_before) out_ += '\n';
            const std::string indent = indentation(lines_[i]);
            out_ += indent + lines_[i].text;
            if (!lines_[i].comment.text.empty()) write_comment(i, indent);
            out_ += '\n';
        }
        return std::move(out_);
    }

  private:
    // As of the first statement that is one level deep.
    std::string own_unit() const {
        constexpr size_t kWidest = 8;
        for (const Line &line : lines_) {
            if (!line.starts_statement || line.depth != 1) continue;
            const std::string_view blanks = blanks_before(text_, line.begin);
            if (blanks.starts_with('\t')) return "\t";
            if (!blanks.empty() && blanks.size() <= kWidest && blanks.find('\t') == blanks.npos)
                return std::string(blanks);
        }
        return "    ";
    }

    std::string indentation(const Line &line) const {
        if (line.is_raw) return std::string(line.raw);
        std::string out;
        for (size_t n = 0; n < line.depth; n++)
            out += unit_;
        return out + std::string(line.extra, ' ');
    }

    static bool is_behind(const Line &line) { return !line.text.empty() && !line.comment.text.empty(); }

    // Where the comment of a line stands in the file, and how wide the text before it is now.
    size_t given_column(const Line &line) const {
        const size_t begin = text_.rfind('\n', line.comment.begin) + 1;
        return width_of(text_.substr(begin, line.comment.begin - begin));
    }
    size_t width_before(const Line &line) const {
        std::string text = indentation(line) + line.text;
        const size_t newline = text.rfind('\n');
        return width_of(newline == text.npos ? text : text.substr(newline + 1));
    }

    // Comments behind lines that follow each other stay below each other.
    void write_comment(size_t i, const std::string &indent) {
        const Line &line = lines_[i];
        if (line.text.empty()) {
            write_lines(line.comment, width_of(indent));
            return;
        }
        size_t first = i, end = i + 1;
        while (first > 0 && is_behind(lines_[first - 1]) && !lines_[first].blank_before)
            first--;
        while (end < lines_.size() && is_behind(lines_[end]) && !lines_[end].blank_before)
            end++;
        bool aligned = true;
        size_t widest = 0;
        for (size_t n = first; n < end; n++) {
            aligned = aligned && given_column(lines_[n]) == given_column(lines_[first]);
            widest = std::max(widest, width_before(lines_[n]));
        }
        out_ += std::string((aligned ? widest - width_before(line) : 0) + 2, ' ');
        out_ += line.comment.text;
    }

    // The lines of a comment move together.
    void write_lines(const Piece &comment, size_t column) {
        const std::string_view blanks = blanks_before(text_, comment.begin);
        const size_t begin = text_.rfind('\n', comment.begin) + 1;
        const size_t old = width_of(blanks.empty() ? text_.substr(begin, comment.begin - begin) : blanks);
        std::string_view rest = comment.text;
        size_t newline = rest.find('\n');
        out_ += rest.substr(0, newline);
        while (newline != rest.npos) {
            rest.remove_prefix(newline + 1);
            newline = rest.find('\n');
            std::string_view line = rest.substr(0, newline);
            out_ += '\n';
            const size_t blank = std::min(line.find_first_not_of(" \t"), line.size());
            if (column != old && blank < line.size()) {
                const size_t width = width_of(line.substr(0, blank)) + column;
                out_ += std::string(width > old ? width - old : 0, ' ');
                line.remove_prefix(blank);
            }
            out_ += line;
        }
    }

    std::string_view text_;
    std::vector<Line> lines_;
    std::string unit_;
    std::string out_;
};

// A comment without the blanks that begin its lines.
std::string bare(std::string_view comment) {
    std::string out;
    bool begins = false;
    for (const char c : comment) {
        if (begins && (c == ' ' || c == '\t')) continue;
        begins = c == '\n';
        out += c;
    }
    return out;
}

bool same_pieces(const std::vector<Piece> &left, const std::vector<Piece> &right) {
    return std::ranges::equal(left, right, [](const Piece &a, const Piece &b) {
        return a.kind == b.kind && (a.is_comment() ? bare(a.text) == bare(b.text) : a.text == b.text);
    });
}

// The tree of a text, as far as it can be known without its arguments and the library's macros. All arguments are
// `arg`.
std::string tree_of(const SourceFile &file, const char *arg, Diagnostics &diagnostics) {
    constexpr size_t kMost = 99;
    syntax::ParseOptions options;
    options.privileged = true;
    options.args.assign(kMost, arg);
    return ast::print(*syntax::parse(file, options, diagnostics));
}

// Arguments that stand for values, and for names.
constexpr const char *kArguments[] = {"1", "name"};

}  // namespace

std::optional<std::string> format_script(const SourceFile &file, const Style &style, Diagnostics &diagnostics) {
    const size_t before = diagnostics.error_count();
    const std::vector<Piece> pieces = split_pieces(file, diagnostics);
    if (diagnostics.error_count() != before) return std::nullopt;
    std::string text = Writer(file.text(), Layout(file.text(), pieces).run(), style).write();

    return check_formatted(file, SourceFile(file.name(), text, file.origin()), diagnostics)
               ? std::optional<std::string>(std::move(text))
               : std::nullopt;
}

bool check_formatted(const SourceFile &file, const SourceFile &formatted, Diagnostics &diagnostics) {
    Diagnostics ignored;
    if (same_pieces(split_pieces(file, ignored), split_pieces(formatted, ignored)) &&
        std::ranges::all_of(kArguments, [&](const char *arg) {
            return tree_of(file, arg, ignored) == tree_of(formatted, arg, ignored);
        }))
        return true;
    diagnostics.report(Tag::UsageError, "Formatting would change the meaning of '" + printable(file.name()) +
                                            "', which stays as it is: a mistake of Tapir.");
    return false;
}

}  // namespace tapir::formatter
