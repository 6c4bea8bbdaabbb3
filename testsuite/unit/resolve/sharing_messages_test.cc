// SPDX-License-Identifier: GPL-2.0-or-later
// Names that handlers do not share: a forgotten "global", and variables that only some points of a probe have.
#include "pass2.h"

namespace tapir::resolve {
namespace {

// The messages about names for a script: "" is a script that is in order.
std::string unshared(const std::string &text) {
    const std::string said = diagnose(text);
    std::string first = said.substr(0, said.find(": identifier"));
    const size_t help = said.find("help: ");
    if (help != std::string::npos) first += "|" + said.substr(help + 6, said.find('\n', help) - help - 6);
    return first;
}

TEST(SharingMessages, UnsharedLocal) {
    EXPECT_EQ(diagnose("probe kernel.function(\"vfs_read\") { count++ }\n"
                       "probe end { printf(\"%d\\n\", count) }"),
              "semantic error: variable 'count' is not shared: another handler assigns it, and this handler has a "
              "variable of its own, which nothing assigns: identifier 'count' at <input>:2:28\n"
              "        source: probe end { printf(\"%d\\n\", count) }\n"
              "                                           ^\n"
              "          help: declare it outside of handlers, which makes it one variable: global count\n"
              "\n"
              "semantic error: assigned here: identifier 'count' at :1:37\n"
              "        source: probe kernel.function(\"vfs_read\") { count++ }\n"
              "                                                    ^\n"
              "\n");
}

TEST(SharingMessages, UnsharedLocalInAllItsForms) {
    const std::string begins = "semantic error: variable 'n' is not shared: ";
    const std::string nothing =
        "another handler assigns it, and this handler has a variable of its own, which nothing "
        "assigns";
    const std::string without =
        "another handler assigns it, and this handler has a variable of its own, which begins "
        "without a value";
    const std::string help = "|declare it outside of handlers, which makes it one variable: global n";
    for (const char *write : {"n++", "++n", "n = 1", "n += 2", "n = \"text\"", "n .= \"x\"", "n <<< 3",
                              "if (pid() == 1) n = 2", "foreach (n in a) break", "foreach (n = k in a) break",
                              "try { exit() } catch (n) { }", "println(n++)", "for (n = 0; n < 3; n++) exit()"})
        for (const char *read : {"println(n)", "printf(\"%d\", n)", "if (n > 1) exit()", "a[n] = 1", "a[1] = n",
                                 "x = n; println(x)", "println(n ? 1 : 2)", "while (n) break", "println(n . \"\")"})
            EXPECT_EQ(unshared("global a\nfunction pid() { return 1 } function exit() { println(1) }\n"
                               "probe begin { a[1] = 1; " +
                               std::string(write) + " }\nprobe end { foreach (z in a) println(z); " + read + " }"),
                      begins + nothing + help)
                << write << " ... " << read;
    // It is read before it is set anew.
    EXPECT_EQ(unshared("probe kernel.function(\"vfs_read\") { n++ } probe end { println(n) n = 0 }"),
              begins + without + help);
    EXPECT_EQ(unshared("probe begin { n = 0 } probe kernel.function(\"vfs_read\") { n++ if (n == 10) next }"),
              begins + without + help);
    EXPECT_EQ(unshared("probe begin { n = 0 } probe end { n += 2 println(n) }"), begins + without + help);
    // An alias of the script is another handler, too; a function is none.
    EXPECT_EQ(unshared("probe mine = begin { n = 1 } probe mine { println(1) } probe end { println(n) }"),
              begins + "an alias assigns it, and this handler has a variable of its own, which nothing assigns" + help);
    EXPECT_EQ(unshared("function f() { return n } probe begin { n = 1 } probe end { println(f()) }"),
              begins + "a handler assigns it, and this function has a variable of its own, which nothing assigns" +
                  help + "; or give it to the function as an argument");
    EXPECT_EQ(
        unshared("function f() { n = 2 } probe begin { f() println(n) }"),
        begins + "function f assigns it, and this handler has a variable of its own, which nothing assigns" + help);
}

// Each handler with variables of its own, as SystemTap has it.
TEST(SharingMessages, NothingOfWhatEachHasForItself) {
    for (const char *script :
         {"probe begin { i = 1 println(i) } probe end { i = 2 println(i) }",
          "probe begin { n = 0 n++ println(n) } probe end { n = 5 println(n) }",
          "global a probe begin { foreach (k in a) n += a[k] println(n) a[1] = 1 } probe end { foreach (k in a) n++ "
          "println(n) }",
          "probe begin { while (i < 3) i++ println(i) } probe end { for (i = 0; i < 3; i++) println(i) }",
          "probe begin { for (; i < 3; ) { println(i) i++ } } probe end { i = 1 println(i) }",
          "probe begin { if (1) n = 1 println(n) } probe end { n = 2 println(n) }",
          "probe begin { if (1) n = 1 else n = 2 println(n) } probe end { n = 2 println(n) }",
          "probe begin { try { n = 1 } catch { n = 2 } println(n) } probe end { n = 2 println(n) }",
          "probe begin { try { println(1) } catch (e) { println(e) } } probe end { e = 1 println(e) }",
          "global n probe begin { n = 1 } probe end { println(n) }",
          "function f(n) { return n } probe begin { n = 1 println(f(n)) }",
          "function f(x) { n = x + 1 return n } probe begin { n = 1 println(f(n)) }",
          // Aliases and the probes that use them have their variables in common.
          "probe mine = begin { n = 1 } probe mine { println(n) }",
          "probe mine = begin { n = 1 } probe mine { println(n) } probe end { n = 2 println(n) }",
          "probe mine += begin { println(n) } probe mine { n = 1 }"})
        EXPECT_EQ(diagnose(script), "") << script;
}

TEST(SharingMessages, ErrorsOfTheSameNameAreOne) {
    const std::string said = diagnose(
        "probe kernel.function(\"vfs_*\") { n++ }\n"
        "probe kernel.function(\"vfs_*\"), end { println(n) println(n) }");
    size_t count = 0;
    for (size_t at = 0; (at = said.find("is not shared", at)) != std::string::npos; ++at)
        ++count;
    EXPECT_EQ(count, 1U) << said;
}

const Tapsets kSome = {{"some.stp",
                        "probe some.read = kernel.function(\"vfs_read\") { name = \"read\" size = 1 }\n"
                        "probe some.write = kernel.function(\"vfs_write\") { name = \"write\" size = 2 }\n"
                        "probe some.exit = kernel.function(\"do_exit\") { name = \"exit\" }\n"}};

TEST(SharingMessages, LackingVariable) {
    EXPECT_EQ(diagnose("probe some.* { printf(\"%s %d\\n\", name, size) }", kSome),
              "semantic error: variable 'size' does not exist at some.exit, of the points of this probe: identifier "
              "'size' at <input>:1:40\n"
              "        source: probe some.* { printf(\"%s %d\\n\", name, size) }\n"
              "                                                       ^\n"
              "          help: name the points that have it, some.read, some.write, or write a probe of their own for "
              "the others; 'stap -L POINT' lists variables\n"
              "\n");
    // Lists of points are no other.
    EXPECT_NE(diagnose("probe some.exit, some.read { println(size) }", kSome).find("not exist at some.exit,"),
              std::string::npos);
}

// A variable that is used under a condition may exist whenever the condition holds.
TEST(SharingMessages, NeverAssignedLocalOnCondition) {
    EXPECT_EQ(diagnose("probe some.* { if (name != \"exit\") printf(\"%d\\n\", size) }", kSome),
              "WARNING: never-assigned local variable 'size' does not exist at some.exit, of the points of this probe: "
              "identifier 'size' at <input>:1:51\n"
              " source: probe some.* { if (name != \"exit\") printf(\"%d\\n\", size) }\n"
              "                                                           ^\n"
              "   help: name the points that have it, some.read, some.write, or write a probe of their own for the "
              "others; 'stap -L POINT' lists variables\n");
    EXPECT_EQ(diagnose("probe some.* { println(name) }", kSome), "");
    EXPECT_EQ(diagnose("global size probe some.* { println(size) size++ }", kSome), "");
    EXPECT_EQ(diagnose("probe some.* { size = 3 println(size) }", kSome), "");
}

}  // namespace
}  // namespace tapir::resolve
