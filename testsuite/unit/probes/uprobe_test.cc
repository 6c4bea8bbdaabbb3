// SPDX-License-Identifier: GPL-2.0-or-later
// Places in programs that the tests compile.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "program_points.h"

namespace tapir::probes {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

// Lines matter.
constexpr char kProgram[] =
    "int sink;\n"                                                             // 1
    "static inline __attribute__((always_inline)) void note(int x) {\n"       // 2
    "    sink = x;\n"                                                         // 3
    "}\n"                                                                     // 4
    "__attribute__((noinline)) int add(int a, int b) {\n"                     // 5
    "    note(a);\n"                                                          // 6
    "    return a + b;\n"                                                     // 7
    "}\n"                                                                     // 8
    "int main(int argc, char **argv) { return add(argc, argv[0] != 0); }\n";  // 9

constexpr char kCalls[] =
    "extern int first(int), second(int);\n"
    "int calls(int a) { return first(a) + second(a); }\n";

class UprobeTest : public ProgramPointTest {
  protected:
    static void SetUpTestSuite() {
        ASSERT_NO_FATAL_FAILURE(make_directory("uprobe"));
        std::ofstream(directory_ + "/program.c") << kProgram;
        std::ofstream(directory_ + "/calls.c") << kCalls;
        const std::string go = "cd " + directory_ + " && ";
        ASSERT_EQ(system((go + "gcc -O2 -g -o program program.c && cp program stripped && strip -g stripped && "
                               "gcc -shared -fPIC -g -o libadd.so program.c && "
                               "gcc -Wl,-rpath,'$ORIGIN' -Wl,--no-as-needed -o linked program.c -L. -ladd && "
                               "gcc -shared -fPIC -nostdlib -fcf-protection=none -o libcalls.so calls.c && "
                               "gcc -shared -fPIC -nostdlib -fno-plt -o libdirect.so calls.c")
                             .c_str()),
                  0);
    }

    static std::string quoted(const std::string &file) { return "(\"" + directory_ + "/" + file + "\")"; }

    Attach one(const std::vector<std::string> &components) {
        std::vector<Attach> found = resolve_point(components);
        EXPECT_EQ(render_all(diagnostics_, true), "");
        if (found.size() == 1) return found[0];
        ADD_FAILURE() << found.size() << " attachments";
        return {};
    }
    // The value of a symbol in `nm`, as an offset in the file of a program whose code is mapped at another address.
    int64_t offset_of(const std::string &symbol, const std::string &file) {
        const std::string out = directory_ + "/nm.out";
        EXPECT_EQ(
            system(("nm " + directory_ + "/" + file + " | awk '$3 == \"" + symbol + "\" { print \"0x\" $1 }' >" + out)
                       .c_str()),
            0);
        std::ifstream in(out);
        std::string text;
        in >> text;
        std::string error;
        const target::DebugObject *object = debug_->program(directory_ + "/" + file, error);
        EXPECT_TRUE(object) << error;
        return static_cast<int64_t>(object->program->code_offset(std::stoull(text, nullptr, 16)).value_or(0));
    }
};

TEST_F(UprobeTest, FunctionByDebugInformation) {
    const Attach attach = one({"process" + quoted("program"), "function(\"add\")", "call"});
    EXPECT_EQ(attach.kind, Kind::Uprobe);
    EXPECT_EQ(attach.as<UserCode>().path, directory_ + "/program");
    EXPECT_EQ(attach.as<UserCode>().pid, 0);
    ASSERT_EQ(attach.sites.size(), 1u);
    EXPECT_EQ(attach.sites[0].offset, offset_of("add", "program"));
    EXPECT_EQ(attach.sites[0].symbol, "");
    EXPECT_TRUE(attach.sites[0].entry);
    EXPECT_EQ(attach.point, "process" + quoted("program") + ".function(\"add@" + directory_ + "/program.c:5\").call");
    ASSERT_TRUE(attach.sites[0].scope);
    EXPECT_TRUE(attach.sites[0].scope->user());
    const auto a = attach.sites[0].scope->find("a");
    ASSERT_TRUE(a);
    EXPECT_EQ(ctypes::term_text(*a->place.term), "reg5");
    const auto built = debug_->used_programs();
    ASSERT_EQ(built.size(), 1u);
    EXPECT_EQ(built[0].size, fs::file_size(directory_ + "/program"));
    EXPECT_EQ(built[0].build_id.size(), 40u);
}

TEST_F(UprobeTest, ReturnIsAKindOfItsOwn) {
    const Attach attach = one({"process" + quoted("program"), "function(\"add\")", "return"});
    EXPECT_EQ(attach.kind, Kind::Uretprobe);
    EXPECT_EQ(attach.sites.at(0).scope->result()->source->info(attach.sites[0].scope->result()->id).name, "int");
}

TEST_F(UprobeTest, InlinedFunctionsStatementsAndAddresses) {
    EXPECT_THAT(one({"process" + quoted("program"), "function(\"note\")", "inline"}).point,
                HasSubstr("note@" + directory_ + "/program.c:2"));
    EXPECT_THAT(one({"process" + quoted("program"), "statement(\"add@program.c:7\")"}).point,
                HasSubstr("add@" + directory_ + "/program.c:7"));
    const int64_t add = offset_of("add", "program");
    const Attach absolute = one({"process" + quoted("program"), "statement(" + std::to_string(add) + ")", "absolute"});
    EXPECT_EQ(absolute.sites.at(0).offset, add);
    EXPECT_FALSE(absolute.sites[0].entry);
}

TEST_F(UprobeTest, SymbolsWillDoForFunctions) {
    const Attach attach = one({"process" + quoted("stripped"), "function(\"a?d\")"});
    EXPECT_EQ(attach.sites.at(0).offset, offset_of("add", "stripped"));
    EXPECT_EQ(attach.point, "process" + quoted("stripped") + ".function(\"add\")");
    EXPECT_THAT(attach.sites[0].scope->missing(), HasSubstr("/stripped has no debug information (build-id "));
    EXPECT_THAT(message({"process" + quoted("stripped"), "statement(\"add@program.c:7\")"}),
                HasSubstr("semantic error: " + directory_ + "/stripped has no debug information (build-id "));
}

TEST_F(UprobeTest, SymbolsOfCxxByTheirNamesInTheSource) {
    std::ofstream(directory_ + "/scopes.cc") << "namespace ns { struct A { int f(int); int f(long *); }; }\n"
                                                "int ns::A::f(int x) { return x; }\n"
                                                "int ns::A::f(long *x) { return (int)*x; }\n"
                                                "template <typename T> int size() { return sizeof(T); }\n"
                                                "template int size<int>();\n"
                                                "int main() { return 0; }\n";
    ASSERT_EQ(system(("cd " + directory_ + " && g++ -o scopes scopes.cc").c_str()), 0);
    const auto offsets = [&](const std::string &pattern) {
        std::vector<int64_t> found;
        for (const Attach &attach : resolve_point({"process" + quoted("scopes"), "function(\"" + pattern + "\")"}))
            for (const FunctionSite &site : attach.sites)
                found.push_back(site.offset);
        return found;
    };
    const auto by_int = offsets("_ZN2ns1A1fEi"), by_pointer = offsets("_ZN2ns1A1fEPl");
    ASSERT_EQ(by_int.size(), 1u);
    EXPECT_EQ(by_int[0], offset_of("_ZN2ns1A1fEi", "scopes"));
    EXPECT_EQ(offsets("A::f(int)"), by_int);
    EXPECT_EQ(offsets("ns::A::f(long *)"), by_pointer);
    EXPECT_THAT(offsets("ns::*"), ElementsAre(by_int[0], by_pointer[0]));
    EXPECT_THAT(offsets("*::f"), ElementsAre(by_int[0], by_pointer[0]));
    EXPECT_THAT(offsets("size"), ElementsAre(offset_of("_Z4sizeIiEiv", "scopes")));
    EXPECT_EQ(one({"process" + quoted("scopes"), "function(\"f(int)\")"}).point,
              "process" + quoted("scopes") + ".function(\"ns::A::f(int)\")");
    EXPECT_EQ(message({"process" + quoted("scopes"), "function(\"ns::B::f\")"}),
              "semantic error: no match (similar functions: ns::A::f)\n\n");
    fs::remove(directory_ + "/scopes");
}

TEST_F(UprobeTest, StaticFunctionsAreNotExported) {
    std::ofstream(directory_ + "/static.c") << "static __attribute__((noinline)) int own(int a) { return a + 1; }\n"
                                               "int main(int argc, char **argv) { return argv[own(argc)] != 0; }\n";
    ASSERT_EQ(system(("cd " + directory_ + " && gcc -O1 -g -o static static.c").c_str()), 0);
    EXPECT_EQ(message({"process" + quoted("static"), "function(\"own\")", "exported"}),
              "semantic error: 'own' is static, other source files cannot call it: leave out .exported\n\n");
    ASSERT_EQ(system(("strip -g " + directory_ + "/static").c_str()), 0);
    EXPECT_EQ(one({"process" + quoted("static"), "function(\"o?n\")"}).sites.at(0).label, "own");
    EXPECT_EQ(message({"process" + quoted("static"), "function(\"o?n\")", "exported"}), "semantic error: no match\n\n");
    fs::remove(directory_ + "/static");
}

TEST_F(UprobeTest, SymbolsWillDoWithoutTheSupplement) {
    if (system("dwz --version >/dev/null 2>&1") != 0) GTEST_SKIP() << "dwz is not installed";
    const std::string go = "cd " + directory_ + " && cp program half && cp program other && ";
    ASSERT_EQ(system((go + "dwz -m common half other && rm common").c_str()), 0);
    const Attach attach = one({"process" + quoted("half"), "function(\"add\")"});
    EXPECT_EQ(attach.sites.at(0).offset, offset_of("add", "half"));
    EXPECT_THAT(attach.sites[0].scope->missing(),
                testing::StartsWith("the debug information of " + directory_ +
                                    "/half is only complete with the supplement common (build-id "));
    fs::remove(directory_ + "/half");
    fs::remove(directory_ + "/other");
}

TEST_F(UprobeTest, LibrariesByNamePatternAndPath) {
    for (const std::string &name : {std::string("libadd.so"), std::string("libadd*"), directory_ + "/libadd.so"}) {
        const Attach attach =
            one({"process" + quoted("linked"), "library(\"" + name + "\")", "function(\"add\")", "call"});
        EXPECT_EQ(attach.as<UserCode>().path, directory_ + "/libadd.so") << name;
        EXPECT_THAT(attach.point, HasSubstr(".library" + quoted("libadd.so") + ".function(\"add@"));
    }
    EXPECT_EQ(message({"process" + quoted("linked"), "library(\"libnone*\")", "function(\"add\")"}),
              "semantic error: the program is linked with no such library\n\n");
    EXPECT_EQ(
        message({"process" + quoted("linked"), "library(\"no-library-is-called-like-this\")", "function(\"add\")"}),
        "semantic error: there is no such library where the dynamic linker looks\n\n");
}

TEST_F(UprobeTest, ProcessesAndTheTarget) {
    const std::string self = fs::canonical("/proc/self/exe").string();
    const auto running = resolve_point({"process(" + std::to_string(getpid()) + ")", "function(\"main\")", "call"});
    ASSERT_EQ(running.size(), 1u);
    EXPECT_EQ(running[0].as<UserCode>().path, self);
    EXPECT_EQ(running[0].as<UserCode>().pid, getpid());
    EXPECT_EQ(message({"process(999999999)", "function(\"main\")"}),
              "semantic error: there is no process 999999999, or its program is not known\n\n");
    EXPECT_EQ(message({"process", "function(\"main\")"}),
              "semantic error: which process? Name a program, process(\"PATH\"), or a command or process for the whole "
              "run with -c or -x\n\n");
    target_.program = directory_ + "/program";
    const Attach attach = one({"process", "function(\"add\")", "call"});
    EXPECT_EQ(attach.as<UserCode>().pid, UserCode::kTarget);
    EXPECT_EQ(attach.as<UserCode>().path, directory_ + "/program");
    target_ = {"", "there is no process 5 (-x), or its program is not known"};
    EXPECT_EQ(message({"process", "function(\"add\")"}),
              "semantic error: there is no process 5 (-x), or its program is not known\n\n");
}

TEST_F(UprobeTest, LifeOfProcesses) {
    const Attach begin = one({"process" + quoted("program"), "begin"});
    EXPECT_EQ(begin.kind, Kind::Process);
    EXPECT_EQ(begin.as<ProcessChange>().event, ProcessEvent::Begin);
    EXPECT_EQ(begin.as<ProcessChange>().user.path, directory_ + "/program");
    EXPECT_EQ(begin.as<ProcessChange>().user.pid, UserCode::kAll);
    EXPECT_EQ(begin.point, "process" + quoted("program") + ".begin");
    // The file may be any build when the script runs.
    const auto built = debug_->used_programs();
    ASSERT_EQ(built.size(), 1u);
    EXPECT_EQ(built[0], (target::BuiltProgram{directory_ + "/program", "", 0, 0, 0}));
    // Its types, which then must be the same; no variables.
    ASSERT_TRUE(begin.scope);
    EXPECT_TRUE(begin.scope->find_type("int"));
    EXPECT_TRUE(begin.scope->variables().empty());
    EXPECT_EQ(debug_->used_programs()[0].build_id.size(), 40u);
    const Attach end = one({"process", "thread", "end"});
    EXPECT_EQ(end.as<ProcessChange>().event, ProcessEvent::ThreadEnd);
    EXPECT_EQ(end.as<ProcessChange>().user.path, "");
    EXPECT_EQ(end.as<ProcessChange>().user.pid, UserCode::kTarget);
    EXPECT_EQ(end.point, "process.thread.end");
    EXPECT_FALSE(end.scope);
    const std::string self = "process(" + std::to_string(getpid()) + ")";
    const Attach mine = one({self, "end"});
    EXPECT_EQ(mine.as<ProcessChange>().user.path, "");
    EXPECT_EQ(mine.as<ProcessChange>().user.pid, getpid());
    EXPECT_EQ(mine.point, self + ".end");
    EXPECT_EQ(message({"process" + quoted("none"), "begin"}), "semantic error: there is no such file\n\n");
}

TEST_F(UprobeTest, SnapshotsOfLivingProcesses) {
    const Attach look = one({"process" + quoted("program"), "thread", "snapshot"});
    EXPECT_EQ(look.kind, Kind::Snapshot);
    EXPECT_EQ(look.as<ProcessChange>().event, ProcessEvent::ThreadSnapshot);
    ASSERT_TRUE(look.scope);
    EXPECT_TRUE(look.scope->find_type("int"));
    EXPECT_EQ(message({"process", "snapshot"}),
              "semantic error: cannot probe process.snapshot: of which process? -x PID names one that runs, "
              "process(\"PATH\") all that run a program, and --core=FILE a core file\n\n");
}

TEST_F(UprobeTest, SystemCalls) {
    const Attach enter = one({"process", "syscall"});
    EXPECT_EQ(enter.kind, Kind::ProcessSyscall);
    ASSERT_TRUE(enter.scope);
    const auto last = enter.scope->find("arg6");
    ASSERT_TRUE(last);
    EXPECT_TRUE(last->parameter);
    EXPECT_EQ(ctypes::term_text(*last->place.term), "argument6");
    EXPECT_FALSE(enter.scope->find("return"));
    const Attach leave = one({"process" + quoted("program"), "syscall", "return"});
    EXPECT_EQ(leave.as<ProcessChange>().event, ProcessEvent::SyscallReturn);
    EXPECT_EQ(ctypes::term_text(*leave.scope->find("return")->place.term), "argument1");
    EXPECT_FALSE(leave.scope->find("arg1"));
}

TEST_F(UprobeTest, ReturnMeetsExceptions) {
    std::ofstream(directory_ + "/throws.cc")
        << "int f(int x) { if (x) throw x; return x; }\n"
           "__attribute__((noipa)) int g(int x) { return x + 1; }\n"
           "int h(int x) { if (x == 7) throw x; return g(x + 1); }\n"  // ends by a jump to g
           "int main() { try { return f(1) + h(1); } catch (int) { return 0; } }\n";
    ASSERT_EQ(system(("cd " + directory_ +
                      " && g++ -O2 -o throws throws.cc && strip throws && g++ -O2 -shared -fPIC -Wl,-Bsymbolic -o "
                      "libthrows.so throws.cc && strip libthrows.so")
                         .c_str()),
              0);
    const std::string library = "process" + quoted("libthrows.so");
    const std::vector<Attach> seen = resolve_point({library, "function(\"f\")", "return"});
    ASSERT_EQ(seen.size(), 1u);
    EXPECT_FALSE(seen[0].sites[0].exits.empty());
    EXPECT_EQ(seen[0].sites[0].by_kernel, "");
    EXPECT_EQ(render_all(diagnostics_, true), "");
    const std::vector<Attach> followed = resolve_point({library, "function(\"h\")", "return"});
    ASSERT_EQ(followed.size(), 1u);
    EXPECT_TRUE(followed[0].sites[0].exits.empty());
    EXPECT_THAT(
        render_all(diagnostics_, true),
        testing::MatchesRegex("WARNING: an exception or a panic that leaves the call of 'h' in '.*/libthrows.so' "
                              "while its return is probed ends the process: the kernel replaces its return "
                              "address, for it ends by a jump to 'g' at .*; probe its entry or statements if "
                              "it may throw\n"));
    diagnostics_.drop_since(0);
    EXPECT_EQ(resolve_point({"process" + quoted("throws"), "plt(\"__cxa_throw\")", "return"}).size(), 1u);
    EXPECT_EQ(
        render_all(diagnostics_, true),
        "WARNING: an exception or a panic that leaves the call of '__cxa_throw' in '" + directory_ +
            "/throws' while its return is probed ends the process: the kernel replaces its return address, for its "
            "code is in another file; probe its entry or statements if it may throw\n");
    diagnostics_.drop_since(0);
    one({library, "function(\"h\")"});
    one({"process" + quoted("program"), "function(\"add\")", "return"});
    EXPECT_EQ(render_all(diagnostics_, true), "");
}

// The kernel would say nothing, and never hit.
TEST_F(UprobeTest, ReturnMeetsCoroutines) {
    std::ofstream(directory_ + "/turns.c") << "#include <ucontext.h>\n"
                                              "__attribute__((noipa)) int g(int x) { return x + 1; }\n"
                                              "int h(int x) { return g(x + 1); }\n"  // ends by a jump to g
                                              "__attribute__((noipa)) int f(int x) { return h(x) + 1; }\n"
                                              "ucontext_t other;\n"
                                              "void turn(void) { makecontext(&other, (void (*)(void))f, 0); }\n"
                                              "int main(int argc, char **argv) { turn(); return f(argc); }\n";
    ASSERT_EQ(system(("cd " + directory_ + " && gcc -O2 -o turns turns.c").c_str()), 0);
    EXPECT_EQ(resolve_point({"process" + quoted("turns"), "function(\"h\")", "return"}).size(), 1u);
    EXPECT_THAT(render_all(diagnostics_, true),
                testing::MatchesRegex("WARNING: a coroutine that is left for another one within the call of 'h' in "
                                      "'.*/turns' while its return is probed ends the process: the kernel replaces its "
                                      "return address, for it ends by a jump to 'g' at .*; probe its entry or "
                                      "statements if it may switch stacks\n"));
    diagnostics_.drop_since(0);
    EXPECT_EQ(resolve_point({"process" + quoted("turns"), "function(\"f\")", "return"}).size(), 1u);
    EXPECT_EQ(render_all(diagnostics_, true), "");
}

TEST_F(UprobeTest, InstructionsThatTakeNoUprobe) {
    // The second function's entry is moved behind the lock; the others' second instructions are not only reached from
    // there, or the first changes a register.
    std::ofstream(directory_ + "/locked.s") << R"(
        .macro function name
            .globl \name
            .type \name,@function
            \name:
        .endm
        function locked
            lock addq $1,(%rdi)
        1:  dec %rsi
            jnz 1b
            ret
            .size locked,.-locked
        function counted
            lock addq $1,(%rdi)
            lock incq 8(%rdi)
            mov %rdi,%rax
            ret
            .size counted,.-counted
        function added
            lock xadd %rsi,(%rdi)
            ret
            .size added,.-added
        function entered
            lock addq $1,(%rdi)
        function inner
            ret
            .size entered,.-entered
            .size inner,.-inner
    )";
    ASSERT_EQ(system(("cd " + directory_ + " && gcc -shared -nostdlib -o liblocked.so locked.s").c_str()), 0);
    const std::string library = "process" + quoted("liblocked.so");
    for (const std::string name : {"locked", "added", "entered"}) {
        for (const bool is_return : {false, true}) {
            std::vector<std::string> point = {library, "function(\"" + name + "\")"};
            // Its entry is where values are saved.
            if (is_return) point.emplace_back("return");
            EXPECT_THAT(message(point),
                        testing::HasSubstr("'" + name +
                                           "' cannot be probed here: the kernel puts no uprobe on an "
                                           "instruction with a prefix of its kind (lock, or of a segment)"));
        }
    }
    EXPECT_THAT(message({library, "statement(4096)", "absolute"}),
                testing::HasSubstr("the kernel puts no uprobe on the instruction at this address"));
    const int64_t entry = one({library, "function(\"counted\")"}).sites[0].offset;
    const std::vector<Attach> back = resolve_point({library, "function(\"counted\")", "return"});
    ASSERT_EQ(back.size(), 1u);
    EXPECT_EQ(back[0].sites[0].offset, entry);
    ASSERT_EQ(back[0].sites[0].exits.size(), 1u);
    // lock addq $1,(%rdi) has 5 bytes, lock incq 8(%rdi) 5, mov 3.
    EXPECT_EQ(static_cast<int64_t>(back[0].sites[0].exits[0]) - entry, 3);
}

TEST_F(UprobeTest, WhatIsNoProgram) {
    EXPECT_EQ(message({"process" + quoted("none"), "function(\"add\")"}), "semantic error: there is no such file\n\n");
    ASSERT_EQ(0, mkfifo((directory_ + "/pipe").c_str(), 0600));
    EXPECT_EQ(message({"process" + quoted("pipe"), "function(\"add\")"}),
              "semantic error: it is not a regular file\n\n");
    EXPECT_EQ(message({"process" + quoted("linkde"), "function(\"add\")"}),
              "semantic error: there is no such file (similar files: " + directory_ + "/linked)\n\n");
    EXPECT_THAT(message({"process(\"nohpu\")", "function(\"add\")"}),
                testing::StartsWith("semantic error: there is no such program in the directories of PATH (similar "
                                    "programs: nohup"));
    EXPECT_THAT(message({"process" + quoted("linked"), "library(\"libaddd.so\")", "function(\"add\")"}),
                testing::StartsWith("semantic error: there is no such library where the dynamic linker looks (similar "
                                    "libraries: libadd.so"));
    EXPECT_EQ(message({"process" + quoted("none*"), "function(\"add\")"}), "semantic error: no file matches\n\n");
    EXPECT_EQ(message({"process(\"tapir-has-no-such-program\")", "function(\"add\")"}),
              "semantic error: there is no such program in the directories of PATH\n\n");
    EXPECT_THAT(message({"process" + quoted("program.c"), "function(\"add\")"}),
                HasSubstr("program.c: not an ELF object that can be read"));
    EXPECT_EQ(message({"process" + quoted("program"), "function(\"addd\")"}),
              "semantic error: no match (similar functions: add)\n\n");
}

// Code that is entered by a jump has no return address.
TEST_F(UprobeTest, ReturnsOfWhatIsNotCalled) {
    const Attach all = one({"process" + quoted("stripped"), "function(\"*\")", "return"});
    std::vector<std::string> names;
    for (const FunctionSite &site : all.sites)
        names.push_back(site.label);
    EXPECT_THAT(names, testing::Contains("main"));
    EXPECT_THAT(names, testing::Not(testing::Contains("_start")));
    EXPECT_EQ(one({"process" + quoted("stripped"), "function(\"_start\")"}).sites.at(0).offset,
              offset_of("_start", "stripped"));
    EXPECT_EQ(
        message({"process" + quoted("stripped"), "function(\"_start\")", "return"}),
        "semantic error: the return of '_start' cannot be probed: the program begins there: nothing calls it, and "
        "where a call has its return address is something else. Leave out .return\n\n");
}

// A function that ends by _exit() and the like.
TEST_F(UprobeTest, ReturnsOfWhatNeverReturns) {
    std::ofstream(directory_ + "/leave.c") << "#include <setjmp.h>\n#include <unistd.h>\n"
                                              "jmp_buf place;\n"
                                              "void leave(int status) { _exit(status); }\n"
                                              "void jump(int value) { longjmp(place, value); }\n"
                                              "int stay(int value) { return value; }\n";
    ASSERT_EQ(system(("cd " + directory_ + " && gcc -O2 -g -shared -fPIC -o libleave.so leave.c").c_str()), 0);
    for (const char *name : {"leave", "jump"}) {
        const std::vector<Attach> found =
            resolve_point({"process" + quoted("libleave.so"), "function(\"" + std::string(name) + "\")", "return"});
        ASSERT_EQ(found.size(), 1u);
        EXPECT_TRUE(found[0].sites.at(0).scope);
        EXPECT_EQ(render_all(diagnostics_, true),
                  "WARNING: the return is never hit of '" + std::string(name) + "': no instruction of it returns\n");
    }
    // Beside others they are nothing to speak of.
    const Attach all = one({"process" + quoted("libleave.so"), "function(\"*@leave.c\")", "return"});
    ASSERT_EQ(all.sites.size(), 1u);
    EXPECT_THAT(all.sites[0].label, HasSubstr("stay"));
}

TEST_F(UprobeTest, FilesThatAreCutOff) {
    fs::copy_file(directory_ + "/stripped", directory_ + "/cut");
    fs::resize_file(directory_ + "/cut", fs::file_size(directory_ + "/cut") - 100);
    EXPECT_THAT(message({"process" + quoted("cut"), "function(\"add\")"}),
                HasSubstr("/cut is cut off: the table that leads to its symbols would be behind its end"));
}

// With an address of the kernel's in place of their return address, longjmp() would lead nowhere.
TEST_F(UprobeTest, ReturnsOfWhatReturnsAgain) {
    std::ofstream(directory_ + "/again.s") << ".globl _setjmp\n.type _setjmp,@function\n_setjmp: jmp save\n"
                                              ".size _setjmp, .-_setjmp\n.globl save\n.type save,@function\n"
                                              "save: ret\n.size save, .-save\n"
                                              ".section .note.GNU-stack,\"\",@progbits\n";
    ASSERT_EQ(system(("cd " + directory_ + " && gcc -shared -nostdlib -o libagain.so again.s").c_str()), 0);
    EXPECT_THAT(message({"process" + quoted("libagain.so"), "function(\"_setjmp\")", "return"}),
                HasSubstr("which this function keeps to return there again. Leave out .return"));
    // Patterns leave it out.
    EXPECT_EQ(one({"process" + quoted("libagain.so"), "function(\"*\")", "return"}).sites.size(), 1u);
}

// The symbol is that of the code which chooses.
TEST_F(UprobeTest, FunctionsThatAreChosenAtStart) {
    std::ofstream(directory_ + "/chosen.c")
        << "int sink; static int pick_fast(int a) { return a; }\n"
           "static int pick_slow(int a) { return a + 1; }\n"
           "static int (*choose(void))(int) { return sink ? pick_fast : pick_slow; }\n"
           "int pick(int a) __attribute__((ifunc(\"choose\")));\n"
           "int main(int argc, char **argv) { return pick(argc) + !argv; }\n";
    ASSERT_EQ(system(("cd " + directory_ + " && gcc -g -O1 -o chosen chosen.c").c_str()), 0);
    const std::string text =
        "semantic error: 'pick' stands for one of several functions (STT_GNU_IFUNC). The code at its symbol runs once, "
        "when a program starts, to choose the one that is called. Probe pick_fast, pick_slow; or the calls of a "
        "program: process(\"PROGRAM\").plt(\"pick\")\n\n";
    EXPECT_EQ(message({"process" + quoted("chosen"), "function(\"pick\")"}), text);
    EXPECT_EQ(message({"process" + quoted("chosen"), "function(\"pick\")", "return"}), text);
    EXPECT_EQ(message({"process" + quoted("chosen"), "function(\"p?ck\")"}), text);
    EXPECT_EQ(one({"process" + quoted("chosen"), "function(\"p?ck*\")", "call"}).sites.size(), 2u);
    EXPECT_EQ(one({"process" + quoted("chosen"), "plt(\"pick\")"}).sites.size(), 1u);
}

// As they have to be written in a script.
TEST_F(UprobeTest, QuotesAndBackslashes) {
    std::ofstream(directory_ + "/odd.cc") << "int operator\"\"_km(unsigned long long n) { return (int)n; }\n"
                                             "int main() { return 5_km; }\n";
    ASSERT_EQ(system(("cd " + directory_ + " && g++ -o 'o\"d\\d' odd.cc").c_str()), 0);
    const Attach attach = one({"process" + quoted("o\"d\\d"), "function(\"operator\"\"_km\")"});
    EXPECT_EQ(attach.point, "process(\"" + directory_ + "/o\\\"d\\\\d\").function(\"operator\\\"\\\"_km\")");
    EXPECT_EQ(attach.as<UserCode>().path, directory_ + "/o\"d\\d");
}

TEST_F(UprobeTest, EntriesOfThePlt) {
    const Attach all = one({"process" + quoted("libcalls.so"), "plt"});
    EXPECT_EQ(all.kind, Kind::Uprobe);
    EXPECT_TRUE(all.from_wildcard);
    ASSERT_EQ(all.sites.size(), 2u);
    EXPECT_EQ(all.sites[0].label, "first");
    EXPECT_EQ(std::abs(all.sites[1].offset - all.sites[0].offset), 16);
    EXPECT_EQ(all.sites[1].scope->probe_name(), "second");
    EXPECT_EQ(all.point, "process" + quoted("libcalls.so") + ".plt(\"first\")");
    const Attach second = one({"process" + quoted("libcalls.so"), "plt(\"s*d\")", "return"});
    EXPECT_EQ(second.kind, Kind::Uretprobe);
    EXPECT_EQ(second.point, "process" + quoted("libcalls.so") + ".plt(\"second\").return");
    EXPECT_EQ(second.sites.at(0).offset, all.sites[1].offset);
    EXPECT_EQ(debug_->used_programs().size(), 1u);
    const std::string direct = directory_ + "/libdirect.so";
    EXPECT_EQ(message({"process" + quoted("libdirect.so"), "plt"}),
              "semantic error: " + direct +
                  " has no PLT entries: it calls functions of other files by way of the global offset table alone "
                  "(-fno-plt); probe them in their libraries: .library(\"LIBRARY\").function(\"NAME\")\n\n");
    EXPECT_EQ(message({"process" + quoted("lib{calls,direct}.so"), "plt(\"frist\")"}),
              "semantic error: no match (similar PLT entries: first)\n\n");
}

TEST_F(UprobeTest, PatternsOfPathsTakeWhatFits) {
    const auto found = resolve_point({"process" + quoted("*"), "function(\"add\")", "call"});
    std::vector<std::string> paths;
    for (const Attach &attach : found)
        paths.push_back(fs::path(attach.as<UserCode>().path).filename());
    EXPECT_THAT(paths, ElementsAre("libadd.so", "linked", "program", "stripped"));
    EXPECT_EQ(render_all(diagnostics_, true), "");
}

TEST_F(UprobeTest, RemembersWhatItLookedUp) {
    one({"process" + quoted("program"), "function(\"add\")", "call"});
    const std::string lookups = debug_->lookups();
    EXPECT_EQ(lookups, "program " + directory_ + "/program\n");
    const std::string before = debug_->lookup_stamp(lookups);
    EXPECT_EQ(debug_->lookup_stamp(lookups), before);
    fs::last_write_time(directory_ + "/program", fs::file_time_type::clock::now());
    EXPECT_NE(debug_->lookup_stamp(lookups), before);
}

}  // namespace
}  // namespace tapir::probes
