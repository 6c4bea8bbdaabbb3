// SPDX-License-Identifier: GPL-2.0-or-later
#include "format/script_layout.h"

#include <algorithm>

#include <grammar.hh>
#include "syntax/parser.h"

namespace tapir::formatter {

using T = syntax::Grammar::token;

namespace {

bool begins_item(int kind) {
    return kind == T::PROBE || kind == T::FUNCTION || kind == T::GLOBAL || kind == T::PRIVATE;
}

bool is_built_in(std::string_view at_word) {
    const auto &names = syntax::at_operator_names();
    return std::ranges::find(names, at_word) != names.end();
}

bool is_loop(int kind) {
    return kind == T::WHILE || kind == T::FOR || kind == T::FOREACH;
}

}  // namespace

const Piece &Layout::next_token(size_t i) const {
    while (pieces_[i].is_comment())
        i++;
    return pieces_[i];
}

// A name like "kernel.function" may have the word in it.
bool Layout::is_item(const Piece &token) const {
    return brackets_.empty() && begins_item(token.kind) && !(token_ && token_->kind == T::DOT);
}

// The depth of a statement that begins here.
size_t Layout::body_depth() const {
    const size_t outside = brackets_.empty() ? 0 : brackets_.back().controls;
    return controls_.size() > outside ? controls_.back().depth + 1 : base_depth();
}

Around Layout::around() const {
    if (!brackets_.empty() && !brackets_.back().block) return brackets_.back().around;
    Around result;
    if (brackets_.empty()) result.head = head_;
    result.in_path = brackets_.empty() && head_ == Head::Probe && !condition_;
    return result;
}

bool Layout::is_path_brace(const Piece &brace) const {
    if (head_ != Head::Probe || !token_ || brace.kind != T::LBRACE) return false;
    if (!brackets_.empty()) return brackets_.back().kind == T::LBRACE && !brackets_.back().block;
    const int last = token_->kind;
    return last == T::PROBE || last == T::DOT || last == T::COMMA || last == T::ASSIGN || last == T::ADD_ASSIGN;
}

// True when a token at the beginning of a line belongs to the statement of the line before it.
bool Layout::continues(const Piece &token) const {
    if (!token_ || awaits_body_ || complete_) return false;
    if (!in_block()) return true;
    if (is_item(token)) return token_->kind == T::PRIVATE;
    if (head_ == Head::Probe || head_ == Head::Function) return true;
    if (token_->kind == Verbatim || token.kind == Verbatim || token.kind == T::END) return false;
    const bool behind = ends_operand(*token_, role_);
    if (token_->kind == T::COMMA || token_->kind == T::IN || token_->kind == T::ARROW || token_->kind == T::GLOBAL ||
        token_->kind == T::PRIVATE || (is_operator(token_->kind) && role_ != Role::Postfix))
        return true;
    switch (token.kind) {
        case T::COMMA:
        case T::IN:
        case T::ARROW:
        case T::SEMICOLON:
            return true;
        case T::LPAREN:
        case T::LBRACKET:
            return behind;
        case T::STRING:
            return token_->kind == T::STRING;
        case T::NOT:
        case T::TILDE:
        case T::INCREMENT:
        case T::DECREMENT:
            return false;
        default:
            return is_operator(token.kind) && behind;
    }
}

// True when a token moves up to the line before it.
bool Layout::joins(const Piece &token, const Piece &last) const {
    if (&last != token_) return false;
    if (token.kind == T::LBRACE && !is_path_brace(token))
        return awaits_body_ || head_ == Head::Probe || head_ == Head::Function;
    if (token.kind == T::ELSE || token.kind == T::CATCH) return last.kind == T::RBRACE;
    return token.kind == T::IF && last.kind == T::ELSE;
}

bool Layout::must_break(const Piece &piece, const Piece &token, const Piece &last) const {
    if (last.kind == LineComment) return true;
    if (piece.is_comment() && piece.newlines == 0) return false;
    const bool in_lines = !brackets_.empty() && brackets_.back().block && brackets_.back().several_lines;
    if (in_lines && token_->kind == T::LBRACE && (&last == token_ || piece.newlines)) return true;
    if (in_lines && piece.kind == T::RBRACE) return true;
    if (!brackets_.empty() || piece.is_comment()) return false;
    if (is_item(token) && token_->kind != T::PRIVATE) return true;
    return complete_ && token_->kind == T::RBRACE && token.kind != T::COMMA && token.kind != T::SEMICOLON;
}

// Ends the statements that are complete before `token`.
void Layout::settle(const Piece &token) {
    if (awaits_body_ || !complete_) return;
    const size_t outside = brackets_.empty() ? 0 : brackets_.back().controls;
    const auto wants = [&](const Control &control) {
        if (token.kind == T::ELSE) return control.kind == T::IF;
        return token.kind == T::CATCH && control.kind == T::TRY;
    };
    while (controls_.size() > outside && !wants(controls_.back()))
        controls_.pop_back();
}

void Layout::place_continuation(const Piece &token, Line &line) const {
    if (!in_block()) {
        const Bracket &bracket = brackets_.back();
        const bool closes = token.kind == T::RPAREN || token.kind == T::RBRACKET || token.kind == T::RBRACE;
        line.depth = bracket.depth + (bracket.hanging && !closes);
        line.extra = bracket.hanging ? bracket.extra : bracket.column - closes;
        return;
    }
    constexpr size_t kProbe = 6, kGlobal = 7;  // the words and a blank
    line.depth = statement_depth_;
    if (head_ == Head::Probe)
        line.extra = kProbe;
    else if (head_ == Head::Global)
        line.extra = kGlobal;
    else if (token.kind != T::LBRACE && token.kind != T::EMBEDDED_BLOCK)
        line.depth++;
}

void Layout::begin_line(const Piece &piece, const Piece &token, bool statement) {
    Line line;
    const bool first = lines_.empty();
    const bool opened = token_ && token_->kind == T::LBRACE && !first && pieces_[0].begin != piece.begin &&
                        &piece != &pieces_[0] && (&piece - 1)->kind == T::LBRACE && in_block();
    line.blank_before = piece.newlines > 1 && !first && !opened && piece.kind != T::RBRACE;
    line.begin = piece.begin;
    if ((piece.kind == Verbatim || piece.kind == T::EMBEDDED_BLOCK) && piece.has_lines()) {
        line.raw = blanks_before(text_, piece.begin);
        line.is_raw = true;
    } else if (piece.kind == T::RBRACE && in_block()) {
        line.depth = brackets_.empty() ? 0 : brackets_.back().depth;
    } else if (statement) {
        const bool follows = token.kind == T::ELSE || token.kind == T::CATCH;
        line.depth = follows && !controls_.empty() && !awaits_body_ ? controls_.back().depth : body_depth();
        line.starts_statement = !piece.is_comment();
    } else {
        place_continuation(piece.is_comment() ? token : piece, line);
    }
    lines_.push_back(std::move(line));
}

void Layout::add(const Piece &piece, const Piece *last, Role role) {
    Line &line = lines_.back();
    if (!line.text.empty()) {
        bool blank = !piece.glued;
        if (last && last == token_ && !piece.is_comment()) {
            Around place = around();
            const bool block = piece.kind == T::LBRACE && !is_path_brace(piece);
            if (block) place.in_path = false;
            blank = blank_between(*last, role_, piece, role, place) || (block && last->kind != T::LBRACE);
        }
        if (blank) line.text += ' ';
    }
    line.text += piece.text;
}

void Layout::take_comment(size_t i, bool breaks) {
    const Piece &comment = pieces_[i];
    const Piece &next = pieces_[i + 1];
    const bool ends_line = next.newlines > 0 || next.kind == T::END || comment.kind == LineComment;
    if (breaks) {
        begin_line(comment, next_token(i), !continues(next_token(i)));
        if (ends_line) {
            lines_.back().comment = comment;
            return;
        }
    } else if (ends_line && lines_.back().comment.text.empty()) {
        lines_.back().comment = comment;
        return;
    }
    add(comment, nullptr, Role::Plain);
}

void Layout::take_keyword(const Piece &token) {
    const int kind = token.kind;
    if (is_item(token)) {
        head_ = kind == T::PROBE ? Head::Probe : kind == T::FUNCTION ? Head::Function : Head::Global;
        condition_ = false;
        return;
    }
    if (head_ == Head::Probe && brackets_.empty()) {
        condition_ |= kind == T::IF;
        if (kind == T::COMMA) condition_ = false;
        return;
    }
    if (!in_block()) return;
    if (kind == T::ELSE || kind == T::CATCH) {
        if (controls_.size() > (brackets_.empty() ? 0 : brackets_.back().controls)) controls_.back().kind = kind;
        awaits_body_ = kind == T::ELSE;
        control_parens_ = kind == T::CATCH;
        statement_depth_ = controls_.empty() ? 0 : controls_.back().depth;
        if (kind == T::CATCH) awaits_body_ = true;
    } else if (kind == T::IF && token_ && token_->kind == T::ELSE && !controls_.empty()) {
        controls_.back().kind = kind;
        control_parens_ = true;
    } else if (kind == T::IF || kind == T::TRY || is_loop(kind)) {
        controls_.push_back({kind, statement_depth_});
        awaits_body_ = kind == T::TRY;
        control_parens_ = kind != T::TRY;
        foreach_ = kind == T::FOREACH;
    }
}

void Layout::open(size_t i) {
    const Piece &token = pieces_[i];
    const Line &line = lines_.back();
    Bracket bracket;
    bracket.kind = token.kind;
    bracket.around = around();
    bracket.head = head_;
    const size_t newline = line.text.rfind('\n');
    bracket.depth = newline == line.text.npos ? line.depth : 0;
    bracket.extra = newline == line.text.npos ? line.extra : 0;
    bracket.column = newline == line.text.npos ? line.extra + width_of(line.text)
                                               : width_of(std::string_view(line.text).substr(newline + 1));
    if (line.is_raw && newline == line.text.npos) bracket.column += width_of(line.raw);
    bracket.controls = controls_.size();
    const Piece &next = pieces_[i + 1];
    bracket.hanging =
        next.newlines > 0 || next.kind == LineComment || (next.kind == BlockComment && pieces_[i + 2].newlines);
    if (token.kind == T::LBRACE && !is_path_brace(token)) {
        bracket.block = true;
        // The block of a control is its body: it stands at the control's depth.
        bracket.depth = awaits_body_ && !controls_.empty() ? controls_.back().depth : statement_depth_;
        const size_t end = token.partner ? pieces_[token.partner].end() : token.begin;
        bracket.several_lines = !token.partner || text_.substr(token.begin, end - token.begin).find('\n') != text_.npos;
        head_ = Head::None;
        complete_ = true;
        awaits_body_ = false;
    } else if (token.kind == T::LPAREN) {
        bracket.control = control_parens_;
        bracket.around.in_foreach = control_parens_ && foreach_;
        bracket.around.in_path = false;
        bracket.around.as_given |= token_ && token_->kind == T::AT_WORD && !is_built_in(token_->text);
        control_parens_ = foreach_ = false;
    }
    brackets_.push_back(bracket);
}

void Layout::close(const Piece &token) {
    if (brackets_.empty()) return;
    const int opener = token.kind == T::RPAREN ? T::LPAREN : token.kind == T::RBRACKET ? T::LBRACKET : T::LBRACE;
    if (brackets_.back().kind != opener) return;
    const Bracket bracket = brackets_.back();
    brackets_.pop_back();
    awaits_body_ = bracket.control;
    if (!bracket.block) return;
    controls_.resize(std::min(controls_.size(), bracket.controls));
    complete_ = true;
    condition_ = false;
}

// The state behind a token.
void Layout::note(size_t i, Role role) {
    const Piece &token = pieces_[i];
    switch (token.kind) {
        case T::LPAREN:
        case T::LBRACKET:
        case T::LBRACE:
            open(i);
            break;
        case T::RPAREN:
        case T::RBRACKET:
        case T::RBRACE:
            close(token);
            break;
        case T::SEMICOLON:
            if (!in_block()) break;
            complete_ = true;
            head_ = Head::None;
            break;
        case T::EMBEDDED_BLOCK:
            complete_ |= head_ == Head::Function;
            if (head_ == Head::Function) head_ = Head::None;
            break;
        case Verbatim:
            for (int n = token.net; n > 0; n--) {
                brackets_.push_back({.kind = T::LBRACE, .block = true, .several_lines = true, .depth = body_depth()});
                brackets_.back().controls = controls_.size();
            }
            for (int n = token.net; n < 0 && !brackets_.empty(); n++)
                brackets_.pop_back();
            if (token.net) head_ = Head::None;
            complete_ |= in_block() && head_ == Head::None;
            break;
        default:
            take_keyword(token);
    }
    token_ = &token;
    role_ = role;
}

void Layout::take_token(size_t i, bool breaks) {
    const Piece &token = pieces_[i];
    const bool member = token_ && token_->kind == T::ARROW;
    const Role role = role_of(token, token_, role_, next_token(i + 1), around());
    const bool statement = in_block() && !continues(token) && (awaits_body_ || complete_ || breaks);
    if (breaks && statement) complete_ = true;
    settle(token);
    if (breaks) begin_line(token, token, statement && token.kind != T::RBRACE);
    if (statement) {
        const bool follows = token.kind == T::ELSE || token.kind == T::CATCH;
        if (head_ == Head::Global) head_ = Head::None;
        statement_depth_ = follows && !controls_.empty() ? controls_.back().depth : body_depth();
    }
    add(token, i > 0 ? &pieces_[i - 1] : nullptr, role);
    if (token.kind != T::LBRACE) awaits_body_ = false;
    if (!(token.kind == T::LBRACE)) complete_ = false;
    if (member && token.kind != T::PRETTY) {
        // A keyword behind "->" is a name.
        token_ = &token;
        role_ = Role::Postfix;
        return;
    }
    note(i, role);
}

std::vector<Line> Layout::run() {
    for (size_t i = 0; pieces_[i].kind != T::END; i++) {
        const Piece &piece = pieces_[i];
        const Piece &token = next_token(i);
        bool breaks = true;
        if (i > 0 && !lines_.empty()) {
            const Piece &last = pieces_[i - 1];
            breaks = piece.newlines > 0 && !joins(piece, last);
            if (!breaks && token_) breaks = must_break(piece, token, last);
            if (last.is_comment() && !lines_.back().comment.text.empty()) breaks = true;
        }
        if (piece.is_comment()) {
            if (breaks && !continues(token)) {
                // The comment stands as the statement behind it will.
                if (in_block()) complete_ = complete_ || !awaits_body_;
                settle(token);
            }
            take_comment(i, breaks);
        } else {
            take_token(i, breaks);
        }
    }
    return std::move(lines_);
}

}  // namespace tapir::formatter
