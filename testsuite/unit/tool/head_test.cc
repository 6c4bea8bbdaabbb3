// SPDX-License-Identifier: GPL-2.0-or-later
#include "tool/head.h"

#include <gmock/gmock.h>

#include "heads.h"

namespace tapir::tool {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Head, IsOfToolsOnly) {
    EXPECT_FALSE(read_text("probe begin { println(1) }").head);
    EXPECT_TRUE(read_text("@tool(\"a\", \"why?\", \"\") probe begin { }").head);
    // Without @tool a script has the name of its file.
    EXPECT_EQ(read_option("1", "-- x").head->name, "t");
}

TEST(Head, NamesGroupQuestionAndExamples) {
    const Read read = read_text(
        "@tool(\"offcpu (offcputime, waits)\", \"Waiting: where, and how long?\",\n"
        "  \"offcpu -p 1\\n\" \"offcpu -T 5\")\n");
    EXPECT_EQ(read.messages, "");
    EXPECT_EQ(read.head->name, "offcpu");
    EXPECT_THAT(read.head->aliases, ElementsAre("offcputime", "waits"));
    EXPECT_EQ(read.head->group, "Waiting");
    EXPECT_EQ(read.head->question, "where, and how long?");
    EXPECT_THAT(read.head->examples, ElementsAre("offcpu -p 1", "offcpu -T 5"));
}

TEST(Head, ReadsASpec) {
    const Read read = read_option("10", "-m LIMIT: duration in us in 1..10ms -- ignore shorter waits");
    EXPECT_EQ(read.messages, "");
    const Option &option = read.head->options.at(0);
    EXPECT_EQ(option.name, "o");
    EXPECT_EQ(option.letter, 'm');
    EXPECT_EQ(option.metavar, "LIMIT");
    EXPECT_EQ(option.type, Type::Duration);
    EXPECT_EQ(option.unit, "us");
    EXPECT_EQ(option.least, 1);
    EXPECT_EQ(option.most, 10'000);
    EXPECT_EQ(option.initial, "10");
    EXPECT_EQ(option.help, "ignore shorter waits");
    EXPECT_TRUE(option.is_read);
    EXPECT_FALSE(option.rebuilds);
}

TEST(Head, TypesByDefaultOrName) {
    EXPECT_EQ(read_option("0", "-- x").head->options[0].type, Type::Number);
    EXPECT_EQ(read_option("\"\"", "-- x").head->options[0].type, Type::Text);
    EXPECT_EQ(read_option("0", "-e: flag -- x").head->options[0].type, Type::Flag);
    EXPECT_EQ(read_option("4096", "size -- x").head->options[0].type, Type::Size);
    EXPECT_EQ(read_option("5", "percent in 0..100 -- x").head->options[0].type, Type::Percent);
    EXPECT_EQ(read_option("0", "pid -- x").head->options[0].type, Type::Pid);
    EXPECT_EQ(read_option("\"\"", "path -- x").head->options[0].type, Type::Path);
    const Read choice = read_option("\"any\"", "-s: any|sleep|disk -- x");
    EXPECT_THAT(choice.head->options[0].choices, ElementsAre("any", "sleep", "disk"));
    const Read pids = read_option("\"\"", "pid... -- x");
    EXPECT_TRUE(pids.head->options[0].repeated);
    EXPECT_FALSE(pids.head->options[0].has_number());
    const Read word = read_option("\"\"", "<FILE>... path required -- x");
    EXPECT_TRUE(word.head->options[0].positional && word.head->options[0].repeated && word.head->options[0].required);
    EXPECT_EQ(word.head->options[0].metavar, "FILE");
}

// An option is part of what is built where the language wants a literal, and only there.
TEST(Head, FindsLiterals) {
    const Read read = read_text(
        "@option(f, \"vfs_read\", \"-- x\") @option(hz, 99, \"-- x\") @option(size, 7, \"-- x\")\n"
        "@option(pat, \"a.*\", \"regex -- x\") @option(on, 1, \"-- x\") @option(p, \"begin\", \"points -- x\")\n"
        "global a[size], b%[size]\n"
        "probe kernel.function(f).{call,return} if (on), timer.hz(hz) { if (name =~ pat) println(hz) }\n"
        "probe @p { a[1] = f(size) }\n");
    EXPECT_EQ(read.messages, "");
    std::string rebuilds, reads;
    for (const Option &option : read.head->options) {
        if (option.rebuilds) rebuilds += option.name + " ";
        if (option.is_read) reads += option.name + " ";
    }
    EXPECT_EQ(rebuilds, "f pat p ");
    EXPECT_EQ(reads, "f hz size on ");
    // The loader sets intervals, rates and sizes.
    std::string loads;
    for (const Option &option : read.head->options)
        if (option.is_loaded()) loads += option.name + " ";
    EXPECT_EQ(loads, "hz size on ");
    std::string places;
    for (const LiteralPlace &place : read.head->literals)
        places += std::to_string(place.line) + ":" + std::to_string(place.column) + " " + place.option + "\n";
    EXPECT_EQ(places, "3:10 size\n3:20 size\n4:23 f\n4:58 hz\n4:76 pat\n1:12 f\n2:14 pat\n2:69 p\n");
}

// Only where the session's start reads them; one other place makes an option part of what is built.
TEST(Head, LoadsIntervalsAndRates) {
    const std::pair<const char *, bool> cases[] = {
        {"timer.s(n)", true},
        {"timer.jiffies(n)", true},
        {"timer.profile.freq.hz(n)", true},
        {"perf.hw.cpu_cycles.sample(n)", true},
        {"perf.type(1).config(0).hz(n)", true},
        {"timer.s(5).randomize(n)", false},
        {"perf.type(n).config(0)", false},
        {"kernel.statement(n).absolute", false},
        {"process(\"/a\").begin, timer.s(n)", true},
        {"timer.s(n), kernel.statement(n).absolute", false},
        {"my.{timer, other}.s(n)", false},
    };
    for (const auto &[point, loads] : cases) {
        const Read read =
            read_text("@option(n, 5, \"-- x\")\nprobe " + std::string(point) + " { }\nprobe end { println(n) }\n");
        EXPECT_EQ(read.messages, "");
        EXPECT_EQ(read.head->options[0].is_loaded(), loads) << point;
        EXPECT_EQ(read.head->options[0].rebuilds, !loads) << point;
    }
}

TEST(Head, SaysWhetherTheScriptTakesArguments) {
    EXPECT_TRUE(read_text("@tool(\"a\", \"b\", \"\") probe begin { println($1) }").head->takes_arguments);
    EXPECT_TRUE(read_text("@tool(\"a\", \"b\", \"\") probe begin { println(@2) }").head->takes_arguments);
    EXPECT_FALSE(read_text("@tool(\"a\", \"b\", \"\") probe syscall.open { println($flags) }").head->takes_arguments);
}

// A script's own macros of these names are no heads.
TEST(Head, LeavesMacrosOfTheScript) {
    EXPECT_FALSE(read_text("@define option(a) %( @a %)\nprobe begin { println(@option(1)) }").head);
    EXPECT_FALSE(read_text("@define tool %( 1 %)\nprobe begin { println(@tool) }").head);
}

TEST(Head, ToolHead) {
    EXPECT_EQ(
        read_option("0", "-m nummer -- x").messages,
        "parse error: option 'o': 'nummer' is not a type (similar: number)\n"
        "         at: string '\"-m nummer -- x\"' at t.stp:1:15\n"
        "     source: @option(o, 0, \"-m nummer -- x\")\n"
        "                           ^\n"
        "       help: types are number, text, flag, duration in UNIT, size, percent, pid, path, regex, points and "
        "A|B|C; help follows \"--\"\n\n");
}

TEST(Head, RefusesWithAReason) {
    const std::pair<Read, const char *> cases[] = {
        {read_option("0", "number"), "it does not say what the option is for"},
        {read_option("0", "duration -- x"), "a duration needs the unit of its value"},
        {read_option("0", "duration in weeks -- x"), "'weeks' is not a unit of time"},
        {read_option("0", "in 5 -- x"), "'5' is not a range"},
        {read_option("0", "in 5..1 -- x"), "the range '5..1' is empty"},
        {read_option("0", "in 1..x -- x"), "the range '1..x' has a wrong limit: it should be a whole number"},
        {read_option("0", "in 5..9 -- x"), "the default of option 'o' is none of its values: it should be 5 to 9"},
        {read_option("\"x\"", "a|b -- x"), "the default of option 'o' is none of its values"},
        {read_option("\"x\"", "number -- x"), "the value of this type is a number, the default is text"},
        {read_option("1", "text -- x"), "the value of this type is text, the default is a number"},
        {read_option("\"a\"", "in 1..2 -- x"), "only numbers have a range"},
        {read_option("0", "number text -- x"), "it has two types"},
        {read_option("0", "-mm -- x"), "'-mm' is not a letter for an option"},
        {read_option("0", "-p -- x"), "every tool has an option -p already"},
        {read_option("0", "<W>: flag -- x"), "a flag has no value"},
        {read_option("\"\"", "points -- x"), "option 'o' has no probe points unless it is given"},
        {read_text("@option(o 1)"), "@option takes a name, a default and a text"},
        {read_text("@option(1, 1, \"-- x\")"), "expected the name of the option"},
        {read_text("@option(o, 1, \"-- x\""), "could not find the ')' that ends @option"},
        {read_text("@option o"), "expected '(' after @option"},
        {read_text("@option(o, x, \"-- x\")"), "expected the option's default, a number or text in quotes"},
        {read_text("@option(o, \"a\" \"b\", \"-- x\")"), "the default of option 'o' is one text"},
        {read_text("@option(o, 1, 2)"), "expected the text that describes the option in quotes"},
        {read_text("@option(o, 1, \"-- x\") @option(o, 1, \"-- x\")"), "option 'o' is declared twice"},
        {read_text("@tool(\"a (b\", \"c?\", \"\")"), "'a (b' is not a name with other names in parentheses"},
        {read_text("@tool(\"a (b) c\", \"c?\", \"\")"), "'a (b) c' is not a name with other names in parentheses"},
        {read_text("@option(a, 1, \"-k -- x\") @option(b, 1, \"-k -- x\")"), "the letter -k is that of option 'a'"},
        {read_text("@option(pid, 1, \"-- x\")"), "every tool has an option --pid already"},
        {read_text("@option(completion, \"\", \"-- x\")"), "every tool has an option --completion already"},
        {read_text("@option(no_a, 0, \"flag -- x\") @option(a, 0, \"flag -- x\")"),
         "--no-a is the flag --a switched off"},
        {read_text("@option(a, 0, \"flag -- x\") @option(no_a, 1, \"-- x\")"), "--no-a is the flag --a switched off"},
        {read_text("@option(format, 1, \"-- x\")"), "every tool has an option --format already"},
        {read_text("%( kernel_v > \"5\" %? @option(a, 1, \"-- x\") %)"), "an option cannot depend on a condition"},
        {read_text("@option(a, \"\", \"<A>... -- x\") @option(b, \"\", \"<B> -- x\")"), "no word can follow 'A'"},
        {read_text("@option(a, \"\", \"<A> -- x\") @option(b, \"\", \"<B> required -- x\")"),
         "'B' is required, and 'A' before it is not"},
        {read_text("@tool(\"a b\", \"c\", \"\")"), "'a b' cannot be the name of a tool"},
        {read_text("@tool(\"a\", \" \", \"\")"), "a tool answers a question, which is empty"},
        {read_text("@tool(\"a\", \"b\")"), "@tool takes a name, a question and examples, in quotes"},
        {read_text("@tool(\"a\", \"b\", \"\") @tool(\"c\", \"d\", \"\")"), "a script is one tool"},
    };
    for (const auto &[read, message] : cases)
        EXPECT_THAT(read.messages, HasSubstr(message));
}

}  // namespace
}  // namespace tapir::tool
