// SPDX-License-Identifier: GPL-2.0-or-later
#include "docs/catalogue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "docs/writers.h"

namespace tapir::docs {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class CatalogueTest : public testing::Test {
  protected:
    void SetUp() override {
        std::string pattern = fs::temp_directory_path() / "tapir-docs-XXXXXX";
        ASSERT_NE(mkdtemp(pattern.data()), nullptr);
        root_ = pattern;
    }
    void TearDown() override { fs::remove_all(root_); }

    Catalogue read(const std::string &text, const std::string &name = "t.stp") {
        std::ofstream(root_ / name) << (name.ends_with("m") ? "# About.\n\n" : "// About.\n\n") << text;
        library::IndexOptions options;
        options.directories = {root_};
        Diagnostics diagnostics;
        Catalogue catalogue = read_library(options, nullptr, diagnostics);
        EXPECT_EQ(render_all(diagnostics, false), "");
        return catalogue;
    }

    // Problems as "LINE: TEXT", the first line of each text.
    static std::vector<std::string> problems(const Catalogue &catalogue) {
        std::vector<std::string> list;
        for (const Problem &problem : catalogue.problems)
            list.push_back(std::to_string(problem.line) + ": " + problem.text.substr(0, problem.text.find('\n')));
        return list;
    }

    static const Entry *find(const Catalogue &catalogue, const std::string &name) {
        for (const Family &family : catalogue.families)
            for (const Entry &entry : family.entries)
                if (entry.name == name) return &entry;
        return nullptr;
    }

    fs::path root_;
};

TEST_F(CatalogueTest, EveryPublicNameNeedsAComment) {
    Catalogue catalogue = read(
        "function f:long (a:long) { return a }\nglobal g\nprobe p.q = begin { v = 1 }\n"
        "function _f() { }\nprivate function h() { }\nprobe _p = begin { }\nprobe p._q = begin { }\n");
    EXPECT_THAT(problems(catalogue), ElementsAre("3: function f() has no doc comment; write directly before it:",
                                                 "4: global g has no doc comment; write directly before it:",
                                                 "5: probe p.q has no doc comment; write directly before it:"));
    EXPECT_THAT(catalogue.problems[0].text, HasSubstr("    /**\n     * f: what it gives, or when it fires.\n"
                                                      "     * @a: what it is, with its unit.\n     */"));
    EXPECT_THAT(catalogue.problems[2].text, HasSubstr("     * @v: what it is"));
    EXPECT_THAT(problems(read("@define m(a) %( @a %)\n", "t.stpm")).back(),
                HasSubstr("macro @m has no doc comment; write directly before it:"));
}

TEST_F(CatalogueTest, CommentsMustBeAboutWhatFollows) {
    EXPECT_THAT(problems(read("/** f: what. */\nfunction g() { }\n\n/** gone: what. */\n\nprobe begin { }\n")),
                ElementsAre("3: the doc comment of function g() must begin with \"g: \", not with \"f: \"",
                            "6: this doc comment stands before nothing it could describe: there is no 'gone' here"));
    EXPECT_THAT(problems(read("/** What it is. */\nglobal g\n")),
                ElementsAre("3: the doc comment of global g must begin with \"g: \""));
}

TEST_F(CatalogueTest, ParametersMustBeTheSignatures) {
    EXPECT_THAT(
        problems(read("/**\n * f: what.\n * @b: what.\n * @b: what.\n * @c:\n */\nfunction f(a:long, c:long) { }\n")),
        ElementsAre("3: function f() has no parameter b, which its doc comment describes",
                    "3: function f() describes @b twice",
                    "3: function f() has no parameter b, which its doc comment describes",
                    "3: parameter a of function f() is not described; add to the doc comment:",
                    "3: the doc comment of function f() says nothing about @c"));
}

TEST_F(CatalogueTest, VariablesOfAliasesMustBeDescribed) {
    EXPECT_THAT(
        problems(read("global g\n/**\n * p: what.\n * @x: what.\n * @$file: the file.\n */\n"
                      "probe p = kernel.function(\"f\") { g = _y = 1; a = $file; if (@defined($b)) b = 1 }\n")),
        ElementsAre(
            "3: global g has no doc comment; write directly before it:",
            "4: probe p has no variable x, which its doc comment describes",
            "4: variable a, b of probe p are not described; add to the doc comment, or to that of the macro that "
            "sets it:"));
}

TEST_F(CatalogueTest, VariablesAreDescribedWhereTheyComeFrom) {
    Catalogue catalogue = read(
        "/**\n * common: of all.\n * @name: its name.\n * @size: in bytes.\n */\n"
        "@define common(n) %( name = @n size = $size %)\n"
        "/** p.a: what. */\nprobe p.a = kernel.function(\"f\").return ? { @common(\"a\") extra = 1 }\n"
        "/**\n * p.b: what.\n * @size: in pages.\n */\nprobe p.b = module(\"m\").function(\"g\") { @common(\"b\") }\n"
        "/** p.all: what. */\nprobe p.all = p.a!, p.b { }\n");
    EXPECT_THAT(problems(catalogue),
                ElementsAre("9: variable extra of probe p.a is not described; add to the doc comment, or "
                            "to that of the macro that sets it:"));
    const Entry *all = find(catalogue, "p.all");
    ASSERT_NE(all, nullptr);
    ASSERT_THAT(all->parts, SizeIs(2));
    EXPECT_EQ(all->parts[0].name + ":" + all->parts[0].type + " " + all->parts[0].text, "name:string its name.");
    EXPECT_EQ(all->parts[1].name + ":" + all->parts[1].type + " " + all->parts[1].text, "size:long in bytes.");
    EXPECT_EQ(all->stands_for, "p.a!, p.b");
    EXPECT_EQ(find(catalogue, "p.b")->parts[0].text, "in pages.");
}

TEST_F(CatalogueTest, VariablesOfWhatOnlyKernelsHaveMayBeDescribed) {
    EXPECT_THAT(problems(read("/**\n * p: what.\n * @x: what.\n */\nprobe p = nothing.known.here { }\n"
                              "/**\n * q: what.\n * @x: what.\n */\nprobe q = p { }\n")),
                IsEmpty());
}

// The parts of system calls' aliases, less those of the kernel.
constexpr const char *kSystemCalls =
    "function __syscall_name:string () { return \"\" }\n"
    "function __syscall_argstr:string () { return \"\" }\n"
    "function __syscall_retstr:string () { return \"\" }\n"
    "function __syscall_text:string (i:long) { return \"\" }\n"
    "function __syscall_unquoted:string (i:long) { return \"\" }\n"
    "function __syscall_number:long (i:long) { return i }\n";

std::string text(const Entry::Member &member) {
    std::string out = member.name;
    for (const Entry::Part &part : member.parts)
        out += " " + part.name + ":" + part.type;
    return out;
}

TEST_F(CatalogueTest, SystemCallsAreOneEntry) {
    std::ofstream(root_ / "x.table")
        << "call open path:string flags:hex return got={7}\ncall read/get fd:fd buf_uaddr:pointer\n"
           "call32 read/get fd:fd extra:uint\nalias old_open = open\n";
    Catalogue catalogue = read(std::string(kSystemCalls) +
                               "/**\n * opens: what.\n * @flags: the flags.\n */\nprobe opens = syscall.open { }\n"
                               "/**\n * wrong: what.\n * @fd: what.\n */\nprobe wrong = syscall.open { }\n");
    EXPECT_THAT(problems(catalogue),
                ElementsAre("14: probe wrong has no variable fd, which its doc comment describes"));
    const Entry *calls = find(catalogue, "syscall.NAME"), *returns = find(catalogue, "syscall.NAME.return");
    ASSERT_NE(calls, nullptr);
    ASSERT_NE(returns, nullptr);
    ASSERT_THAT(calls->members, SizeIs(2));
    EXPECT_EQ(text(calls->members[0]), "syscall.get extra:long fd:long buf_uaddr:long");
    EXPECT_EQ(text(calls->members[1]), "syscall.open path_uaddr:long path:string path_unquoted:string flags:long");
    ASSERT_THAT(returns->members, SizeIs(1));
    EXPECT_EQ(text(returns->members[0]), "syscall.open.return got:long");
    EXPECT_THAT(calls->details.back().text, HasSubstr("that the tables of the library describe"));
    const Entry *opens = find(catalogue, "opens");
    ASSERT_NE(opens, nullptr);
    EXPECT_EQ(opens->parts[0].text, "the flags.");
    EXPECT_EQ(opens->parts[1].name + ": " + opens->parts[1].text, "argstr: as at `syscall.open`");
}

TEST_F(CatalogueTest, LibrariesWithoutTablesHaveNoSystemCalls) {
    EXPECT_EQ(find(read("/** p: what. */\nprobe p = begin { }\n"), "syscall.NAME"), nullptr);
}

TEST_F(CatalogueTest, SignaturesAreTheTranslators) {
    Catalogue catalogue =
        read("/**\n * f: what. More.\n * @a: one.\n * @b: two.\n */\nfunction f:string (a:long, b) %{ /* guru */ %}\n");
    EXPECT_THAT(problems(catalogue), IsEmpty());
    const Entry *f = find(catalogue, "f");
    EXPECT_EQ(f->signature, "f:string (a:long, b)");
    EXPECT_THAT(f->tags, ElementsAre("guru"));
    EXPECT_EQ(first_sentence(f->summary), "what.");
}

TEST_F(CatalogueTest, FilesSayWhatTheyAreAbout) {
    std::ofstream(root_ / "bare.stp") << "global _g\n";
    EXPECT_THAT(problems(read("")),
                ElementsAre("1: nothing says what the file is about: write it as a comment directly below "
                            "the licence line"));
}

TEST_F(CatalogueTest, ManPagesAndHtmlEscape) {
    Catalogue catalogue = read("/**\n * f: 'a' < \\b & f().\n *\n *     .literal 'x'\n */\nfunction f() { }\n");
    const Reference reference{catalogue,
                              {{"data", "# Data\n\n| a | b |\n|---|---|\n| `x` | see [return.md](return.md) |\n"}},
                              {"1", "2026-01-01"}};
    std::string man, html;
    for (const auto &[name, text] : write_man(reference))
        if (name == "function::f.3stap") man = text;
    for (const auto &[name, text] : write_html(reference))
        if (name == "t.html") html = text;
    EXPECT_THAT(man, HasSubstr("\n\\(aqa\\(aq < \\eb & f().\n"));
    EXPECT_THAT(man, HasSubstr("\n\\&.literal \\(aqx\\(aq\n"));
    EXPECT_THAT(html, HasSubstr("<p>'a' &lt; \\b &amp; <a href=\"t.html#function-f\"><code>f()</code></a>.</p>"));
}

}  // namespace
}  // namespace tapir::docs
