// SPDX-License-Identifier: GPL-2.0-or-later
#include "docs/kept_catalogue.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "common/files.h"
#include "testsuite/trees.h"

namespace tapir::docs {
namespace {

namespace fs = std::filesystem;

std::string shown(const Entry::Part &part) {
    return "(" + part.name + "|" + part.type + "|" + part.text + ")";
}

// All of an entry that writers use.
std::string shown(const Entry &entry) {
    std::string text = std::string(kind_word(entry.kind)) + " " + entry.name + " " + entry.signature + " " +
                       entry.stands_for + " " + entry.summary + " " + entry.file + ":" + std::to_string(entry.line);
    for (const std::string &tag : entry.tags)
        text += " #" + tag;
    for (const Entry::Part &part : entry.parts)
        text += " " + shown(part);
    for (const Paragraph &paragraph : entry.details)
        text += (paragraph.literal ? " >" : " ") + paragraph.text;
    for (const Entry::Member &member : entry.members) {
        text += " " + member.name;
        for (const Entry::Part &part : member.parts)
            text += shown(part);
    }
    return text + "\n";
}

std::string shown(const Catalogue &catalogue) {
    std::string text;
    for (const Family &family : catalogue.families) {
        text += family.name + ": " + family.about + "\n";
        for (const Entry &entry : family.entries)
            text += shown(entry);
    }
    return text;
}

class KeptCatalogue : public testing::Test {
  protected:
    void SetUp() override {
        fs::create_directories(root_.path() + "/tapsets");
        write("one.stp",
              "// About.\n\n/**\n * one: the first.\n * @x: a number\n *\n * More.\n */\n"
              "function one:long (x:long) /* guru */ { return x }\n");
        options_.directories = {root_.path() + "/tapsets"};
        options_.cache_dir = root_.path() + "/cache";
    }
    void write(const std::string &name, const std::string &text) {
        std::ofstream(root_.path() + "/tapsets/" + name) << text;
    }
    // The catalogue as text, made anew or not.
    std::string get(bool anew) {
        bool parsed = !anew;
        const std::string text = shown(kept_catalogue(options_, &parsed));
        EXPECT_EQ(parsed, anew);
        return text;
    }
    std::string kept_file() const {
        for (const auto &entry : fs::directory_iterator(options_.cache_dir))
            if (entry.path().filename().string().starts_with("tapset-catalogue-")) return entry.path();
        return {};
    }

    TemporaryDirectory root_{*make_directory(temporary_root(), "tapir-kept-")};
    library::IndexOptions options_;
};

TEST_F(KeptCatalogue, IsParsedOnceUntilAFileChanges) {
    const std::string first = get(true);
    EXPECT_NE(first.find("one:long (x:long)"), std::string::npos) << first;
    EXPECT_NE(first.find("(x|long|a number)"), std::string::npos) << first;
    EXPECT_EQ(get(false), first);
    write("two.stp", "// About.\n\n/** two: the second. */\nprobe two = begin { }\n");
    const std::string second = get(true);
    EXPECT_NE(second.find("probe two"), std::string::npos) << second;
    EXPECT_EQ(get(false), second);
    fs::remove(root_.path() + "/tapsets/two.stp");
    EXPECT_EQ(get(true), first);
}

TEST_F(KeptCatalogue, IsMadeAnewWhereWhatWasKeptIsDamaged) {
    const std::string first = get(true), path = kept_file();
    std::string bytes = *read_file(path);
    for (const std::string &damaged :
         {std::string(), std::string("\x93"), bytes.substr(0, bytes.size() / 2), std::string("\xc0"), bytes + "x"}) {
        ASSERT_TRUE(write_file(path, damaged));
        EXPECT_EQ(get(true), first);
        EXPECT_EQ(get(false), first);
    }
}

// The shipped library, with all that its entries have.
TEST_F(KeptCatalogue, IsThatOfTheShippedLibrary) {
    options_.directories = {source_dir() + "/tapsets"};
    options_.release = "6.1.0";
    options_.arch = "x86_64";
    Diagnostics ignored;
    const std::string made = shown(read_library(options_, nullptr, ignored));
    EXPECT_EQ(get(true), made);
    EXPECT_EQ(get(false), made);
}

TEST_F(KeptCatalogue, IsParsedEachTimeWithoutACache) {
    options_.cache_dir.clear();
    EXPECT_EQ(get(true), get(true));
}

}  // namespace
}  // namespace tapir::docs
