// SPDX-License-Identifier: GPL-2.0-or-later
// Programs that are started, and what they find: files, signals, limits, an environment.
#include "common/process.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>

#include "../patience.h"
#include "../said.h"
#include "common/files.h"

namespace tapir {
namespace {

// A shell's command, with its output in output_.
class ProcessTest : public testing::Test {
  protected:
    static Program shell(const std::string &command) { return Program{{"sh", "-c", command}}; }
    // Runs it to its end.
    Ending run(Program program) {
        if (program.output.kind == Stream::Kind::Inherited) program.output = Stream::pipe();
        Process process;
        output_.clear();
        const Outcome<void> started = process.start(program);
        EXPECT_EQ(said(started), "");
        if (!started) return {};
        while (process.output_descriptor() >= 0) {
            pollfd ready = {process.output_descriptor(), POLLIN, 0};
            poll(&ready, 1, -1);
            while (process.read_output(output_)) {
            }
        }
        EXPECT_TRUE(process.wait());
        return process.ending();
    }
    std::string output_of(const Program &program) {
        EXPECT_EQ(run(program).words(), "");
        return output_;
    }

    std::string output_;
    TemporaryDirectory top_{*make_directory(temporary_root(), "process-")};
};

TEST_F(ProcessTest, EndingsInNumbersAndWords) {
    EXPECT_TRUE(run(shell("exit 0")).good());
    const Ending three = run(shell("exit 3"));
    EXPECT_FALSE(three.good());
    EXPECT_EQ(three.code(), 3);
    EXPECT_EQ(three.words(), "with status 3");
    const Ending killed = run(shell("kill -9 $$"));
    EXPECT_FALSE(killed.good());
    EXPECT_EQ(killed.code(), 128 + SIGKILL);
    EXPECT_EQ(killed.words(), "with signal 9 (Killed)");
    EXPECT_EQ(ending_of(0).words(), "");
}

TEST_F(ProcessTest, ProgramMissing) {
    Process process;
    EXPECT_EQ(tagged(process.start(Program{{"tapir-no-such-program"}})),
              "program-missing: cannot start 'tapir-no-such-program': it is in no directory of $PATH; install it");
    EXPECT_EQ(errno, ENOENT);
    EXPECT_FALSE(process.started());
    // Only its start can tell.
    Program elsewhere{{"./none"}};
    elsewhere.directory = top_.path();
    EXPECT_EQ(tagged(process.start(elsewhere)), "program-missing: cannot start './none': No such file or directory");
    EXPECT_EQ(errno, ENOENT);
}

TEST_F(ProcessTest, ProgramRefused) {
    Process process;
    EXPECT_EQ(tagged(process.start(Program{{"/etc/passwd"}})),
              "program-refused: cannot start '/etc/passwd': Permission denied");
    // For another machine.
    Program foreign{{"./program"}};
    foreign.directory = top_.path();
    EXPECT_TRUE(write_file(top_.path() + "/program", "\177ELF\2\1\1" + std::string(60, '\0'), 0755));
    EXPECT_EQ(tagged(process.start(foreign)), "program-refused: cannot start './program': Exec format error");
    chmod((top_.path() + "/program").c_str(), 0644);
    EXPECT_EQ(tagged(process.start(foreign)), "program-refused: cannot start './program': Permission denied");
}

TEST_F(ProcessTest, ProgramNotStarted) {
    Process process;
    Program program = shell("true");
    program.directory = "/no/such/place";
    EXPECT_EQ(tagged(process.start(program)),
              "program-not-started: cannot start 'sh': /no/such/place: No such file or directory");
    program.directory.clear();
    program.input = Stream::file("/no/such/file");
    EXPECT_EQ(tagged(process.start(program)),
              "program-not-started: cannot start 'sh': /no/such/file: No such file or directory");
    program.input = Stream::nothing();
    program.in_child = [] {
        errno = EPERM;
        return "a mount namespace";
    };
    EXPECT_EQ(tagged(process.start(program)),
              "program-not-started: cannot start 'sh': a mount namespace: Operation not permitted");
    EXPECT_EQ(errno, EPERM);
    EXPECT_FALSE(process.started());
    program.in_child = nullptr;
    EXPECT_EQ(said(process.start(program)), "") << "the object can be used again";
}

TEST_F(ProcessTest, AScriptThatNamesNoInterpreterIsTheShells) {
    const std::string path = top_.path() + "/script";
    EXPECT_TRUE(write_file(path, "echo \"$0 $1\"\n"));
    chmod(path.c_str(), 0755);
    EXPECT_EQ(output_of(Program{{path, "a b"}}), path + " a b\n");
}

TEST_F(ProcessTest, PlaceAndEnvironment) {
    Program program = shell("pwd; echo $ADDED-$TAPIR_KEPT-$TAPIR_DROPPED");
    program.directory = "/usr";
    setenv("TAPIR_KEPT", "kept", 1);
    setenv("TAPIR_DROPPED", "dropped", 1);
    setenv("ADDED", "before", 1);
    EXPECT_EQ(output_of(program), "/usr\nbefore-kept-dropped\n");
    program.environment =
        environment_with({"ADDED=after"}, [](std::string_view name) { return name == "TAPIR_DROPPED"; });
    EXPECT_EQ(output_of(program), "/usr\nafter-kept-\n");
    Program env{{"env"}};
    env.environment = {"ONLY=this"};
    EXPECT_EQ(output_of(env), "ONLY=this\n");
    for (const char *name : {"TAPIR_KEPT", "TAPIR_DROPPED", "ADDED"})
        unsetenv(name);
}

TEST_F(ProcessTest, HiddenVariablesReachPrograms) {
    setenv("TAPIR_HIDDEN", "for programs", 1);
    hide_variable("TAPIR_HIDDEN");
    hide_variable("TAPIR_NEVER_SET");
    EXPECT_EQ(getenv("TAPIR_HIDDEN"), nullptr);
    EXPECT_EQ(own_variable("TAPIR_HIDDEN"), "for programs");
    EXPECT_EQ(own_variable("TAPIR_NEVER_SET"), "");
    Program program = shell("echo $TAPIR_HIDDEN-$TAPIR_NEVER_SET-$ADDED");
    EXPECT_EQ(output_of(program), "for programs--\n");
    program.environment = environment_with({"ADDED=x"});
    EXPECT_EQ(output_of(program), "for programs--x\n");
    program.environment = environment_with({"TAPIR_HIDDEN=another"});
    EXPECT_EQ(output_of(program), "another--\n");
    program.environment = environment_with({}, [](std::string_view name) { return name == "TAPIR_HIDDEN"; });
    EXPECT_EQ(output_of(program), "--\n");
    // One that is set later counts.
    setenv("TAPIR_HIDDEN", "later", 1);
    EXPECT_EQ(own_variable("TAPIR_HIDDEN"), "later");
    EXPECT_EQ(output_of(shell("echo $TAPIR_HIDDEN")), "later\n");
    hide_variable("TAPIR_HIDDEN");
    EXPECT_EQ(own_variable("TAPIR_HIDDEN"), "later");
}

TEST_F(ProcessTest, Files) {
    const std::string in = top_.path() + "/in", out = top_.path() + "/out";
    EXPECT_TRUE(write_file(in, "what is read\n"));
    EXPECT_TRUE(write_file(out, "what is lost, and longer than what comes\n"));
    Program program{{"cat"}};
    program.input = Stream::file(in);
    program.output = Stream::file(out);
    program.errors = Stream::with_output();
    run(program);
    EXPECT_EQ(read_file(out), "what is read\n");
    program.input = Stream::nothing();
    run(program);
    EXPECT_EQ(read_file(out), "");
}

TEST_F(ProcessTest, InputIsFed) {
    const std::string much(1 << 20, 'x');
    Program program = shell("wc -c; cat");
    program.input = Stream::of_text(much);
    EXPECT_EQ(output_of(program), std::to_string(much.size()) + "\n");
    // Through a pipe, in pieces.
    Process process;
    program.argv = {"cat"};
    program.input = program.output = Stream::pipe();
    ASSERT_EQ(said(process.start(program)), "");
    process.send("one ");
    process.send("two ");
    process.write();
    process.send_view(much);
    process.end_input();
    while (process.output_descriptor() >= 0) {
        pollfd ready[] = {{process.output_descriptor(), POLLIN, 0}, {process.input_descriptor(), POLLOUT, 0}};
        poll(ready, 2, -1);
        process.write();
        while (process.read_output(output_)) {
        }
    }
    EXPECT_EQ(output_.substr(output_.size() - 8 - much.size(), 8), "one two ");
    EXPECT_TRUE(output_.ends_with(much));
    EXPECT_TRUE(process.wait());
    EXPECT_TRUE(process.ending().good());
}

TEST_F(ProcessTest, AReaderThatHasGoneIsNoReasonToDie) {
    ASSERT_NE(std::signal(SIGPIPE, SIG_DFL), SIG_ERR);
    const std::string much(1 << 20, 'x');
    Program program = shell("exec <&-; echo closed; exec sleep 1000");
    program.input = program.output = Stream::pipe();
    Process process;
    ASSERT_EQ(said(process.start(program)), "");
    ASSERT_TRUE(tests::patiently(10, [&] { return process.read_output(output_); }));
    process.send_view(much);
    EXPECT_EQ(process.write(), 0u);
    EXPECT_EQ(process.input_descriptor(), -1);
    sigset_t pending;
    sigpending(&pending);
    EXPECT_FALSE(sigismember(&pending, SIGPIPE));
    process.kill();
    EXPECT_EQ(process.ending().words(), "with signal 9 (Killed)");
}

// Programs get the usual signals, even if this process blocks or ignores some.
TEST_F(ProcessTest, SignalsAreAsProgramsExpect) {
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGTERM, [](int) {});
    std::signal(SIGUSR1, SIG_IGN);
    sigset_t set, before;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigprocmask(SIG_BLOCK, &set, &before);
    EXPECT_EQ(run(shell("kill -PIPE $$")).signal, SIGPIPE);
    EXPECT_EQ(run(shell("kill -TERM $$")).signal, SIGTERM);
    // As nohup(1) means it.
    EXPECT_TRUE(run(shell("kill -USR1 $$")).good());
    Program program = shell("kill -USR1 $$");
    program.default_signals = {SIGUSR1};
    EXPECT_EQ(run(program).signal, SIGUSR1);
    sigset_t now;
    sigprocmask(SIG_SETMASK, &before, &now);
    EXPECT_TRUE(sigismember(&now, SIGTERM)) << "this process's own mask stays";
    for (const int number : {SIGPIPE, SIGTERM, SIGUSR1})
        std::signal(number, SIG_DFL);
}

TEST_F(ProcessTest, GetsNoDescriptorsButItsOwn) {
    // A duplicate stays open on exec.
    const int leak = fcntl(STDERR_FILENO, F_DUPFD, 50);
    ASSERT_GE(leak, 50);
    Program program = shell("cd /proc/self/fd; for fd in *; do [ ! -e $fd ] || echo $fd; done");
    program.errors = Stream::nothing();
    // The shell's own are those from 10 on that are gone when it looks.
    EXPECT_EQ(output_of(program), "0\n1\n2\n");
    program.further = {{4, Stream::descriptor(leak)}, {leak, Stream::descriptor(leak)}};
    EXPECT_EQ(output_of(program), "0\n1\n2\n4\n" + std::to_string(leak) + "\n");
    program.further.clear();
    program.inherits_descriptors = true;
    EXPECT_NE(output_of(program).find("\n" + std::to_string(leak) + "\n"), std::string::npos);
    close(leak);
}

// Among the numbers that the program gets, in the wrong order.
TEST_F(ProcessTest, DescriptorsAreNotConfused) {
    Program program = shell("echo one; echo two >&3; echo three >&4");
    const std::string names[] = {top_.path() + "/a", top_.path() + "/b"};
    const int first = open(names[0].c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600),
              second = open(names[1].c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    ASSERT_GT(first, 2);
    ASSERT_GT(second, first);
    program.argv[2] = "echo one >&" + std::to_string(first) + "; echo two >&" + std::to_string(second);
    program.further = {{second, Stream::descriptor(first)}, {first, Stream::descriptor(second)}};
    run(program);
    EXPECT_EQ(read_file(names[0]), "two\n");
    EXPECT_EQ(read_file(names[1]), "one\n");
    close(first);
    close(second);
}

TEST_F(ProcessTest, Limits) {
    Program program = shell("ulimit -t; ulimit -v; ulimit -f; ulimit -n");
    program.limits = {{RLIMIT_CPU, {7, 7}},
                      {RLIMIT_AS, {1 << 30, 1 << 30}},
                      {RLIMIT_FSIZE, {1 << 20, 1 << 20}},
                      {RLIMIT_NOFILE, {20, 20}}};
    EXPECT_EQ(output_of(program), "7\n1048576\n2048\n20\n");
}

TEST_F(ProcessTest, SignalsGoToTheGroup) {
    Program program = shell("sh -c 'trap \"echo inner; exit\" TERM; echo ready; while :; do sleep 0.05; done' & wait");
    program.output = Stream::pipe();
    program.group = ProcessGroup::Own;
    Process process;
    ASSERT_EQ(said(process.start(program)), "");
    EXPECT_EQ(getpgid(process.id()), process.id());
    EXPECT_EQ(getsid(process.id()), getsid(0));
    ASSERT_TRUE(tests::patiently(10, [&] { return process.read_output(output_) && output_ == "ready\n"; }));
    EXPECT_FALSE(process.wait(std::chrono::milliseconds(20)));
    process.signal(SIGTERM);
    EXPECT_TRUE(process.wait());
    EXPECT_EQ(process.ending().signal, SIGTERM);
    EXPECT_TRUE(tests::patiently(10, [&] { return process.read_output(output_), output_ == "ready\ninner\n"; }));
    process.forget();
    program = shell("true");
    program.group = ProcessGroup::Session;
    ASSERT_EQ(said(process.start(program)), "");
    EXPECT_EQ(getsid(process.id()), process.id());
}

TEST_F(ProcessTest, EndsWithWhatStartedIt) {
    const std::string pid_file = top_.path() + "/pid";
    const pid_t parent = fork();
    if (parent == 0) {
        Program program =
            shell("echo $$ >" + pid_file + ".new; mv " + pid_file + ".new " + pid_file + "; exec sleep 1000");
        program.death_signal = SIGKILL;
        Process process;
        if (!process.start(program)) _exit(1);
        pause();
    }
    ASSERT_TRUE(tests::patiently(10, [&] { return is_file(pid_file); }));
    const std::string child = read_file(pid_file).value_or("");
    ::kill(parent, SIGKILL);
    waitpid(parent, nullptr, 0);
    const auto gone = [&] {
        const std::string status = read_file("/proc/" + child.substr(0, child.find('\n')) + "/stat").value_or(") Z");
        return status.find(") Z") != std::string::npos;
    };
    EXPECT_TRUE(tests::patiently(10, gone));
}

TEST_F(ProcessTest, CanBeLeftToRun) {
    pid_t pid = 0;
    {
        Process process;
        ASSERT_EQ(said(process.start(shell("sleep 0.2; exit 5"))), "");
        pid = process.release();
        EXPECT_FALSE(process.started());
    }
    int status = 0;
    ASSERT_EQ(waitpid(pid, &status, 0), pid);
    EXPECT_EQ(ending_of(status).code(), 5);
}

}  // namespace
}  // namespace tapir
