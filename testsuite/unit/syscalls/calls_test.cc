// SPDX-License-Identifier: GPL-2.0-or-later
#include "syscalls/calls.h"

#include <gtest/gtest.h>

#include "syscalls/aliases.h"

namespace tapir::syscalls {
namespace {

KernelCall call(std::string name, uint32_t number, bool narrow, std::vector<Parameter> parameters = {}) {
    KernelCall made;
    made.entry = "sys_" + name;
    made.name = std::move(name);
    made.number = number;
    made.narrow = narrow;
    made.has_prototype = true;
    made.parameters = std::move(parameters);
    return made;
}

KernelCalls kernel() {
    KernelCalls calls;
    calls.list = {call("read", 0, false, {{"unsigned int", "fd"}, {"char __user *", "buf"}, {"size_t", ""}}),
                  call("bind", 49, false, {{"int", ""}}),
                  call("read", 3, true, {{"unsigned int", "fd"}, {"char __user *", "buf"}, {"size_t", ""}}),
                  call("vanished", 17, true),
                  call("socketcall", 102, true),
                  call("bind", 361, true, {{"int", ""}})};
    calls.list[3].entry = "sys_ni_syscall";
    return calls;
}

std::string text(const Calls &calls, const std::vector<size_t> &found) {
    std::string out;
    for (size_t i : found) {
        const Entry &entry = calls.entries()[i];
        out += (out.empty() ? "" : " ") + entry.name + "/" + std::to_string(entry.number);
        if (entry.narrow) out += "n";
        if (entry.part) out += "." + std::to_string(entry.part);
    }
    return out;
}

TEST(SyscallCalls, FindsByNameAndAbi) {
    const Table table;
    const Calls calls(kernel(), table);
    EXPECT_EQ(text(calls, calls.find("read", Abi::Any)), "read/0 read/3n");
    EXPECT_EQ(text(calls, calls.find("read", Abi::Native)), "read/0");
    EXPECT_EQ(text(calls, calls.find("read", Abi::Narrow)), "read/3n");
    EXPECT_EQ(text(calls, calls.find("bind", Abi::Any)), "bind/49 bind/102n.2 bind/361n");
    EXPECT_EQ(text(calls, calls.find("send", Abi::Any)), "send/102n.9");
    EXPECT_EQ(text(calls, calls.find("nothing", Abi::Any)), "");
}

// Only their own names mean calls that stand for others, or that do not exist.
TEST(SyscallCalls, WildcardsMeanEachCallOnce) {
    const Table table;
    const Calls calls(kernel(), table);
    EXPECT_EQ(text(calls, calls.find("socketcall", Abi::Any)), "socketcall/102n");
    EXPECT_EQ(text(calls, calls.find("s*call", Abi::Any)), "");
    EXPECT_EQ(text(calls, calls.find("ni_syscall", Abi::Any)), "ni_syscall/17n");
    EXPECT_EQ(text(calls, calls.find("vanished", Abi::Any)), "");
    EXPECT_EQ(text(calls, calls.find("*n[id]*", Abi::Native)), "bind/49");
}

TEST(SyscallCalls, EntriesAreSorted) {
    const Table table;
    const Calls calls(kernel(), table);
    for (size_t i = 1; i < calls.entries().size(); ++i) {
        const Entry &a = calls.entries()[i - 1], &b = calls.entries()[i];
        EXPECT_LT(std::make_tuple(a.narrow, a.number, a.part), std::make_tuple(b.narrow, b.number, b.part));
    }
}

std::string names(const Aliases &aliases) {
    std::string out;
    for (const AliasName &name : aliases.names())
        out += (out.empty() ? "" : " ") + name.name + (name.by_wildcard ? "" : name.prefix.empty() ? "-" : "~");
    return out;
}

TEST(SyscallAliases, Names) {
    const Table table;
    KernelCalls few = kernel();
    few.list.erase(few.list.begin() + 4);  // socketcall
    const Calls calls(std::move(few), table);
    const Aliases aliases(calls);
    EXPECT_EQ(names(aliases), "bind compat_bind~ compat_ni_syscall- compat_read~ ni_syscall- read");
    EXPECT_EQ(aliases.text("syscall", "nothing", false), "");
}

TEST(SyscallAliases, Text) {
    const Table table;
    const Calls calls(kernel(), table);
    const Aliases aliases(calls);
    EXPECT_EQ(aliases.text("nd_syscall", "read", true),
              "probe nd_syscall.read.return = kernel.syscall(\"read\").return {\n\tname = __syscall_name()\n"
              "\tretval = $return\n\tretstr = __syscall_retstr()\n\targstr = __syscall_argstr()\n"
              "\tfd = __syscall_number(0)\n\tbuf_uaddr = __syscall_number(1)\n\targ3 = __syscall_number(2)\n}\n");
    EXPECT_EQ(aliases.text("syscall", "compat_read", true),
              "probe syscall.compat_read.return = kernel.syscall(\"read\").compat.return {\n"
              "\tname = __syscall_name()\n\tretval = $return\n\tretstr = __syscall_retstr()\n"
              "\targstr = __syscall_argstr()\n\tfd = __syscall_number(0)\n\tbuf_uaddr = __syscall_number(1)\n"
              "\targ3 = __syscall_number(2)\n}\n");
}

// Calls of one alias have the variables of all of them; what only other kernels have has the variables, too.
TEST(SyscallAliases, TextsOfTables) {
    const SourceFile file("x.table",
                          "call read/get fd:fd buf_uaddr:pointer\ncall32 read/get fd:fd extra:uint\n"
                          "call cachestat fd:fd\nalias old_read = read\nabsent rtas read {why}\n",
                          Origin::Tapset);
    Diagnostics diagnostics;
    Table table;
    ASSERT_TRUE(table.read(file, diagnostics));
    const Calls calls(kernel(), table);
    const Aliases aliases(calls);
    const std::string text = aliases.text("syscall", "get", false);
    EXPECT_EQ(text,
              "probe syscall.get = kernel.syscall(\"read\").native {\n\tname = __syscall_name()\n"
              "\targstr = __syscall_argstr()\n\textra = 0\n\tfd = __syscall_number(0)\n"
              "\tbuf_uaddr = __syscall_number(1)\n}\n"
              "probe syscall.get = kernel.syscall(\"read\").compat {\n\tname = __syscall_name()\n"
              "\targstr = __syscall_argstr()\n\tbuf_uaddr = 0\n\tfd = __syscall_number(0)\n"
              "\textra = __syscall_number(1)\n}\n");
    EXPECT_NE(aliases.text("syscall", "old_read", false), "");
    EXPECT_EQ(aliases.text("syscall", "cachestat", true),
              "probe syscall.cachestat.return = kernel.syscall(\"cachestat\").return {\n\tname = \"cachestat\"\n"
              "\targstr = \"\"\n\tretval = 0\n\tretstr = \"\"\n\tfd = 0\n}\n");
    EXPECT_NE(names(aliases).find(" cachestat- "), std::string::npos);
    EXPECT_EQ(aliases.text("syscall", "rtas", false),
              "probe syscall.rtas = kernel.syscall(\"rtas\") {\n\tname = \"rtas\"\n\targstr = \"\"\n}\n");
    EXPECT_NE(names(aliases).find(" rtas- "), std::string::npos);
}

TEST(SyscallAliases, ComputedVariablesComeBehindArguments) {
    const SourceFile file("x.table", "call read/get text={sprintf(\"0x%x\", buf_uaddr)} fd:fd buf_uaddr:pointer\n",
                          Origin::Tapset);
    Diagnostics diagnostics;
    Table table;
    ASSERT_TRUE(table.read(file, diagnostics));
    const Calls calls(kernel(), table);
    const std::string text = Aliases(calls).text("syscall", "get", false);
    const size_t argument = text.find("\tbuf_uaddr = "), computed = text.find("\ttext = sprintf(\"0x%x\", buf_uaddr)");
    ASSERT_NE(argument, std::string::npos) << text;
    ASSERT_NE(computed, std::string::npos) << text;
    EXPECT_LT(argument, computed);
}

TEST(SyscallCalls, OfTables) {
    const SourceFile file("x.table", "call read/get fd:fd\ncall32 read fd:fd\ncall32 stat64/stat buf:pointer\n",
                          Origin::Tapset);
    Diagnostics diagnostics;
    Table table;
    ASSERT_TRUE(table.read(file, diagnostics));
    const Calls calls(calls_of_tables(table), table);
    EXPECT_EQ(names(Aliases(calls)), "compat_read~ compat_stat~ get read stat stat64-");
}

}  // namespace
}  // namespace tapir::syscalls
