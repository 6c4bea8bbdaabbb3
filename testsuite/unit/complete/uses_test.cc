// SPDX-License-Identifier: GPL-2.0-or-later
#include "complete/uses.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace tapir::complete {
namespace {

// Renames the name at the "|" to "new_name"; or the reason against it.
std::string renamed(std::string text, const std::string &name = "new_name") {
    const size_t cursor = text.find('|');
    text.erase(cursor, 1);
    const auto places = rename_places(text, cursor, name);
    if (!places) return places.fault().message();
    size_t length = 0;
    while (places->front() + length < text.size() &&
           (std::isalnum(static_cast<unsigned char>(text[places->front() + length])) ||
            text[places->front() + length] == '_'))
        length++;
    std::vector<size_t> backwards = *places;
    std::sort(backwards.rbegin(), backwards.rend());
    for (const size_t at : backwards)
        text.replace(at, length, name);
    return text;
}

TEST(Uses, RenamesGlobals) {
    EXPECT_EQ(renamed("global re|ads, x\nprobe vfs.read { reads++; a->reads = 1 }\nprobe end { println(reads) }"),
              "global new_name, x\nprobe vfs.read { new_name++; a->reads = 1 }\nprobe end { println(new_name) }");
    EXPECT_EQ(renamed("global a\nfunction f(a) { return a }\nprobe end { println(|a) }"),
              "global new_name\nfunction f(a) { return a }\nprobe end { println(new_name) }");
    EXPECT_EQ(renamed("@option(|min, 0, \"number\")\nprobe timer.s(min) { println(min) }"),
              "@option(new_name, 0, \"number\")\nprobe timer.s(new_name) { println(new_name) }");
    EXPECT_EQ(renamed("global |end\nprobe end { end = 1 }"), "global new_name\nprobe end { new_name = 1 }");
    EXPECT_EQ(renamed("global |n\n@define m %( n %)\nprobe end { @m }"),
              "global new_name\n@define m %( new_name %)\nprobe end { @m }");
}

TEST(Uses, RenamesFunctionsAndLocals) {
    EXPECT_EQ(renamed("function f(f) { return f }\nprobe end { f = |f(1) }"),
              "function new_name(f) { return f }\nprobe end { f = new_name(1) }");
    EXPECT_EQ(renamed("function f(|f) { return f }\nprobe end { f = f(1) }"),
              "function f(new_name) { return new_name }\nprobe end { f = f(1) }");
    EXPECT_EQ(renamed("probe end { foreach ([k, v] in x) println(|k) }\nprobe begin { k = 1 }"),
              "probe end { foreach ([new_name, v] in x) println(new_name) }\nprobe begin { k = 1 }");
}

TEST(Uses, RefusesWhatIsNotSure) {
    EXPECT_EQ(renamed("probe vfs.read { println(|size) }"), "'size' is not set here: it may be an alias's variable");
    EXPECT_EQ(renamed("@define m %( x %)\nprobe end { |x = 1; @m }"), "a macro mentions 'x', too; rename it by hand");
    EXPECT_EQ(renamed("probe end { |exit() }"), "'exit' is not declared in this script");
    EXPECT_EQ(renamed("global |a\nprobe end { new_name = 1 }"), "the script has a 'new_name' already");
    EXPECT_EQ(renamed("global |a", "next"), "'next' is no name for a variable or function");
    EXPECT_EQ(renamed("probe |end { }"), "no variable or function of this script is here");
}

}  // namespace
}  // namespace tapir::complete
