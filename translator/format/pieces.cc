// SPDX-License-Identifier: GPL-2.0-or-later
#include "format/pieces.h"

#include <algorithm>

#include <grammar.hh>
#include "syntax/scanner.h"

namespace tapir::formatter {

using T = syntax::Grammar::token;

namespace {

// Splits what lies between two tokens, which is blanks and comments.
class Gap {
  public:
    Gap(std::string_view text, std::vector<Piece> &out) : text_(text), out_(out) {}

    // Adds the comments from `begin` to `end`; what is left says how the token at `end` is placed.
    void split(size_t begin, size_t end, Piece &token) {
        size_t at = begin;
        newlines_ = 0;
        bool blank = false;
        while (at < end) {
            const char c = text_[at];
            if (c == '#' || c == '/') {
                at = add_comment(at, end, !blank && newlines_ == 0 && at == begin);
                blank = false;
                continue;
            }
            newlines_ += c == '\n';
            blank = true;
            at++;
        }
        token.newlines = newlines_;
        token.glued = !blank && begin > 0;
    }

  private:
    size_t add_comment(size_t at, size_t end, bool glued) {
        Piece comment;
        comment.begin = at;
        comment.newlines = newlines_;
        comment.glued = glued;
        const bool block = text_.substr(at).starts_with("/*");
        size_t stop = std::min(text_.find(block ? "*/" : "\n", block ? at + 2 : at), end);
        if (block) stop = std::min(stop + 2, end);
        comment.kind = block ? BlockComment : LineComment;
        const size_t after = stop;
        if (!block)
            while (stop > at && (text_[stop - 1] == ' ' || text_[stop - 1] == '\t' || text_[stop - 1] == '\r'))
                stop--;
        comment.text = text_.substr(at, stop - at);
        out_.push_back(comment);
        newlines_ = 0;
        return after;
    }

    std::string_view text_;
    std::vector<Piece> &out_;
    uint32_t newlines_ = 0;
};

class Splitter {
  public:
    Splitter(const SourceFile &file, Diagnostics &diagnostics)
        : file_(file), diagnostics_(diagnostics), scanner_(file, no_arguments_, nullptr) {}

    std::vector<Piece> run() {
        const size_t before = diagnostics_.error_count();
        while (true) {
            const syntax::Token token = scanner_.next();
            Piece piece = place(token);
            if (token.kind == T::PP_OPEN) take_verbatim(token, piece);
            if (token.problem && *token.problem == Tag::ScriptArgumentMissing)
                piece.kind = Argument;
            else if (token.problem && *token.problem != Tag::BadNumber)
                diagnostics_.report(*token.problem, token.ref, token.value);
            if (token.kind == T::PP_THEN || token.kind == T::PP_ELSE || token.kind == T::PP_CLOSE)
                diagnostics_.report(Tag::ConditionalUnbalanced, token.ref,
                                    "unexpected '" + std::string(token.ref.text) + "'");
            out_.push_back(piece);
            last_end_ = piece.end();
            if (token.kind == T::END) break;
        }
        // In a text that is not closed, brackets are.
        if (diagnostics_.error_count() == before) pair_brackets();
        return std::move(out_);
    }

  private:
    Piece place(const syntax::Token &token) {
        const std::string_view text = file_.text();
        Piece piece;
        piece.kind = token.kind;
        piece.text = token.ref.text;
        if (token.kind == T::END) {
            piece.begin = text.size();
        } else if (piece.text.data() >= text.data() && piece.text.data() < text.data() + text.size()) {
            piece.begin = static_cast<size_t>(piece.text.data() - text.data());
        } else {
            // $# or @#, which the scanner replaced by 0 or "0", with what follows without a blank.
            piece.kind = Argument;
            piece.begin = static_cast<size_t>(file_.line(token.ref.line).data() - text.data()) + token.ref.column - 1;
            piece.text = text.substr(piece.begin, piece.text.size() + (text[piece.begin] == '$' ? 1 : -1));
        }
        Gap(file_.text(), out_).split(last_end_, piece.begin, piece);
        return piece;
    }

    void take_verbatim(const syntax::Token &open, Piece &piece) {
        int depth = 1;
        bool then = false, other = false;
        syntax::Token token;
        while (depth > 0) {
            token = scanner_.next();
            if (token.kind == T::END) {
                diagnostics_.report(Tag::ConditionalUnbalanced, open.ref,
                                    "could not find the '%)' that ends the conditional");
                return;
            }
            depth += token.kind == T::PP_OPEN;
            depth -= token.kind == T::PP_CLOSE;
            then |= token.kind == T::PP_THEN && depth == 1;
            other |= token.kind == T::PP_ELSE && depth == 1;
            if (then && !other && depth == 1) piece.net += (token.kind == T::LBRACE) - (token.kind == T::RBRACE);
        }
        const size_t end = static_cast<size_t>(token.ref.text.data() - file_.text().data()) + token.ref.text.size();
        piece.kind = Verbatim;
        piece.text = file_.text().substr(piece.begin, end - piece.begin);
    }

    // A conditional may have the brace that closes one outside of it, or opens it.
    void pair_brackets() {
        std::vector<size_t> open;
        const bool whole = std::ranges::all_of(out_, [](const Piece &piece) { return piece.net == 0; });
        for (size_t i = 0; i < out_.size(); i++) {
            const int kind = out_[i].kind;
            if (kind == T::LPAREN || kind == T::LBRACKET || kind == T::LBRACE) open.push_back(i);
            if (kind != T::RPAREN && kind != T::RBRACKET && kind != T::RBRACE) continue;
            const int wanted = kind == T::RPAREN ? T::LPAREN : kind == T::RBRACKET ? T::LBRACKET : T::LBRACE;
            if (open.empty() || out_[open.back()].kind != wanted) {
                if (!whole) continue;
                report(out_[i], "this bracket closes nothing");
                return;
            }
            out_[open.back()].partner = i;
            open.pop_back();
        }
        if (whole && !open.empty()) report(out_[open.back()], "could not find the end of the bracket that opens here");
    }

    void report(const Piece &piece, const char *message) {
        SourceRef ref{.file = &file_, .kind = TokenKind::Operator, .text = piece.text};
        file_.locate(piece.begin, ref.line, ref.column);
        diagnostics_.report(Tag::SyntaxError, ref, message);
    }

    const SourceFile &file_;
    Diagnostics &diagnostics_;
    const std::vector<std::string> no_arguments_;
    syntax::Scanner scanner_;
    std::vector<Piece> out_;
    size_t last_end_ = 0;
};

}  // namespace

std::vector<Piece> split_pieces(const SourceFile &file, Diagnostics &diagnostics) {
    return Splitter(file, diagnostics).run();
}

std::string_view blanks_before(std::string_view text, size_t at) {
    size_t begin = at;
    while (begin > 0 && (text[begin - 1] == ' ' || text[begin - 1] == '\t'))
        begin--;
    return begin == 0 || text[begin - 1] == '\n' ? text.substr(begin, at - begin) : std::string_view();
}

size_t width_of(std::string_view text) {
    constexpr size_t kTab = 8;
    size_t width = 0;
    for (const char c : text)
        if (c == '\t')
            width += kTab - width % kTab;
        else if ((static_cast<unsigned char>(c) & 0xC0) != 0x80)
            width++;
    return width;
}

}  // namespace tapir::formatter
