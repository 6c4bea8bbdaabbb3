// SPDX-License-Identifier: GPL-2.0-or-later
#include "complete/script_place.h"

#include <gtest/gtest.h>

#include "complete/assignments.h"

namespace tapir::complete {
namespace {

// The place of the "|" in a text.
Place at(std::string text) {
    const size_t cursor = text.find('|');
    text.erase(cursor, 1);
    return find_place(text, cursor);
}

TEST(CompletePlace, KnowsDeclarations) {
    EXPECT_EQ(at("pro|").wanted, Wanted::Item);
    EXPECT_EQ(at("pro|").word, "pro");
    EXPECT_EQ(at("global a\n|").wanted, Wanted::Item);
    EXPECT_EQ(at("probe begin { }\nfun|").wanted, Wanted::Item);
    EXPECT_EQ(at("function na|").wanted, Wanted::Nothing);
    EXPECT_EQ(at("global na|").wanted, Wanted::Nothing);
}

TEST(CompletePlace, KnowsPoints) {
    EXPECT_EQ(at("probe ker|").wanted, Wanted::Point);
    EXPECT_EQ(at("probe ker|").point, "");
    EXPECT_EQ(at("probe begin, kernel.function(\"x\").re|").point, "kernel.function(\"x\").");
    EXPECT_EQ(at("probe syscall.{open, clo|").point, "syscall.");
    EXPECT_EQ(at("probe a = vfs.|").point, "vfs.");
    EXPECT_EQ(at("probe timer.s(|").wanted, Wanted::Nothing);
    EXPECT_EQ(at("probe a {\n}\nprobe tim|\nprobe b { }").word, "tim");
}

TEST(CompletePlace, KnowsArguments) {
    const Place place = at("probe kernel.function(\"vfs_|");
    EXPECT_EQ(place.wanted, Wanted::Argument);
    EXPECT_EQ(place.point, "kernel.function(");
    EXPECT_EQ(place.word, "vfs_");
}

TEST(CompletePlace, KnowsHandlers) {
    const Place place = at("probe kernel.function(\"a\"),\n  begin {\n  size = 1\n  pri|\n}\n");
    EXPECT_EQ(place.wanted, Wanted::Code);
    EXPECT_EQ(place.points, "kernel.function(\"a\"),\n  begin");
    EXPECT_EQ(place.names, std::vector<std::string>{"size"});
    EXPECT_EQ(at("probe a = b { x = $f| }").points, "b");
    EXPECT_EQ(at("probe a { x = $f| }").wanted, Wanted::Target);
    EXPECT_EQ(at("probe a { x = $| }").wanted, Wanted::Target);
    EXPECT_EQ(at("function f(one, two) {\n  |\n}").names, (std::vector<std::string>{"one", "two"}));
    EXPECT_EQ(at("function f(one, two) {\n  |\n}").points, "");
    EXPECT_EQ(at("probe a if (x| ) { }").wanted, Wanted::Code);
}

TEST(CompletePlace, KnowsMembers) {
    EXPECT_EQ(at("probe a { x = 1 + $file->f_path->den| }").wanted, Wanted::Member);
    EXPECT_EQ(at("probe a { x = 1 + $file->f_path->den| }").base, "$file->f_path");
    EXPECT_EQ(at("probe a { @cast(p, \"t\")->| }").base, "@cast(p, \"t\")");
    EXPECT_EQ(at("probe a { $a[f(1)]->| }").base, "$a[f(1)]");
}

// "POINTS: BASE" of a member, with variables followed to their pointers.
std::string origin(std::string text) {
    const size_t cursor = text.find('|');
    text.erase(cursor, 1);
    Place place = find_place(text, cursor);
    EXPECT_EQ(place.wanted, Wanted::Member);
    follow_assignments(text, place);
    return place.points + ": " + place.base;
}

TEST(CompletePlace, FollowsVariablesToTheirPointers) {
    EXPECT_EQ(origin("probe a { f = $file\n x = f->| }"), "a: $file");
    EXPECT_EQ(origin("probe a { f = $file; d = f->f_path->dentry; x = d->d_parent->| }"),
              "a: $file->f_path->dentry->d_parent");
    EXPECT_EQ(origin("probe a { t = @cast(task_current(), \"task_struct\") t->|"),
              "a: @cast(task_current(), \"task_struct\")");
    EXPECT_EQ(origin("probe a { h = &$here[ f(1) ] println(h->| }"), "a: $here[ f(1) ]");
    EXPECT_EQ(origin("probe a { if (f = $one) ; f = $two\n f->| f = $three }"), "a: $two");
    EXPECT_EQ(origin("global g\nprobe a { g = $file }\nprobe b { println(g->| }"), "a: $file");
    EXPECT_EQ(origin("function f() { p = @cast(1, \"file\")\n p->| }"), ": @cast(1, \"file\")");
}

TEST(CompletePlace, FollowsNothingElse) {
    EXPECT_EQ(origin("probe a { f = $file }\nprobe b { f->| }"), "b: f");
    EXPECT_EQ(origin("probe a { f = $file + 8\n f->| }"), "a: f");
    EXPECT_EQ(origin("probe a { f = 1\n f->| }"), "a: f");
    EXPECT_EQ(origin("probe a { f = g(1)\n f->| }"), "a: f");
    EXPECT_EQ(origin("probe a { f = f->next\n f->| }"), "a: f");
    EXPECT_EQ(origin("probe a { f == $file\n f->| }"), "a: f");
    EXPECT_EQ(origin("probe a { g($file)->| }"), "a: g($file)");
}

TEST(CompletePlace, KnowsMacrosAndFacts) {
    EXPECT_EQ(at("probe a { @cou|").wanted, Wanted::At);
    EXPECT_EQ(at("probe a { @|").word, "@");
    EXPECT_EQ(at("%( kern|").wanted, Wanted::Condition);
    EXPECT_EQ(at("%( kernel_v > \"3\" %? probe |").wanted, Wanted::Point);
}

TEST(CompletePlace, LeavesTextAlone) {
    for (const char *text :
         {"probe a { x = \"pro| }", "probe a { # pro|\n}", "probe a { /* pro|", "%{ pro|", "probe a { x = 12|"})
        EXPECT_EQ(at(text).wanted, Wanted::Nothing) << text;
}

}  // namespace
}  // namespace tapir::complete
