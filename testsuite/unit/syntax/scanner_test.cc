// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include "grammar.hh"
#include "parse.h"
#include "syntax/printf_format.h"
#include "syntax/scanner.h"

namespace tapir::syntax {
namespace {

std::vector<Token> scan(const SourceFile &file) {
    std::vector<std::string> no_args;
    Scanner scanner(file, no_args, nullptr);
    std::vector<Token> tokens;
    do
        tokens.push_back(scanner.next());
    while (tokens.back().kind != Grammar::token::END);
    return tokens;
}

TEST(Scanner, EveryTokenHasItsPlace) {
    SourceFile file("x.stp", "a\r\n\tbc +=\n\n  \"d\"", Origin::UserScript);
    std::vector<Token> tokens = scan(file);
    ASSERT_EQ(tokens.size(), 5u);
    EXPECT_EQ(tokens[0].ref.describe(), "identifier 'a' at x.stp:1:1");
    EXPECT_EQ(tokens[1].ref.describe(), "identifier 'bc' at x.stp:2:2");
    EXPECT_EQ(tokens[2].ref.describe(), "operator '+=' at x.stp:2:5");
    EXPECT_EQ(tokens[3].ref.describe(), "string '\"d\"' at x.stp:4:3");
    EXPECT_EQ(tokens[4].ref.describe(), "end of file at x.stp:4:6");
}

TEST(Scanner, CommentsOfAllKinds) {
    SourceFile file("x.stp", "a # b\nc // d\ne /* f\n * g **/ h /**/ i /* /* */ j #", Origin::UserScript);
    std::string words;
    for (const Token &token : scan(file))
        words += std::string(token.ref.text) + " ";
    EXPECT_EQ(words, "a c e h i j  ");
}

TEST(Scanner, LongestOperatorWins) {
    SourceFile file("x.stp", ">>>= >>> >>= <<< <<= ** *= ->-- =~ !~ .= ++ &&&", Origin::UserScript);
    std::string words;
    for (const Token &token : scan(file))
        words += std::string(token.ref.text) + " ";
    EXPECT_EQ(words, ">>>= >>> >>= <<< <<= ** *= -> -- =~ !~ .= ++ && &  ");
}

TEST(Scanner, DollarsAndAts) {
    SourceFile file("x.stp", "$x $$vars $x$ a$b $ $$ @word", Origin::UserScript);
    std::vector<Token> tokens = scan(file);
    using T = Grammar::token;
    std::vector<int> kinds;
    for (const Token &token : tokens)
        kinds.push_back(token.kind);
    EXPECT_EQ(kinds, (std::vector<int>{T::TARGET, T::TARGET, T::TARGET, T::IDENTIFIER, T::PRETTY, T::PRETTY, T::AT_WORD,
                                       T::END}));
}

TEST(Scanner, StringEscapes) {
    SourceFile file("x.stp", R"("\a\b\t\n\v\f\r\\\"\q\%\101\x41\0601\xfg\
")",
                    Origin::UserScript);
    EXPECT_EQ(scan(file)[0].value, "\a\b\t\n\v\f\r\\\"q%AA01\x0fg\n");
}

TEST(Scanner, NulBytesAreOrdinaryJunk) {
    std::string text("a\0b \"x\0y\" # \0\nc", 15);
    SourceFile file("x.stp", text, Origin::UserScript);
    std::vector<Token> tokens = scan(file);
    ASSERT_EQ(tokens.size(), 6u);
    EXPECT_EQ(tokens[1].kind, Grammar::token::INVALID);
    EXPECT_EQ(tokens[3].value, std::string("x\0y", 3));
    EXPECT_EQ(tokens[4].ref.describe(), "identifier 'c' at x.stp:2:1");
}

// A format as its pieces: flag ("=" for none), width, precision, conversion.
std::string pieces(const std::string &format) {
    std::vector<ast::FormatPiece> list;
    std::string complaint = parse_format(format, list);
    if (!complaint.empty()) return complaint;
    std::string out;
    for (const ast::FormatPiece &piece : list) {
        if (!out.empty()) out += " ";
        if (piece.conv == ast::FormatPiece::Conv::Literal) {
            out += "'" + piece.literal + "'";
            continue;
        }
        out += "%" + std::string(1, "=0+- #"[static_cast<int>(piece.flag)]);
        out += piece.width_from_arg ? "*" : piece.width ? std::to_string(*piece.width) : "";
        if (piece.precision_from_arg || piece.precision)
            out += piece.precision_from_arg ? ".*" : "." + std::to_string(*piece.precision);
        out += "?duxXopscbmM"[static_cast<int>(piece.conv)];
    }
    return out;
}

TEST(Format, Conversions) {
    using Conv = ast::FormatPiece::Conv;
    auto conv = [](const std::string &format) {
        std::vector<ast::FormatPiece> list;
        EXPECT_EQ(parse_format(format, list), "");
        return list.at(0).conv;
    };
    EXPECT_EQ(conv("%d"), Conv::Decimal);
    EXPECT_EQ(conv("%i"), Conv::Decimal);
    EXPECT_EQ(conv("%ld"), Conv::Decimal);
    EXPECT_EQ(conv("%u"), Conv::Unsigned);
    EXPECT_EQ(conv("%x"), Conv::HexLower);
    EXPECT_EQ(conv("%X"), Conv::HexUpper);
    EXPECT_EQ(conv("%o"), Conv::Octal);
    EXPECT_EQ(conv("%p"), Conv::Pointer);
    EXPECT_EQ(conv("%s"), Conv::String);
    EXPECT_EQ(conv("%c"), Conv::Char);
    EXPECT_EQ(conv("%8b"), Conv::Binary);
    EXPECT_EQ(conv("%.16m"), Conv::MemoryRaw);
    EXPECT_EQ(conv("%.*M"), Conv::MemoryHex);
    EXPECT_EQ(conv("%%"), Conv::Literal);
}

TEST(Format, FlagsWidthAndPrecision) {
    EXPECT_EQ(pieces("a%-10sb"), "'a' %-10s 'b'");
    EXPECT_EQ(pieces("%016x"), "%016x");
    EXPECT_EQ(pieces("%-016d"), "%-16d");
    EXPECT_EQ(pieces("%+d% d%#x"), "%+d % d %#x");
    EXPECT_EQ(pieces("%*.*s"), "%=*.*s");
    EXPECT_EQ(pieces("%.3d%.d"), "%=.3d %=.0d");
    EXPECT_EQ(pieces("50%%-100%"), "'50%-100%'");
}

}  // namespace
}  // namespace tapir::syntax
