// SPDX-License-Identifier: GPL-2.0-or-later
#include "interactive/definitions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "interactive/typed_tokens.h"

namespace tapir::interactive {
namespace {

std::vector<std::string> texts(const std::vector<Item> &items) {
    std::vector<std::string> all;
    for (const Item &item : items)
        all.push_back(item.text);
    return all;
}

std::vector<std::string> names(const std::vector<Item> &items) {
    std::vector<std::string> all;
    for (const Item &item : items)
        all.push_back(item.name);
    return all;
}

TEST(InteractiveDefinitions, ArePartedAtTheirKeywords) {
    const std::vector<Item> items = part(
        "// counts\nglobal n, by[100] = 5 private function f:long (a, b:string) { return a }\n"
        "@define twice(x) %( (@x + @x) %)\n"
        "probe syscall.read,\n  syscall.write { n++ /* probe */ \"probe {\" } probe mine = begin { x = 1 }\n"
        "@table(rows, \"a\", \"b\")\n");
    EXPECT_THAT(names(items),
                testing::ElementsAre("n", "by", "f", "twice", "syscall.read, syscall.write", "mine", "rows"));
    EXPECT_THAT(
        texts(items),
        testing::ElementsAre("// counts\nglobal n", "global by[100] = 5",
                             "private function f:long (a, b:string) { return a }", "@define twice(x) %( (@x + @x) %)",
                             "probe syscall.read,\n  syscall.write { n++ /* probe */ \"probe {\" }",
                             "probe mine = begin { x = 1 }", "@table(rows, \"a\", \"b\")"));
    const std::vector<Item::Kind> kinds = {Item::Kind::Global, Item::Kind::Global, Item::Kind::Function,
                                           Item::Kind::Macro,  Item::Kind::Probe,  Item::Kind::Alias,
                                           Item::Kind::Table};
    for (size_t i = 0; i < kinds.size(); i++)
        EXPECT_EQ(kinds[i], items[i].kind) << i;
    EXPECT_TRUE(part("").empty());
    EXPECT_TRUE(part(" // nothing\n").empty());
}

TEST(InteractiveDefinitions, TakeThePlaceOfThoseBefore) {
    Definitions all;
    all.add(part("global n = 1 function f(a) { return 1 } function f(a, b) { return 2 } function f() { return 0 }"));
    all.add(part("probe begin { f(n) }"));
    all.add(part("global n = 2 function f(a, c) { return 3 } probe begin { f(n) }"));
    EXPECT_THAT(texts(all.items()),
                testing::ElementsAre("global n = 2", "function f(a) { return 1 }", "function f(a, c) { return 3 }",
                                     "function f() { return 0 }", "probe begin { f(n) }", "probe begin { f(n) }"));
    EXPECT_EQ(all.without(part("function f(x, y) {}")).items().size(), 5u);
    EXPECT_EQ(all.script(false),
              "global n = 2\nfunction f(a) { return 1 }\nfunction f(a, c) { return 3 }\n"
              "function f() { return 0 }\n");
}

TEST(InteractiveDefinitions, AreRemovedByNumberOrName) {
    Definitions all;
    all.add(part("global n function f(a) { } function f() { } probe begin { } probe vfs.read,  vfs.write { }"));
    EXPECT_FALSE(all.remove("6"));
    EXPECT_FALSE(all.remove("0"));
    EXPECT_FALSE(all.remove("g"));
    EXPECT_FALSE(all.remove(""));
    EXPECT_TRUE(all.has_probes());
    EXPECT_EQ(all.find("vfs.read, vfs.write"), 4u);
    EXPECT_TRUE(all.remove("f"));
    EXPECT_THAT(names(all.items()), testing::ElementsAre("n", "begin", "vfs.read, vfs.write"));
    EXPECT_TRUE(all.remove("2"));
    EXPECT_TRUE(all.remove("vfs.read, vfs.write"));
    EXPECT_FALSE(all.has_probes());
    EXPECT_TRUE(all.remove("n"));
    EXPECT_TRUE(all.empty());
}

TEST(InteractiveTokens, TellWhatIsOpen) {
    for (const char *text :
         {"probe begin {\n", "f(1,\n", "a[\n", "@define m %( 1\n", "/* a\n", "%{ int x;\n", "x = \"a\\\n"})
        EXPECT_EQ(closing_of(text), Closing::Open) << text;
    for (const char *text : {"}\n", "f(1))\n", "{ } }\n", ") (\n"})
        EXPECT_EQ(closing_of(text), Closing::TooMany) << text;
    for (const char *text : {"", "{ ( [ ] ) }\n", "x = \"{\"\n", "// {\n", "/* { */\n", "x = \"a\n", "$1 {}\n"})
        EXPECT_EQ(closing_of(text), Closing::Closed) << text;
}

}  // namespace
}  // namespace tapir::interactive
