// SPDX-License-Identifier: GPL-2.0-or-later
#include "syscalls/call_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tapir::syscalls {
namespace {

using testing::ElementsAre;

struct Read {
    explicit Read(const std::string &text) : file("x.table", text, Origin::Tapset) {
        good = table.read(file, diagnostics);
    }
    std::string messages() const { return render_all(diagnostics, true); }

    SourceFile file;
    Diagnostics diagnostics;
    Table table;
    bool good;
};

// "form NAME ARGUMENT" of each variable.
std::vector<std::string> variables(const Call &call) {
    std::vector<std::string> list;
    for (const Variable &v : call.variables) {
        static const char *const forms[] = {"number", "text", "unquoted", "script"};
        std::string text = std::string(forms[static_cast<int>(v.form)]) + " " + v.name;
        text += v.form == Form::Script ? " {" + std::string(v.script) + "}" : " " + std::to_string(v.argument);
        list.push_back(text + (v.at_return ? " at return" : ""));
    }
    return list;
}

TEST(SyscallTable, VariablesFollowFromDecoders) {
    const Read read(
        "# opening\n"
        "flags open O_RDONLY=0/3 O_WRONLY=1/3\n"
        "  O_CREAT=0100\n"
        "call openat dfd:dirfd filename:string\n"
        "  flags:flags(open) # continued\n"
        "  mode:octal\n");
    EXPECT_EQ(read.messages(), "");
    const Call *call = read.table.find("openat", false);
    ASSERT_TRUE(call);
    EXPECT_EQ(call->alias, "openat");
    EXPECT_EQ(call->name, "openat");
    EXPECT_THAT(variables(*call),
                ElementsAre("number dfd 0", "text dfd_str 0", "number filename_uaddr 1", "text filename 1",
                            "unquoted filename_unquoted 1", "number flags 2", "text flags_str 2", "number mode 3"));
    EXPECT_EQ(call->args[3].at[0], 3);
    EXPECT_EQ(call->args[2].names->list.size(), 3u);
    EXPECT_EQ(read.table.find("openat", true), call);
    EXPECT_EQ(read.table.find("open", false), nullptr);
}

TEST(SyscallTable, NamesMayBeGiven) {
    const Read read(
        "call pipe2/pipe/pipe2 fildes_uaddr:pointer flags,text=flag_str:int pipe0={user_int(fildes_uaddr)}\n"
        "  return status={ {1} }\n"
        "call32 pipe2 a:int\n"
        "call umask result=octal mask:octal\n"
        "call exit result=none status:int\n"
        "call brk result=hex brk:hex\n"
        "alias pipe32 = pipe2\n"
        "alias32 compat_pipe = pipe2\n");
    EXPECT_EQ(read.messages(), "");
    const Call *call = read.table.find("pipe2", false);
    ASSERT_TRUE(call);
    EXPECT_EQ(call->alias, "pipe");
    EXPECT_EQ(call->name, "pipe2");
    EXPECT_THAT(variables(*call),
                ElementsAre("script pipe0 {user_int(fildes_uaddr)}", "script status { {1} } at return",
                            "number fildes_uaddr 0", "number flags 1", "text flag_str 1"));
    EXPECT_EQ(read.table.find("pipe2", true)->args.size(), 1u);
    EXPECT_EQ(read.table.find("umask", false)->result, TAPIR_RESULT_OCTAL);
    EXPECT_EQ(read.table.find("exit", false)->result, TAPIR_RESULT_NONE);
    EXPECT_EQ(read.table.find("brk", false)->result, TAPIR_RESULT_HEX);
    ASSERT_EQ(read.table.aliases().size(), 2u);
    EXPECT_EQ(read.table.aliases()[1].name, "compat_pipe");
    EXPECT_TRUE(read.table.aliases()[1].narrow);
}

TEST(SyscallTable, ReasonsWhyCallsAreAbsent) {
    const Read read("absent gone lost {it went {away}}\n");
    EXPECT_EQ(read.messages(), "");
    EXPECT_EQ(read.table.reason("lost"), "it went {away}");
    EXPECT_EQ(read.table.reason("other"), "");
}

TEST(SyscallTable, SixtyFourBitArgumentsTakeTwoOfA32BitCall) {
    const Read read("call fallocate fd:int mode:int offset:s64 len:s64\ncall swapped b@1:long a@0:long\n");
    EXPECT_EQ(read.messages(), "");
    const Call &call = *read.table.find("fallocate", true);
    EXPECT_EQ(call.args[3].at[0], 3);
    EXPECT_EQ(call.args[2].at[1], 2);
    EXPECT_EQ(call.args[3].at[1], 4);
    const Call &swapped = *read.table.find("swapped", false);
    EXPECT_EQ(swapped.args[0].at[0], 1);
    EXPECT_EQ(swapped.args[1].at[0], 0);
}

TEST(SyscallTable, StructuresAreLaidOutForBothSizes) {
    const Read read(
        "struct timespec tv_sec:long tv_nsec:long\n"
        "struct mixed a:char b:s64 c:ushort t:record(timespec) l:list(short,3) _:pad(2) s:text(5)\n"
        "struct packed_one packed a:uint b:u64\n"
        "struct union_one a:u64 b@0:uint\n"
        "struct moved a@16/8:long b@8/4:long c@0:long\n"
        "struct chosen kind:int value:choice(kind, 1=pointer, 2|3=record(timespec), none)\n");
    EXPECT_EQ(read.messages(), "");
    const auto places = [&](std::string_view name, int abi) {
        std::vector<int> list;
        const Record &record = *read.table.record(name);
        for (const Show &field : record.fields)
            list.push_back(field.at[abi]);
        list.push_back(record.size[abi]);
        return list;
    };
    EXPECT_THAT(places("timespec", 0), ElementsAre(0, 8, 16));
    EXPECT_THAT(places("timespec", 1), ElementsAre(0, 4, 8));
    EXPECT_THAT(places("mixed", 0), ElementsAre(0, 8, 16, 24, 40, 46, 48, 56));
    EXPECT_THAT(places("mixed", 1), ElementsAre(0, 4, 12, 16, 24, 30, 32, 40));
    EXPECT_THAT(places("packed_one", 0), ElementsAre(0, 4, 12));
    EXPECT_THAT(places("union_one", 0), ElementsAre(0, 0, 8));
    EXPECT_THAT(places("moved", 0), ElementsAre(16, 8, 0, 24));
    EXPECT_THAT(places("moved", 1), ElementsAre(8, 4, 0, 12));
    EXPECT_THAT(places("chosen", 0), ElementsAre(0, 8, 24));
    EXPECT_THAT(places("chosen", 1), ElementsAre(0, 4, 12));
    EXPECT_EQ(read.table.record("chosen")->fields[1].choices[0].show.at[0], 8);
    EXPECT_EQ(read.table.record("mixed")->fields[5].name, "");
}

TEST(SyscallTable, ChoicesNameValuesOfWhatTheyDependOn) {
    const Read read(
        "enum fcntl F_DUPFD F_GETFD F_SETFD=2 F_NEGATIVE=-1\n"
        "flags open O_RDWR=2/3 O_CREAT=0100 O_PATH=010000000\n"
        "call fcntl fd:int cmd:enum(fcntl) arg:choice(cmd,F_GETFD|7=none,F_NEGATIVE=int,hex)\n"
        "call open path:string flags:flags(open) mode:choice(flags,&O_CREAT=octal,O_RDWR=int,none)\n"
        "enum n unknown=number A\nflags m unknown=mode B=512\n");
    EXPECT_EQ(read.messages(), "");
    const auto &choices = read.table.find("fcntl", false)->args[2].choices;
    ASSERT_EQ(choices.size(), 4u);
    EXPECT_EQ(choices[0].value, 1u);
    EXPECT_EQ(choices[1].value, 7u);
    EXPECT_EQ(choices[2].value, ~uint64_t{0});
    EXPECT_EQ(choices[3].mask, 0u);
    EXPECT_EQ(choices[3].show.kind, TAPIR_SHOW_HEX);
    const auto &bits = read.table.find("open", false)->args[2].choices;
    EXPECT_EQ(bits[0].value, 0100u);
    EXPECT_EQ(bits[0].mask, 0100u);
    EXPECT_EQ(bits[1].value, 2u);
    EXPECT_EQ(bits[1].mask, 3u);
    EXPECT_TRUE(read.table.names("n")->plain);
    EXPECT_TRUE(read.table.names("m")->permissions);
    EXPECT_EQ(read.table.names("m")->unknown, "");
}

TEST(SyscallTable, CallsNobodyDescribedAreShownByTheirTypes) {
    Call call;
    call.add_by_type("const char __user *", "filename");
    call.add_by_type("unsigned int", "flags");
    call.add_by_type("loff_t", "offset");
    call.add_by_type("struct stat __user *", "statbuf");
    call.add_by_type("umode_t", "mode");
    call.add_by_type("const char __user *", "name");
    EXPECT_THAT(variables(call),
                ElementsAre("text filename 0", "unquoted filename_unquoted 0", "number filename_uaddr 0",
                            "number flags 1", "number offset 2", "number statbuf_uaddr 3", "number mode 4",
                            "text name_str 5", "unquoted name_str_unquoted 5", "number name_uaddr 5"));
    EXPECT_EQ(call.args[3].at[0], 3);
    EXPECT_EQ(call.args[3].at[1], 4);
    EXPECT_EQ(call.args[4].kind, TAPIR_SHOW_OCTAL);
}

TEST(SyscallTable, LaterFilesReplaceEntries) {
    const SourceFile first("a.table", "call a x:int\nenum e A\n", Origin::Tapset);
    const SourceFile second("b.table", "call a y:enum(e)\n", Origin::Tapset);
    Diagnostics diagnostics;
    Table table;
    EXPECT_TRUE(table.read(first, diagnostics));
    EXPECT_TRUE(table.read(second, diagnostics));
    EXPECT_THAT(variables(*table.find("a", false)), ElementsAre("number y 0", "text y_str 0"));
}

std::string error(const std::string &text) {
    const Read read(text);
    EXPECT_FALSE(read.good);
    return read.messages();
}

TEST(SyscallTable, ErrorsShowTheirPlace) {
    EXPECT_EQ(error("call read fd:int\ncalls read fd:int\n"),
              "parse error: expected call, call32, alias, alias32, absent, flags, enum or struct\n"
              "        saw: identifier 'calls' at x.table:2:1\n"
              "     source: calls read fd:int\n"
              "             ^\n\n");
    EXPECT_EQ(error("struct s\n  a:text(many)\n"),
              "parse error: expected a number\n"
              "        saw: identifier 'many' at x.table:2:10\n"
              "     source:   a:text(many)\n"
              "                      ^\n\n");
}

// The first line of each message, and the text it points to.
std::vector<std::string> errors(const std::string &text) {
    const Read read(text);
    EXPECT_FALSE(read.good);
    std::vector<std::string> list;
    for (const auto &diagnostic : read.diagnostics.all())
        list.push_back(diagnostic->message + " [" + std::string(diagnostic->at.text) + "]");
    return list;
}

TEST(SyscallTable, EveryEntryIsChecked) {
    EXPECT_THAT(
        errors("call a x:flags(none_such)\ncall b y:struct(s) z:enum(e)\n"),
        ElementsAre("no flags of this name [none_such]", "no struct of this name [s]", "no enum of this name [e]"));
    EXPECT_THAT(errors("call a x:strin\n"), ElementsAre("no decoder of this name [strin]"));
    EXPECT_THAT(errors("call a x:int(3)\n"), ElementsAre("'int' takes no parameters [3]"));
    EXPECT_THAT(errors("call a x:string(a)\n"), ElementsAre("'string' takes 0 parameters [string]"));
    EXPECT_THAT(errors("call a x:bytes\n"), ElementsAre("'bytes' takes 1 parameter [bytes]"));
    EXPECT_THAT(errors("call a x:hex(int,int)\n"), ElementsAre("'hex' takes at most 1 parameter [hex]"));
    EXPECT_THAT(errors("call a x:hex(it)\n"), ElementsAre("no type of this name [it]"));
    EXPECT_THAT(errors("call a x:bytes(n)\n"), ElementsAre("no argument of this name [n]"));
    EXPECT_THAT(errors("struct s x:bytes(n)\n"), ElementsAre("no field of this name [n]"));
    EXPECT_THAT(errors("struct s l=x:int\n"), ElementsAre("expected ':' [=]"));
    EXPECT_THAT(errors("struct s x:l=int\n"), ElementsAre("a field has no label [int]"));
    EXPECT_THAT(errors("call a x:text(3)\n"), ElementsAre("'text' is for structures [text]"));
    EXPECT_THAT(errors("call a x:choice\n"),
                ElementsAre("'choice' takes what it depends on, cases, and what else to show [choice]"));
    EXPECT_THAT(errors("call a y:int x:choice(y,1=int,2=int)\n"),
                ElementsAre("the last of a choice has no case [int]"));
    EXPECT_THAT(errors("call a y:int x:choice(y,int,int)\n"), ElementsAre("expected a case [int]"));
    EXPECT_THAT(errors("call a y:int x:choice(y,A=int,int)\n"),
                ElementsAre("not a value of what the choice depends on [A]"));
    EXPECT_THAT(errors("call a x:int x:int\n"), ElementsAre("two variables of the name 'x' [a]"));
    EXPECT_THAT(errors("call a name:int\n"), ElementsAre("two variables of the name 'name' [a]"));
    EXPECT_THAT(errors("call a a:int b:int c:int d:int e:int f:int g:int\n"),
                ElementsAre("a call has at most 6 arguments [g]"));
    EXPECT_THAT(errors("call32 a a:s64 b:s64 c:s64 d:int\n"), ElementsAre("a call has at most 6 arguments [d]"));
    EXPECT_THAT(errors("call a\ncall a\n"), ElementsAre("defined twice in this file [a]"));
    EXPECT_THAT(errors("call a x=3\n"), ElementsAre("expected '{' [3]"));
    EXPECT_THAT(errors("call a x={3\n"), ElementsAre("'{' is not closed in its line [{]"));
    EXPECT_THAT(errors("call a return x:int\n"), ElementsAre("expected '=' [:]"));
    EXPECT_THAT(errors("call a result=red\n"), ElementsAre("expected hex, octal or none [red]"));
    EXPECT_THAT(errors("call a x,kind=y:int\n"), ElementsAre("expected text, unquoted or number [kind]"));
    EXPECT_THAT(errors("call a x@y:int\n"), ElementsAre("expected a number [y]"));
    EXPECT_THAT(errors("call a x:int(\n"), ElementsAre("expected a decoder []"));
    EXPECT_THAT(errors("call\n"), ElementsAre("expected the name of a call []"));
    EXPECT_THAT(errors("alias a = b c\n"), ElementsAre("expected the end of the entry [c]"));
    EXPECT_THAT(errors("absent {why}\n"), ElementsAre("expected a name [why]"));
    EXPECT_THAT(errors("absent a b\n"), ElementsAre("expected '{' []"));
    EXPECT_THAT(errors("absent a a {why}\n"), ElementsAre("defined twice in this file [a]"));
    EXPECT_THAT(errors("absent a {why} b\n"), ElementsAre("expected the end of the entry [b]"));
    EXPECT_THAT(errors("flags f A\n"), ElementsAre("expected '=' []"));
    EXPECT_THAT(errors("flags f A=z\n"), ElementsAre("expected a number [z]"));
    EXPECT_THAT(errors("flags f A=3/1\n"), ElementsAre("expected a mask that covers the value [1]"));
    EXPECT_THAT(errors("flags f A=09\n"), ElementsAre("expected a number [09]"));
    EXPECT_THAT(errors("( x\n"),
                ElementsAre("expected call, call32, alias, alias32, absent, flags, enum or struct [(]"));
}

}  // namespace
}  // namespace tapir::syscalls
