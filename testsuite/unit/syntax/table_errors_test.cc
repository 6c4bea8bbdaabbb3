// SPDX-License-Identifier: GPL-2.0-or-later
// The whole text of the diagnostics of pass 1 about @table and @row, and what they become.
#include <gtest/gtest.h>

#include "parse.h"

namespace tapir::syntax {
namespace {

std::string message(const std::string &text) {
    const std::string all = Parsed(text).messages();
    return all.substr(0, all.find('\n'));
}

const std::string kTable = "@table(lat, \"device: name\", \"p99: ms of a device\")\n";

TEST(Tables, ColumnsHaveANameAUnitAndASubject) {
    const Parsed parsed(
        "@table(\"t w\", \"a\", \" b : ms \", \"c: ms of a device of disks\", \"d: of a device\", \"e:name\")");
    EXPECT_EQ(parsed.messages(), "");
    ASSERT_EQ(parsed.file->tables.size(), 1u);
    const ast::Table &table = *parsed.file->tables[0];
    EXPECT_EQ(table.name, "t w");
    std::string columns;
    for (const ast::Table::Column &c : table.columns)
        columns += c.name + "|" + c.unit + "|" + c.subject + (c.is_text ? "|text " : " ");
    EXPECT_EQ(columns, "a|| b|ms| c|ms|a device of disks d||a device e|name||text ");
}

TEST(Tables, ARowHasTheFormatOfItsTable) {
    const Parsed parsed(kTable + "probe p { @row(lat, \"sda\", 1) @row(\"lat\", x, y + 1) }");
    EXPECT_EQ(parsed.messages(), "");
    EXPECT_EQ(parsed.printed(),
              "@table(\"lat\", \"device: name\", \"p99: ms of a device\")\n"
              "probe p {\n    @row(\"lat\", \"sda\", 1);\n    @row(\"lat\", x, (y + 1));\n}\n");
    const auto &body = static_cast<const ast::Block &>(*parsed.file->probes.at(0)->body).body;
    const auto &row = static_cast<const ast::Print &>(*static_cast<const ast::ExprStmt &>(*body.at(0)).expr);
    ASSERT_EQ(row.pieces.size(), 3u);
    EXPECT_EQ(row.pieces[0].flag, ast::FormatPiece::Flag::Table);
    EXPECT_EQ(row.pieces[0].literal, std::string("lat\0device\0name\0\0p99\0ms\0a device\0", 33));
    EXPECT_EQ(row.pieces[1].conv, ast::FormatPiece::Conv::String);
    EXPECT_EQ(row.pieces[2].conv, ast::FormatPiece::Conv::Decimal);
}

TEST(ParseError, TableColumn) {
    EXPECT_EQ(Parsed("@table(lat, \"p99: ms\", \": ms\")").messages(),
              "parse error: a column needs a name\n"
              "         at: string '\": ms\"' at x.stp:1:24\n"
              "     source: @table(lat, \"p99: ms\", \": ms\")\n"
              "                                    ^\n"
              "       help: a column is \"NAME: UNIT of SUBJECT\", as \"p99: ms of a device\"; unit and subject may be "
              "left out\n"
              "\n");
    EXPECT_EQ(message("@table(lat, \"a: ms\", \"b\", \"a: s\")"), "parse error: the table has a column 'a' already");
    EXPECT_EQ(message("@table(lat, \"a\\n: ms\")"),
              "parse error: this text has characters that no line of a table can have");
    EXPECT_EQ(message("@table(lat, \"" + std::string(65, 'n') + "\")"),
              "parse error: the name of a column has 64 bytes at most");
    EXPECT_EQ(message("@table(lat, \"n: " + std::string(33, 'u') + "\")"),
              "parse error: the unit of a column has 32 bytes at most");
    EXPECT_EQ(message("@table(t, \"took: us to connect\")"),
              "parse error: 'us to connect' is no unit; what the numbers are of stands behind 'of': 'took: us of ...'");
    EXPECT_EQ(message("@table(lat, \"n: u of " + std::string(129, 's') + "\")"),
              "parse error: the subject of a column has 128 bytes at most");
    EXPECT_EQ(message("@table(\"\", \"n\")"),
              "parse error: the name of a table has 1 to 64 bytes, all of them printable");
    std::string many;
    for (int i = 0; i < 32; i++)
        many += ", \"c" + std::to_string(i) + "\"";
    EXPECT_EQ(message("@table(t" + many + ")"), "");
    EXPECT_EQ(message("@table(t" + many + ", \"more\")"), "parse error: a table has 32 columns at most");
}

TEST(ParseError, TableTwice) {
    EXPECT_EQ(Parsed(kTable + "@table(lat, \"n\")").messages(),
              "parse error: there is a table 'lat' already\n"
              "         at: identifier 'lat' at x.stp:2:8\n"
              "     source: @table(lat, \"n\")\n"
              "                    ^\n"
              "\n");
}

TEST(ParseError, TableUnknown) {
    EXPECT_EQ(Parsed(kTable + "probe p { @row(late, 1) }").messages(),
              "parse error: no table 'late' is declared above (similar: lat)\n"
              "         at: identifier 'late' at x.stp:2:16\n"
              "     source: probe p { @row(late, 1) }\n"
              "                            ^\n"
              "       help: @table(late, \"NAME: UNIT of SUBJECT\", ...) declares it\n"
              "\n");
}

TEST(ParseError, RowValues) {
    EXPECT_EQ(Parsed(kTable + "probe p { @row(lat, \"sda\") }").messages(),
              "parse error: the table 'lat' has 2 columns (device, p99), and this row has 1 value\n"
              "         at: operator '@row' at x.stp:2:11\n"
              "     source: probe p { @row(lat, \"sda\") }\n"
              "                       ^\n"
              "\n");
    EXPECT_EQ(message("@table(t, \"n\") probe p { @row(t, 1, 2, 3) }"),
              "parse error: the table 't' has 1 column (n), and this row has 3 values");
}

}  // namespace
}  // namespace tapir::syntax
