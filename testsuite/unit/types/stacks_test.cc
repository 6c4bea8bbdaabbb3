// SPDX-License-Identifier: GPL-2.0-or-later
// Which strings of stacks become numbers, and where text is made of them.
#include "infer_script.h"

namespace tapir::types {
namespace {

const Tapsets kStacks = {{"stacks.stp",
                          "function backtrace:string () %{ /* pure */ %}\n"
                          "function ubacktrace:string () %{ /* pure */ %}\n"
                          "function callers:string (n:long) %{ /* pure */ %}\n"
                          "function ucallers:string (n:long) %{ /* pure */ %}\n"
                          "function stacks:string () { return backtrace() . ubacktrace() }\n"
                          "function print_syms (s:string) %{ %}\n"
                          "function print_usyms (s:string) %{ %}\n"
                          "function sprint_usyms:string (s:string) %{ /* pure */ %}\n"
                          "function print_ustack (s:string) { print_usyms(s) }\n"
                          "function strlen:long (s:string) %{ /* pure */ %}\n"}};

// The program without its functions, as -p2 -v shows it.
std::string types_of(const std::string &text) {
    const std::string all = show(text, true, kStacks);
    const size_t functions = all.find("# functions\n"), probes = all.find("# probes\n");
    return functions == std::string::npos ? all : all.substr(0, functions) + all.substr(probes);
}

testing::AssertionResult has(const std::string &text, const std::string &part) {
    if (text.find(part) != std::string::npos) return testing::AssertionSuccess();
    return testing::AssertionFailure() << "no '" << part << "' in\n" << text;
}

TEST(StoreStacks, KeysAreNumbers) {
    const std::string text = types_of(
        "global s\nprobe begin { s[backtrace(), ubacktrace(), pid()]++ }\nfunction pid:long () { return 1 }\n"
        "probe end { foreach ([k, u, p] in s-) { print_syms(k); print_ustack(u); println(u) } }");
    EXPECT_TRUE(has(text, "s:long [long, long, long]"));
    EXPECT_TRUE(has(text, "s[__stack_of_kernel((-1)), __stack_of_user((-1)), pid()]++"));
    EXPECT_TRUE(has(text, "__stack_print(k)"));
    EXPECT_TRUE(has(text, "__stack_print(u)"));
    EXPECT_TRUE(has(text, "println(__stack_text(u))"));
    EXPECT_TRUE(has(text, "k:long"));
}

TEST(StoreStacks, BothInOne) {
    EXPECT_TRUE(has(types_of("global s\nprobe begin { s[stacks()] <<< 1 }\nprobe end { foreach (k in s) { "
                             "print_usyms(k); println(@count(s[k])) } }"),
                    "s[__stack_of_both((-1))] <<< 1"));
}

TEST(StoreStacks, ElementsLocalsAndParametersFollow) {
    const std::string text = show(
        "global from\nfunction keep(t, s) { from[t] = s }\nfunction show(s) { print_usyms(s); return s }\n"
        "probe begin { s = ucallers(3); keep(1, s) }\nprobe end { foreach (t in from) println(show(from[t])) }",
        true, kStacks);
    EXPECT_TRUE(has(text, "from:long [long]"));
    EXPECT_TRUE(has(text, "s:long"));
    EXPECT_TRUE(has(text, "println(show(from[t]))"));
    EXPECT_TRUE(has(text, "return __stack_text(s)"));
}

TEST(StoreStacks, NothingIsTheEmptyStack) {
    const std::string text = types_of(
        "global last = \"\", n\nprobe begin { if (last != \"\") n++; last = n ? ubacktrace() : \"\" }\n"
        "probe end { print_usyms(last); println(n, last == ubacktrace(), strlen(last)) }");
    EXPECT_TRUE(has(text, "last:long"));
    EXPECT_TRUE(has(text, "(last != 0)"));
    EXPECT_TRUE(has(text, "last = (n ? __stack_of_user((-1)) : 0)"));
    EXPECT_TRUE(has(text, "(last == __stack_of_user((-1)))"));
    EXPECT_TRUE(has(text, "strlen(__stack_text(last))"));
}

TEST(StoreStacks, WhatIsNotStoredStaysText) {
    for (const char *script : {"probe begin { println(ubacktrace()); print_usyms(ubacktrace()) }",
                               "probe begin { s = ubacktrace(); if (s != \"\") print_usyms(s) }",
                               "function f(s) { print_usyms(s) }\nprobe begin { f(callers(2)) }"}) {
        const std::string text = show(script, true, kStacks);
        EXPECT_FALSE(has(text, "__stack")) << text;
    }
}

TEST(StoreStacks, WhatIsAlsoOtherTextStaysText) {
    for (const char *script : {
             "global s\nprobe begin { s[ubacktrace()]++ ; s[\"x\"]++ }\nprobe end { foreach (k in s) println(k) }",
             "global s\nprobe begin { s[ubacktrace()]++ }\nprobe end { foreach (k+ in s) println(k) }",
             "global s\nprobe begin { s = ubacktrace(); s .= \"x\" }\nprobe end { println(s) }",
             "global s = \"none\"\nprobe begin { s = ubacktrace() }\nprobe end { println(s) }",
             "global s\nprobe begin { t = ubacktrace(); t = execname(); s[t]++ }\nfunction execname:string () { return "
             "\"x\" }\nprobe end { foreach (k in s) println(k) }",
             "global s\nprobe begin { try { s[ubacktrace()]++ } catch (k) { s[k]++ } }\nprobe end { foreach (k in s) "
             "println(k) }",
         }) {
        const std::string text = show(script, true, kStacks);
        EXPECT_FALSE(has(text, "__stack")) << text;
        EXPECT_FALSE(has(text, "error")) << text;
    }
}

// A script's own function of that name gives what it gives.
TEST(StoreStacks, OwnFunctionsAreLeftAlone) {
    const std::string text = show(
        "global s\nfunction ubacktrace() { return \"x\" }\nprobe begin { s[ubacktrace()]++ }\nprobe end { foreach "
        "(k in s) println(k) }",
        true, kStacks);
    EXPECT_FALSE(has(text, "__stack")) << text;
}

TEST(StoreStacks, MadeForAutomaticDisplay) {
    const std::string text = types_of("global s\nprobe begin { s[ubacktrace()]++ }");
    EXPECT_TRUE(has(text, "s:long [long]"));
    EXPECT_TRUE(has(text, "__stack_text("));
}

}  // namespace
}  // namespace tapir::types
