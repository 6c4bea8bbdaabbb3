// SPDX-License-Identifier: GPL-2.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

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
        std::ofstream(entry.path()) << "tapir tapset index 1\nx\n";
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
