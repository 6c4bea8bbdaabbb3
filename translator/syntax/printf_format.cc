// SPDX-License-Identifier: GPL-2.0-or-later
#include "syntax/printf_format.h"

#include <utility>

#include "common/quoting.h"

namespace tapir::syntax {

namespace {

using Piece = ast::FormatPiece;
using Conv = Piece::Conv;
using Flag = Piece::Flag;

constexpr uint32_t max_width = 65535;

Flag flag_of(char c) {
    switch (c) {
        case '0':
            return Flag::ZeroPad;
        case '+':
            return Flag::Plus;
        case '-':
            return Flag::LeftAlign;
        case ' ':
            return Flag::Space;
        case '#':
            return Flag::Alternate;
        default:
            return Flag::None;
    }
}

std::optional<Conv> conversion_of(char c) {
    switch (c) {
        case 'd':
        case 'i':
            return Conv::Decimal;
        case 'u':
            return Conv::Unsigned;
        case 'x':
            return Conv::HexLower;
        case 'X':
            return Conv::HexUpper;
        case 'o':
            return Conv::Octal;
        case 'p':
            return Conv::Pointer;
        case 's':
            return Conv::String;
        case 'c':
            return Conv::Char;
        case 'b':
            return Conv::Binary;
        case 'm':
            return Conv::MemoryRaw;
        case 'M':
            return Conv::MemoryHex;
        default:
            return std::nullopt;
    }
}

class FormatParser {
  public:
    FormatParser(std::string_view format, std::vector<Piece> &pieces) : rest_(format), pieces_(pieces) {}
    std::string run();

  private:
    bool conversion();
    // Digits or "*"; false when the number is too large.
    bool number(std::optional<uint32_t> &value, bool &from_arg);
    void literal(char c);
    void flush();

    std::string_view rest_;
    std::vector<Piece> &pieces_;
    std::string literal_;
    std::string complaint_;
};

void FormatParser::literal(char c) {
    literal_ += c;
}

void FormatParser::flush() {
    if (literal_.empty()) return;
    Piece piece;
    piece.literal = std::exchange(literal_, {});
    pieces_.push_back(std::move(piece));
}

bool FormatParser::number(std::optional<uint32_t> &value, bool &from_arg) {
    if (!rest_.empty() && rest_[0] == '*') {
        from_arg = true;
        rest_.remove_prefix(1);
        return true;
    }
    while (!rest_.empty() && rest_[0] >= '0' && rest_[0] <= '9') {
        value = value.value_or(0) * 10 + static_cast<uint32_t>(rest_[0] - '0');
        if (*value > max_width) return false;
        rest_.remove_prefix(1);
    }
    return true;
}

bool FormatParser::conversion() {
    std::string_view whole = rest_;
    Piece piece;
    piece.flag = flag_of(rest_[0]);
    if (piece.flag != Flag::None) rest_.remove_prefix(1);
    bool fits = number(piece.width, piece.width_from_arg);
    if (fits && !rest_.empty() && rest_[0] == '.') {
        rest_.remove_prefix(1);
        fits = number(piece.precision, piece.precision_from_arg);
        if (!piece.precision && !piece.precision_from_arg) piece.precision = 0;
    }
    if (!fits) {
        complaint_ = "field width or precision larger than " + std::to_string(max_width);
        return false;
    }
    if (!rest_.empty() && rest_[0] == 'l') rest_.remove_prefix(1);
    std::optional<Conv> conv;
    if (!rest_.empty()) conv = conversion_of(rest_[0]);
    if (!conv) {
        size_t seen = whole.size() - rest_.size() + (rest_.empty() ? 0 : 1);
        complaint_ = "invalid or missing conversion specifier '%" + printable(whole.substr(0, seen)) + "'";
        return false;
    }
    rest_.remove_prefix(1);
    piece.conv = *conv;
    flush();
    pieces_.push_back(std::move(piece));
    return true;
}

std::string FormatParser::run() {
    while (!rest_.empty()) {
        char c = rest_[0];
        rest_.remove_prefix(1);
        if (c != '%' || rest_.empty()) {
            literal(c);
        } else if (rest_[0] == '%') {
            literal('%');
            rest_.remove_prefix(1);
        } else if (!conversion()) {
            return complaint_;
        }
    }
    flush();
    return {};
}

}  // namespace

std::string parse_format(std::string_view format, std::vector<ast::FormatPiece> &pieces) {
    return FormatParser(format, pieces).run();
}

}  // namespace tapir::syntax
