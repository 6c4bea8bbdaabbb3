// SPDX-License-Identifier: GPL-2.0-or-later
// Runs every example of docs/language.md, and holds rows.tsv to the tests that are there.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "examples.h"
#include "native/runner.h"
#include "rows.h"
#include "testsuite/trees.h"

namespace tapir::language {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class ExampleTest : public testing::Test {
  public:
    explicit ExampleTest(Example example) : example_(std::move(example)) {}

    void TestBody() override {
        SCOPED_TRACE("docs/language.md:" + std::to_string(example_.line));
        native::Case c;
        c.settings = native::parse_options(example_.options);
        c.settings.tapsets.insert(example_.tapsets.begin(), example_.tapsets.end());
        c.script = example_.script;
        c.out = example_.out;
        c.err = example_.err;
        c.status = example_.fails() ? 1 : 0;
        c.check_only = example_.check_only;
        native::check(c);
    }

  private:
    Example example_;
};

std::string source(const std::string &path) {
    return native::read_file(tapir::source_dir() + "/" + path);
}

TEST(Page, HasNoFenceThatIsNotUnderstood) {
    Page page = read_page(source("docs/language.md"));
    EXPECT_THAT(page.mistakes, IsEmpty());
}

TEST(Page, TellsExamplesApart) {
    Page page = read_page(
        "## A b\n```tapset x.stp\nT\n```\n```stap -g -- 1\nS\n```\ntext\n```output\nO\n```\n"
        "```errors\nERROR: e\n```\n```stap check\nC\n```\n## D\n```stap\n```\n");
    EXPECT_THAT(page.mistakes, IsEmpty());
    EXPECT_THAT(page.headings, ElementsAre("A_b", "D"));
    ASSERT_EQ(3u, page.examples.size());
    const Example &first = page.examples[0];
    EXPECT_EQ("A_b_1", first.name());
    EXPECT_EQ(5, first.line);
    EXPECT_EQ("-g -- 1", first.options);
    EXPECT_THAT(first.tapsets, ElementsAre(std::pair<std::string, std::string>("x.stp", "T\n")));
    EXPECT_EQ("S\n", first.script);
    EXPECT_EQ("O\n", first.out);
    EXPECT_EQ("ERROR: e\n", first.err);
    EXPECT_TRUE(first.fails());
    EXPECT_EQ("A_b_2", page.examples[1].name());
    EXPECT_TRUE(page.examples[1].check_only);
    EXPECT_FALSE(page.examples[1].fails());
    EXPECT_EQ("D_1", page.examples[2].name());
}

TEST(Page, WarningsAreNoFailure) {
    Example example;
    example.err = "WARNING: w: identifier 'x' at script.stp:1:1\n source: x\n         ^\n";
    EXPECT_FALSE(example.fails());
    example.err += "semantic error: e\n";
    EXPECT_TRUE(example.fails());
}

TEST(Page, ReportsFencesThatAreNotUnderstood) {
    Page page = read_page(
        "```output\nx\n```\n```stop\n```\n```\n```\n```stap\n```\n```output\n```\n```output\na\n```\n"
        "```output\na\n```\n```tapset\n```\n```tapset a.stp\n```\n## A\n```errors\nx\n```\n```stap\n");
    EXPECT_THAT(page.mistakes, ElementsAre("3: output or errors without a script", "5: unknown fence \"stop\"",
                                           "7: unknown fence \"\"", "11: empty output or errors",
                                           "17: output or errors twice", "19: unknown fence \"tapset\"",
                                           "25: output or errors without a script", "26: a fence without end"));
    EXPECT_THAT(read_page("```tapset a.stp\n```\n").mistakes, ElementsAre("2: a tapset without a script after it"));
}

TEST(Rows, NameTestsThatAreThere) {
    Rows rows = read_rows(source("testsuite/language/rows.tsv"));
    EXPECT_THAT(rows.mistakes, IsEmpty());
    EXPECT_FALSE(rows.rows.empty());
    TestNames names(tapir::source_dir());
    for (const Row &row : rows.rows) {
        EXPECT_NE(row.tests.empty(), row.reason.empty()) << row.section << ", " << row.feature;
        for (const std::string &test : row.tests)
            EXPECT_TRUE(names.has(test)) << row.section << ", " << row.feature << ": no test " << test;
    }
}

TEST(Reference, NamesTestsThatAreThere) {
    const Rows rows = read_reference(source("docs/language-reference.md"));
    EXPECT_THAT(rows.mistakes, IsEmpty());
    EXPECT_GT(rows.rows.size(), 90u);
    const TestNames names(tapir::source_dir());
    size_t refused = 0;
    for (const Row &row : rows.rows) {
        EXPECT_NE(row.tests.empty(), row.reason.empty()) << row.section << ", " << row.feature;
        for (const std::string &test : row.tests)
            EXPECT_TRUE(names.has(test)) << row.section << ", " << row.feature << ": no test " << test;
        refused += !row.reason.empty();
    }
    EXPECT_LE(refused, 5u);
}

TEST(Reference, IsATable) {
    const Rows rows = read_reference(
        "# A\ntext\n| section | what | here | tests |\n|---|---|---|---|\n| 1.2 | `a` or b | yes | `x/y` `unit/Z.z` |\n"
        "| 3 | c | no | since `d` |\n| 4 | e | maybe | `x` |\n| 5 | f | yes |\n| 6 | g | yes | none |\n");
    EXPECT_THAT(rows.mistakes, ElementsAre("7: not a row", "8: not a row"));
    ASSERT_EQ(3u, rows.rows.size());
    EXPECT_EQ("`a` or b", rows.rows[0].feature);
    EXPECT_THAT(rows.rows[0].tests, ElementsAre("x/y", "unit/Z.z"));
    EXPECT_EQ("since `d`", rows.rows[1].reason);
    EXPECT_THAT(rows.rows[1].tests, IsEmpty());
    EXPECT_THAT(rows.rows[2].tests, IsEmpty());
    EXPECT_EQ("", rows.rows[2].reason);
}

TEST(Rows, AreThreeColumns) {
    Rows rows = read_rows("# comment\nA\tb\tnative/x unit/Y.Z\nA\tc\t- later\nA\tb\t\nA\tb\nA\tb\tc\td\n");
    EXPECT_THAT(rows.mistakes, ElementsAre("4: listed twice", "5: not three columns", "6: not three columns"));
    ASSERT_EQ(3u, rows.rows.size());
    EXPECT_THAT(rows.rows[0].tests, ElementsAre("native/x", "unit/Y.Z"));
    EXPECT_EQ("later", rows.rows[1].reason);
    EXPECT_THAT(rows.rows[2].tests, IsEmpty());
}

TEST(Rows, KnowWhichTestsThereAre) {
    TestNames names(tapir::source_dir());
    for (const char *there : {"native/next", "golden/parse/tree", "golden/ir/locks", "vm/smoke/hello",
                              "vm/smoke/environment", "unit/Rows.KnowWhichTestsThereAre"})
        EXPECT_TRUE(names.has(there)) << there;
    for (const char *absent : {"native/", "native/nothing", "golden/parse/nothing", "vm/nothing", "unit/Rows",
                               "unit/Rows.Nothing", "unit/.*.*", "doc/Nothing", "next", ""})
        EXPECT_FALSE(names.has(absent)) << absent;
}

}  // namespace
}  // namespace tapir::language

int main(int argc, char **argv) {
    testing::InitGoogleMock(&argc, argv);
    using namespace tapir::language;
    for (Example &example : read_page(source("docs/language.md")).examples) {
        std::string name = example.name();
        testing::RegisterTest("Language", name.c_str(), nullptr, nullptr, __FILE__, __LINE__,
                              [example]() -> testing::Test * { return new ExampleTest(example); });
    }
    return RUN_ALL_TESTS();
}
