// SPDX-License-Identifier: GPL-2.0-or-later
// Tables of user objects: what the module asks for and what a command will map.
#include "user_tables.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tapir/unwind.h>
#include <unistd.h>

#include <filesystem>

#include "command_files.h"
#include "fake.h"
#include "session_ledger.h"

namespace tapir::staprun {
namespace {

using testing::Contains;
using testing::Each;
using testing::EndsWith;
using testing::Gt;
using testing::HasSubstr;

const tapir_unwind_table &table_in(const std::string &block) {
    return *reinterpret_cast<const tapir_unwind_table *>(block.data());
}

TEST(StaprunUserTables, AreMadeOfFilesAndTheVdso) {
    FakeControl control;
    const int self = open("/proc/self/exe", O_RDONLY), text = open("/etc/passwd", O_RDONLY);
    control.wanted = {{3, self}, {4, -1}, {5, text}};
    UserTables tables(control);
    tables.serve();
    ASSERT_EQ(control.put.size(), 3u);
    ASSERT_GE(control.put[3].size(), sizeof(tapir_unwind_table));
    EXPECT_EQ(table_in(control.put[3]).magic, TAPIR_UNWIND_MAGIC);
    EXPECT_GT(table_in(control.put[3]).nrows, 1000u);
    EXPECT_GT(table_in(control.put[3]).nsymbols, 100u);
    EXPECT_THAT(tapir_unwind_string(&table_in(control.put[3]), table_in(control.put[3]).path),
                EndsWith("/test_staprun"));
    EXPECT_GT(table_in(control.put[4]).nrows, 4u);
    EXPECT_STREQ(tapir_unwind_string(&table_in(control.put[4]), table_in(control.put[4]).path), "[vdso]");
    EXPECT_EQ(control.put[5], "");
    // The descriptors are closed.
    EXPECT_EQ(fcntl(self, F_GETFD), -1);
    EXPECT_EQ(fcntl(text, F_GETFD), -1);
}

// A file is an interpreter by a symbol; one that only has the name is handed over without variables.
TEST(StaprunUserTables, TellInterpreters) {
    FakeControl control;
    tapir_ioc_interpreter by_symbol = {}, by_name = {};
    strcpy(by_symbol.name, "Staprun");
    strcpy(by_symbol.variables[0], "main");
    strcpy(by_name.name, "Shell");
    strcpy(by_name.known, "Shell 1");
    strcpy(by_name.files, "sh dash bash");
    strcpy(by_name.variables[0], "no_such_variable");
    control.interpreters = {by_symbol, by_name};
    control.wanted = {
        {3, open("/proc/self/exe", O_RDONLY)}, {4, open("/bin/sh", O_RDONLY)}, {5, open("/etc/passwd", O_RDONLY)}};
    UserTables tables(control);
    ASSERT_EQ(tables.learn_interpreters(2), 0);
    tables.serve();
    ASSERT_EQ(control.put_interpreters.size(), 2u);
    EXPECT_EQ(control.put_interpreters[3].number, 1u);
    EXPECT_NE(control.put_interpreters[3].variables[0], 0u);
    EXPECT_EQ(control.put_interpreters[4].number, 2u);
    EXPECT_EQ(control.put_interpreters[4].variables[0], 0u);
    control.unknown = {{4, 2, "has no no_such_variable"}};
    const std::vector<std::string> sentences = tables.unknown_interpreters();
    ASSERT_EQ(sentences.size(), 1u);
    EXPECT_THAT(sentences[0],
                testing::MatchesRegex("frames of Shell are missing: /.*sh has no no_such_variable. Known are Shell 1"));
    EXPECT_EQ(UserTables(control).learn_interpreters(3), EINVAL);
}

TEST(StaprunUserTables, OfACommandAreAnnounced) {
    FakeControl control;
    UserTables(control).announce_command("/proc/self/exe --help");
    EXPECT_GE(control.announced.size(), 3u);
}

TEST(StaprunUserTables, OfAllProcessesAreAnnounced) {
    FakeControl control;
    UserTables(control).announce_processes();
    EXPECT_THAT(control.processes, Contains(getpid()));
    EXPECT_THAT(control.processes, Each(Gt(0)));
}

TEST(StaprunUserTables, AreMadeWhileThereIsTime) {
    FakeControl control;
    control.wanted = {{3, -1}, {4, -1}};
    UserTables tables(control);
    tables.serve(0);
    EXPECT_EQ(control.put.size(), 0u);
    EXPECT_TRUE(tables.serve());
    EXPECT_EQ(control.put.size(), 2u);
    EXPECT_FALSE(tables.serve());
}

TEST(StaprunDependencies, AreTheProgramItsInterpreterAndLibraries) {
    const std::vector<std::string> files = files_of_command("/proc/self/exe 'an argument'");
    EXPECT_EQ(files[0], "/proc/self/exe");
    EXPECT_THAT(files, Contains(HasSubstr("ld-linux")));
    EXPECT_THAT(files, Contains(EndsWith("/libstdc++.so.6")));
    EXPECT_THAT(files, Contains(EndsWith("/libc.so.6")));
    // By way of a library.
    EXPECT_THAT(files, Contains(EndsWith("/libm.so.6")));
}

TEST(StaprunDependencies, OfAShellCommandAreTheShells) {
    const std::vector<std::string> files = files_of_command("echo a | cat");
    EXPECT_EQ(files[0], "/bin/sh");
    EXPECT_THAT(files, Contains(EndsWith("/libc.so.6")));
}

// They may be gone before a table of theirs can be made.
TEST(StaprunDependencies, OfAShellCommandAreTheProgramsItNames) {
    const std::vector<std::string> files = files_of_command("sh -c 'while :; do /proc/self/exe x; done | cat >out'");
    EXPECT_THAT(files, Contains("/proc/self/exe"));
    EXPECT_THAT(files, Contains(EndsWith("/cat")));
    EXPECT_THAT(files, Contains(EndsWith("/libstdc++.so.6")));
    char path[] = "/tmp/script_XXXXXX";
    const int file = mkstemp(path);
    const std::string text = "#!/bin/sh\nfor i in 1 2; do\n\t\"/proc/self/exe\" $i\ndone\n";
    ASSERT_EQ(pwrite(file, text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
    EXPECT_THAT(files_of_command(path), Contains("/proc/self/exe"));
    close(file);
    unlink(path);
}

TEST(StaprunDependencies, OfAScriptAreItsInterpreters) {
    char path[] = "/tmp/script_XXXXXX";
    const int file = mkstemp(path);
    for (const char *head : {"#!/bin/sh\n", "#! /bin/sh -e\n", "#!/bin/sh"}) {
        ASSERT_EQ(ftruncate(file, 0), 0);
        ASSERT_EQ(pwrite(file, head, strlen(head), 0), static_cast<ssize_t>(strlen(head)));
        EXPECT_THAT(files_of_command(path), Contains("/bin/sh")) << head;
    }
    for (const char *head : {"#!", "#", "", "#!\n", "text"}) {
        ASSERT_EQ(ftruncate(file, 0), 0);
        ASSERT_EQ(pwrite(file, head, strlen(head), 0), static_cast<ssize_t>(strlen(head)));
        EXPECT_EQ(files_of_command(path), std::vector<std::string>{path}) << head;
    }
    close(file);
    unlink(path);
    EXPECT_EQ(files_of_command("no_such_program_anywhere"), std::vector<std::string>());
}

TEST(StaprunLedger, SaysHowManyUserStacksWereComplete) {
    FakeControl control;
    tapir_ioc_hello hello = {};
    control.hello(hello);
    hello.flags = TAPIR_HELLO_USER_STACKS;
    control.unwind_row.ends[TAPIR_UNWIND_COMPLETE] = 90;
    control.unwind_row.ends[TAPIR_UNWIND_CUT] = 7;
    control.unwind_row.ends[TAPIR_UNWIND_FOREIGN] = 1000;
    control.unwind_row.objects = 4;
    Ledger all;
    ASSERT_EQ(all.collect(control, hello), 0);
    EXPECT_EQ(all.user_stacks(), "");
    control.unwind_row.ends[TAPIR_UNWIND_NO_TABLE] = 2;
    control.unwind_row.ends[TAPIR_UNWIND_FAULT] = 1;
    control.unwind_row.ends[TAPIR_UNWIND_LIMIT] = 3;
    Ledger some;
    ASSERT_EQ(some.collect(control, hello), 0);
    EXPECT_EQ(some.user_stacks(),
              "user stacks: 97 of 103 complete; 2 ended in a file whose unwind table had not been made, 1 ended at "
              "memory that could not be read, 3 ended at the limit of frames (4096; 2048 of a stored stack)");
    EXPECT_THAT(some.json(),
                HasSubstr("\"user_stacks\": {\"complete\": 90, \"cut\": 7, \"no_object\": 0, \"no_table\": 2, "
                          "\"no_row\": 0, \"expression\": 0, \"fault\": 1, \"loop\": 0, \"busy\": 0, "
                          "\"foreign\": 1000, \"return_probe\": 0, \"no_code\": 0, \"exec\": 0, \"machine\": 0, "
                          "\"limit\": 3, \"finished\": 0, \"refused\": 0, "
                          "\"objects\": 4, \"tables\": 0, "
                          "\"table_bytes\": 0},"));
    hello.flags = 0;
    Ledger none;
    ASSERT_EQ(none.collect(control, hello), 0);
    EXPECT_THAT(none.json(), testing::Not(HasSubstr("user_stacks")));
}

TEST(StaprunLedger, SaysThatTheTableOfStacksWasFull) {
    FakeControl control;
    tapir_ioc_hello hello = {};
    control.hello(hello);
    hello.flags = TAPIR_HELLO_STACKS;
    control.stacks_row = {4000, 0, 3 << 20, 4 << 20, 64 << 20};
    Ledger all;
    ASSERT_EQ(all.collect(control, hello), 0);
    EXPECT_EQ(all.stacks_refused(), "");
    EXPECT_THAT(all.json(),
                HasSubstr("\"stacks\": {\"kept\": 4000, \"refused\": 0, \"lost_samples\": 0, \"used_bytes\": 3145728, "
                          "\"bytes\": 4194304},"));
    control.stacks_row.refused = 12;
    Ledger full;
    ASSERT_EQ(full.collect(control, hello), 0);
    EXPECT_EQ(full.stacks_refused(),
              "the table of stacks was full 12 times: 4000 different ones took its 64 MB; --stack-memory=MB gives "
              "more room");
    hello.flags = 0;
    Ledger none;
    ASSERT_EQ(none.collect(control, hello), 0);
    EXPECT_THAT(none.json(), testing::Not(HasSubstr("\"kept\"")));
}

TEST(StaprunLedger, CountsSamplesWithoutRoom) {
    FakeControl control;
    tapir_ioc_hello hello = {};
    control.hello(hello);
    // Samples of texts alone store no stacks.
    for (const uint32_t flags : {uint32_t{TAPIR_HELLO_STACKS}, 0u}) {
        hello.flags = flags;
        control.cut_row.samples = 0;
        Ledger all;
        ASSERT_EQ(all.collect(control, hello), 0);
        EXPECT_EQ(all.samples_lost(), "");
        control.cut_row.samples = 31;
        Ledger some;
        ASSERT_EQ(some.collect(control, hello), 0);
        EXPECT_EQ(some.samples_lost(),
                  "lost 31 samples: their array had no room, or got it too late; fewer samples need less room");
        EXPECT_EQ(some.quality().lost_samples, 31u);
        EXPECT_FALSE(some.quality().complete);
        if (flags)
            EXPECT_THAT(some.json(), HasSubstr("\"lost_samples\": 31, "));
        else
            EXPECT_THAT(some.json(), testing::Not(HasSubstr("\"stacks\": {\"kept\"")));
    }
}

}  // namespace
}  // namespace tapir::staprun
