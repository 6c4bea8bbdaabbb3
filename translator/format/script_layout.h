// SPDX-License-Identifier: GPL-2.0-or-later
// Lines of a formatted script: where they break, and how far each is indented.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "format/pieces.h"
#include "format/spacing.h"

namespace tapir::formatter {

struct Line {
    size_t depth = 0;           // levels of indentation
    size_t extra = 0;           // blanks behind them
    std::string_view raw = {};  // blanks that stand instead of them, of a line that begins with several lines
    bool is_raw = false;
    bool blank_before = false;
    std::string text = {};
    Piece comment = {};             // of several lines, or behind the text; its text is empty if there is none
    bool starts_statement = false;  // in a block
    size_t begin = 0;               // offset of its first piece in the file
};

class Layout {
  public:
    Layout(std::string_view text, const std::vector<Piece> &pieces) : text_(text), pieces_(pieces) {}
    std::vector<Line> run();

  private:
    struct Bracket {
        int kind = 0;
        bool block = false;    // statements are in it
        bool control = false;  // parentheses of an if or a loop
        bool several_lines = false;
        bool hanging = false;    // nothing follows it in its line
        Around around = {};      // of what is in it
        Head head = Head::None;  // outside
        size_t depth = 0;        // of its line, or of its statement when it is a block
        size_t extra = 0;
        size_t column = 0;    // behind it, without the line's levels
        size_t controls = 0;  // that were open when it opened
    };
    // A statement that has another one as its body.
    struct Control {
        int kind = 0;  // IF, ELSE, TRY, CATCH or a loop
        size_t depth = 0;
    };

    const Piece &next_token(size_t i) const;
    bool in_block() const { return brackets_.empty() || brackets_.back().block; }
    size_t base_depth() const { return brackets_.empty() ? 0 : brackets_.back().depth + 1; }
    bool is_item(const Piece &token) const;
    size_t body_depth() const;
    Around around() const;
    bool is_path_brace(const Piece &brace) const;
    bool continues(const Piece &token) const;
    bool joins(const Piece &token, const Piece &last) const;
    bool must_break(const Piece &piece, const Piece &token, const Piece &last) const;
    void settle(const Piece &token);
    void begin_line(const Piece &piece, const Piece &token, bool statement);
    void place_continuation(const Piece &token, Line &line) const;
    void add(const Piece &piece, const Piece *last, Role role);
    void take_comment(size_t i, bool breaks);
    void take_token(size_t i, bool breaks);
    void note(size_t i, Role role);
    void open(size_t i);
    void close(const Piece &token);
    void take_keyword(const Piece &token);

    std::string_view text_;
    const std::vector<Piece> &pieces_;
    std::vector<Line> lines_;
    std::vector<Bracket> brackets_;
    std::vector<Control> controls_;
    const Piece *token_ = nullptr;  // the last one
    Role role_ = Role::Plain;
    Head head_ = Head::None;
    bool condition_ = false;       // behind the "if" of a probe point
    bool awaits_body_ = false;     // of the last control
    bool complete_ = true;         // the last statement ended
    bool control_parens_ = false;  // the next parenthesis belongs to a control
    bool foreach_ = false;         // to a foreach
    size_t statement_depth_ = 0;
};

}  // namespace tapir::formatter
