// SPDX-License-Identifier: GPL-2.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "library/library.h"

namespace tapir::library {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class IndexTest : public testing::Test {
  protected:
    void SetUp() override {
        std::string pattern = fs::temp_directory_path() / "tapir-index-XXXXXX";
        ASSERT_NE(mkdtemp(pattern.data()), nullptr);
        root_ = pattern;
        options_.directories = {root_ / "tapset"};
        options_.release = "6.1.0-56-amd64";
        options_.arch = "x86_64";
        options_.cache_dir = root_ / "cache";
    }
    void TearDown() override { fs::remove_all(root_); }

    void write(const std::string &name, const std::string &text) const {
        fs::path path = root_ / "tapset" / name;
        fs::create_directories(path.parent_path());
        std::ofstream(path) << text;
    }

    std::vector<std::string> paths(const Index &index) const {
        std::vector<std::string> names;
        for (const IndexedFile &file : index.files())
            names.push_back(fs::relative(file.path, root_ / "tapset"));
        return names;
    }

    fs::path root_;
    IndexOptions options_;
};

TEST_F(IndexTest, TakesTheMostSpecificFileOfAName) {
    write("a.stp", "function a() { }");
    write("sub/b.stp", "function b() { }");
    write("x86_64/a.stp", "function a() { }");
    write("arm64/c.stp", "function c() { }");
    write("6.1/a.stp", "function a() { }");
    write("6.1/x86_64/b.stp", "function b() { }");
    write("6.1.0-56-amd64/d.stp", "function d() { }");
    write("5.10/d.stp", "function d() { }");
    write("notes.txt", "function e() { }");
    Index index = Index::build(options_);
    EXPECT_THAT(paths(index), ElementsAre("6.1.0-56-amd64/d.stp", "6.1/a.stp", "6.1/x86_64/b.stp", "sub/b.stp"));
    EXPECT_THAT(index.function("a"), SizeIs(1));
    EXPECT_THAT(index.function("c"), IsEmpty());
}

TEST_F(IndexTest, FilesOfProgramsKnowTheirProgram) {
    write("PATH/usr/bin/cat.stp", "probe cat.begin = process.begin { }");
    write("PATH/opt/python/3.11/x86_64/tool.v1.stp", "function t() { }");
    write("6.1/PATH/usr/bin/tac.stp", "function u() { }");
    Index index = Index::build(options_);
    std::vector<std::string> programs;
    for (const IndexedFile &file : index.files())
        programs.push_back(file.program);
    EXPECT_THAT(programs, ElementsAre("/usr/bin/tac", "/opt/python/3.11/x86_64/tool.v1", "/usr/bin/cat"));
}

// Texts have no file that could be looked at again: nothing of them is kept.
TEST_F(IndexTest, TextsCountMoreThanFiles) {
    write("a.stp", "function f() { return 1 }\nglobal g");
    const auto indexed = [this](const char *text) {
        std::vector<IndexedFile> files = list_files(options_);
        add_texts({std::make_shared<SourceFile>("t.sxx", text, Origin::Tapset)}, files);
        return Index::build(options_, std::move(files));
    };
    const Index first = indexed("function f() { return 2 } function h() { }");
    EXPECT_EQ(first.scanned(), 1u);
    EXPECT_THAT(first.function("f"), ElementsAre(0u, 1u));
    EXPECT_THAT(first.global("g"), ElementsAre(1u));
    const Index second = indexed("function i() { }");
    EXPECT_EQ(second.scanned(), 0u);
    EXPECT_THAT(second.function("h"), IsEmpty());
    EXPECT_THAT(second.function("i"), ElementsAre(0u));
    EXPECT_THAT(Index::build(options_).function("i"), IsEmpty());

    Diagnostics diagnostics;
    auto library = Library::open(indexed("function f() %{ %}"), {}, diagnostics);
    std::vector<ast::File *> files = library->with_function("f");
    ASSERT_THAT(files, SizeIs(2));
    EXPECT_EQ(files[0]->source->name(), "t.sxx");
    EXPECT_EQ(library->level(*files[0]), 0u);
    EXPECT_EQ(library->level(*files[1]), 1u);
    EXPECT_FALSE(diagnostics.has_errors());
}

TEST_F(IndexTest, ProcessInFilesOfProgramsIsTheProgram) {
    write("PATH/usr/bin/cat.stp",
          "probe cat = process.begin, process(\"tac\").function(\"f\").return ?, process(\"/bin/x\").end, "
          "process(12).end, begin { }\nprobe process(\"cat\").end { }");
    Diagnostics diagnostics;
    auto library = Library::open(Index::build(options_), {}, diagnostics);
    ast::ProbePoint point;
    point.components.resize(1);
    point.components[0].name = "cat";
    std::vector<ast::File *> files = library->with_alias(point);
    ASSERT_THAT(files, SizeIs(1));
    std::vector<std::string> points;
    for (const ast::ProbePoint &one : files[0]->aliases[0]->points)
        points.push_back(one.str());
    EXPECT_THAT(points,
                ElementsAre("process(\"/usr/bin/cat\").begin", "process(\"/usr/bin/tac\").function(\"f\").return?",
                            "process(\"/bin/x\").end", "process(12).end", "begin"));
    EXPECT_EQ(files[0]->probes[0]->points[0].str(), "process(\"/usr/bin/cat\").end");
    EXPECT_EQ(library->level(*files[0]), 0u);
}

TEST_F(IndexTest, TapsetsOfOthersFillGapsOnly) {
    write("a.stp", "function f() { }\nglobal g\nprobe p.q = begin { }");
    write("m.stpm", "@define m %( 1 %)");
    options_.other_directories = {root_ / "tapset/others", root_ / "tapset/more"};
    options_.directories = {root_ / "tapset/own"};
    write("own/a.stp", "function f() { }\nglobal g\nprobe p.q = begin { }");
    write("own/m.stpm", "@define m %( 1 %)");
    write("others/b.stp",
          "function f() { }\nfunction f2() { }\nglobal g, g2\nprobe p.q = begin { }\nprobe p.r = begin { }");
    write("others/b.stpm", "@define m %( 1 %)\n@define m2 %( 1 %)");
    write("others/a.stp", "function never() { }");
    write("others/linux/c.stp", "function never() { }");
    write("more/d.stp", "function f2() { }\nprobe p.r = begin { }");
    for (size_t scanned : {7u, 0u}) {
        Index index = Index::build(options_);
        EXPECT_EQ(index.scanned(), scanned == 0 ? 0u : index.files().size());
        EXPECT_THAT(index.function("f"), ElementsAre(0u));
        EXPECT_THAT(index.global("g"), ElementsAre(0u));
        EXPECT_THAT(index.macro("m"), ElementsAre(1u));
        EXPECT_THAT(index.function("f2"), SizeIs(2));
        EXPECT_THAT(index.global("g2"), SizeIs(1));
        EXPECT_THAT(index.macro("m2"), SizeIs(1));
        EXPECT_THAT(index.function("never"), IsEmpty());
        std::vector<std::string> aliases;
        for (const Index::Alias &alias : index.aliases())
            aliases.push_back(alias.name + std::to_string(index.files()[alias.file].level));
        EXPECT_THAT(aliases, ElementsAre("p.q0", "p.r1", "p.r2"));
    }
}

TEST_F(IndexTest, TheFirstOfSeveralMacrosCounts) {
    options_.directories = {root_ / "tapset/first", root_ / "tapset/second"};
    write("first/m.stpm", "@define one %( 1 %)\n@define three %( 1 %)");
    write("second/m.stpm", "@define one %( 2 %)\n@define two %( 2 %)");
    Diagnostics diagnostics;
    auto library = Library::open(Index::build(options_), {}, diagnostics);
    ASSERT_NE(library->macros().find("two"), nullptr);
    const syntax::Macro *one = library->macros().find("one");
    ASSERT_NE(one, nullptr);
    EXPECT_EQ(one->body[0].number, 1u);
    EXPECT_NE(library->macros().find("three"), nullptr);
    EXPECT_EQ(render_all(diagnostics, false), "");
}

TEST_F(IndexTest, TapsetSkipped) {
    options_.other_directories = {root_ / "tapset"};
    options_.directories.clear();
    write("c.stp", "function c() %{ %}");
    write("d.stp", "function d() { }");
    Diagnostics diagnostics;
    auto library = Library::open(Index::build(options_), {}, diagnostics);
    EXPECT_THAT(library->with_function("c"), IsEmpty());
    EXPECT_THAT(library->with_function("d"), SizeIs(1));
    EXPECT_EQ(render_all(diagnostics, false),
              "WARNING: tapset file " + (root_ / "tapset/c.stp").string() +
                  " is left out: embedded code in unprivileged script; need stap -g (line 1)\n");
}

TEST_F(IndexTest, ReadsOnlyWhatChangedSinceTheKeptIndex) {
    write("a.stp", "function a() { }");
    write("b.stp", "global g probe x.y = begin { }");
    write("c.stpm", "@define m %( 1 %)");
    EXPECT_EQ(Index::build(options_).scanned(), 3u);
    Index kept = Index::build(options_);
    EXPECT_EQ(kept.scanned(), 0u);
    EXPECT_THAT(kept.function("a"), SizeIs(1));
    EXPECT_THAT(kept.global("g"), SizeIs(1));
    EXPECT_THAT(kept.macro("m"), SizeIs(1));
    ASSERT_THAT(kept.aliases(), SizeIs(1));
    EXPECT_EQ(kept.aliases()[0].name, "x.y");

    write("a.stp", "function renamed() { }");
    Index changed = Index::build(options_);
    EXPECT_EQ(changed.scanned(), 1u);
    EXPECT_THAT(changed.function("a"), IsEmpty());
    EXPECT_THAT(changed.function("renamed"), SizeIs(1));

    fs::remove(root_ / "tapset/a.stp");
    EXPECT_THAT(Index::build(options_).function("renamed"), IsEmpty());
}

TEST_F(IndexTest, ADamagedKeptIndexIsReadAnew) {
    write("a.stp", "function a() { }");
    Index::build(options_);
    for (const auto &entry : fs::directory_iterator(root_ / "cache"))
        std::ofstream(entry.path()) << "tapir tapset index 2\nx\n";
    Index index = Index::build(options_);
    EXPECT_EQ(index.scanned(), 1u);
    EXPECT_THAT(index.function("a"), SizeIs(1));
}

TEST_F(IndexTest, WithoutDirectoriesThereIsNothing) {
    options_.directories = {"/nonexistent"};
    EXPECT_THAT(Index::build(options_).files(), IsEmpty());
}

TEST_F(IndexTest, FilesAreParsedOnDemandAndOnce) {
    write("a.stp", "function a() { return 1 }\nfunction a(x) { return x }");
    write("b.stp", "function b() { return 1 }");
    write("alias.stp", "probe one.two.three = begin { }");
    Diagnostics diagnostics;
    auto library = Library::open(Index::build(options_), {}, diagnostics);
    EXPECT_EQ(library->parsed(), 0u);
    ASSERT_THAT(library->with_function("a"), SizeIs(1));
    EXPECT_THAT(library->with_function("a")[0]->functions, SizeIs(2));
    EXPECT_EQ(library->parsed(), 1u);
    ast::ProbePoint point;
    point.components.resize(1);
    point.components[0].name = "one";
    EXPECT_THAT(library->with_alias(point), IsEmpty());
    point.components[0].name = "**";
    EXPECT_THAT(library->with_alias(point), SizeIs(1));
    EXPECT_FALSE(diagnostics.has_errors());
}

TEST_F(IndexTest, MacroFilesAreReadWhenAMacroIsUsed) {
    write("m.stpm", "@define one %( 1 %)");
    write("n.stpm", "@define broken %( 1");
    write("f.stp", "function f() { return @one }");
    Diagnostics diagnostics;
    auto library = Library::open(Index::build(options_), {}, diagnostics);
    ASSERT_THAT(library->with_function("f"), SizeIs(1));
    EXPECT_NE(library->macros().find("one"), nullptr);
    EXPECT_EQ(library->macros().find("two"), nullptr);
    EXPECT_FALSE(diagnostics.has_errors());
}

// Two links to the directory they are in make 2^40 paths before the kernel refuses one.
TEST_F(IndexTest, LinksThatLeadBackAreFollowedOnce) {
    write("sub/a.stp", "function a() { }");
    write("b.stp", "function b() { }");
    for (const char *name : {"one", "sub/two", "sub/three", "zero"})
        fs::create_directory_symlink(root_ / "tapset", root_ / "tapset" / name);
    fs::create_directory_symlink(root_ / "tapset/sub", root_ / "tapset/again");
    fs::create_directories(root_ / "elsewhere");
    std::ofstream(root_ / "elsewhere/c.stp") << "function c() { }";
    fs::create_directory_symlink(root_ / "elsewhere", root_ / "tapset/sub/far");
    std::vector<std::string> names;
    for (const IndexedFile &file : list_files(options_))
        names.push_back(fs::path(file.path).lexically_relative(root_ / "tapset"));
    EXPECT_THAT(names, ElementsAre("b.stp", "sub/a.stp", "sub/far/c.stp"));
}

// Things that are no files, or not text, are no tapsets.
TEST_F(IndexTest, HugeAndStrangeFilesAreNotRead) {
    write("huge.stp", "function huge() { }");
    ASSERT_EQ(0, mkfifo((root_ / "tapset/pipe.stp").c_str(), 0600));
    fs::create_symlink("/dev/zero", root_ / "tapset/zero.stp");
    fs::resize_file(root_ / "tapset/huge.stp", uint64_t{1} << 40);
    EXPECT_THAT(list_files(options_), SizeIs(1));
    EXPECT_THAT(Index::build(options_).function("huge"), IsEmpty());
}

TEST_F(IndexTest, TapsetUnreadable) {
    write("a.stp", "function a() { }");
    Diagnostics diagnostics;
    auto library = Library::open(Index::build(options_), {}, diagnostics);
    fs::remove(root_ / "tapset/a.stp");
    EXPECT_THAT(library->with_function("a"), IsEmpty());
    EXPECT_EQ(render_all(diagnostics, false), "semantic error: cannot read tapset file " +
                                                  (root_ / "tapset/a.stp").string() +
                                                  ": No such file or directory\n\n");
}

}  // namespace
}  // namespace tapir::library
