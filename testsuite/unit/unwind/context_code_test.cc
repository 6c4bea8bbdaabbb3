// SPDX-License-Identifier: GPL-2.0-or-later
// Stacks through signal handlers and to the ends of coroutines; the program's source says who called whom.
#include "unwind/context_code.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>

#include "stopped_process.h"

namespace tapir::unwind {
namespace {

using Names = std::vector<std::string>;

// The functions of addresses, by addr2line; without frames of the C library's raise().
Names names_of(const std::string &program, const std::vector<uint64_t> &addresses) {
    Names names;
    for (const uint64_t address : addresses) {
        char command[4096];
        snprintf(command, sizeof command, "addr2line -f -e %s %llx", program.c_str(),
                 static_cast<unsigned long long>(address));
        FILE *pipe = popen(command, "r");
        char line[256] = {};
        const bool got = pipe && fgets(line, sizeof line, pipe);
        if (pipe) pclose(pipe);
        const std::string name = got ? std::string(line, strcspn(line, "\n")) : "";
        for (const char *known :
             {"reached", "coroutine", "__start_context", "handler", "__restore_rt", "interrupted", "main", "switches"})
            if (name == known) names.push_back(name);
    }
    return names;
}

class ContextCode : public testing::TestWithParam<const char *> {
  protected:
    ContextCode() {
        std::string pattern = testing::TempDir() + "tapir-contexts-XXXXXX";
        directory_ = mkdtemp(pattern.data());
    }
    ~ContextCode() override { std::filesystem::remove_all(directory_); }

    // "": there is no such compiler.
    std::string program(const std::string &options) const {
        const std::string path = directory_ + "/contexts", command = std::string(GetParam()) + " -O1 -g " + options +
                                                                     " -o " + path + " " UNWIND_CONTEXTS;
        return system((command + " 2>/dev/null").c_str()) == 0 ? path : "";
    }
    static bool is_gnu() { return std::string(GetParam()) == "gcc"; }

    std::string directory_;
};

Stack stack_of(const std::string &program, const std::string &mode) {
    Process process(mode, program);
    if (!process.attach()) return {};
    const Stack stack = process.walk(process.pid()), recorded = process.record(process.pid());
    EXPECT_EQ(recorded.addresses, stack.addresses) << mode;
    EXPECT_EQ(recorded.end, stack.end) << mode;
    return stack;
}

TEST_P(ContextCode, IsPassed) {
    const std::string path = program("-static -no-pie");
    if (path.empty()) GTEST_SKIP() << GetParam() << " is not installed";
    for (const char *mode : {"signal", "altstack"}) {
        const Stack stack = stack_of(path, mode);
        EXPECT_EQ(stack.end, unsigned{TAPIR_UNWIND_COMPLETE}) << mode;
        EXPECT_EQ(names_of(path, stack.addresses), (Names{"reached", "handler", "__restore_rt", "interrupted", "main"}))
            << mode;
    }
    if (!is_gnu()) return;
    const Stack stack = stack_of(path, "context");
    EXPECT_EQ(stack.end, unsigned{TAPIR_UNWIND_COMPLETE});
    EXPECT_EQ(names_of(path, stack.addresses), (Names{"reached", "coroutine", "__start_context"}));
}

TEST_P(ContextCode, IsPassedInASharedLibrary) {
    for (const char *options : {"", "-s"}) {
        const std::string path = program(options);
        if (path.empty()) GTEST_SKIP() << GetParam() << " is not installed";
        for (const char *mode : {"signal", "altstack", "context"}) {
            if (!is_gnu() && mode == std::string("context")) continue;
            const Stack stack = stack_of(path, mode);
            EXPECT_EQ(stack.end, unsigned{TAPIR_UNWIND_COMPLETE}) << mode << options;
            EXPECT_GE(stack.addresses.size(), 4u) << mode << options;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Compilers, ContextCode, testing::Values("gcc", "musl-gcc"));

using namespace std::string_view_literals;

TEST(ContextCodes, AreKnownByTheirInstructions) {
    constexpr auto kStart =
        "\x48\x89\xdc\x48\x8b\x3c\x24\x48\x85\xff\x74\x08\xe8\1\2\3\4\x48\x89\xc7\xe8\1\2\3\4\xf4"sv;
    EXPECT_TRUE(is_context_size(kStart.size()));
    EXPECT_TRUE(is_context_start(kStart));
    for (size_t bytes = 0; bytes < kStart.size(); bytes++)
        EXPECT_FALSE(is_context_start(kStart.substr(0, bytes))) << bytes;
    std::string no_halt(kStart);
    no_halt.back() = '\x90';
    EXPECT_FALSE(is_context_start(no_halt));
    EXPECT_TRUE(is_signal_return(kCallSignalReturn));
    EXPECT_FALSE(is_signal_return(kCallSignalReturn.substr(1)));
    EXPECT_EQ(signal_returns("\x90" + std::string(kCallSignalReturn) + "\xc3" + std::string(kCallSignalReturn)),
              (std::vector<size_t>{1, 11}));
}

}  // namespace
}  // namespace tapir::unwind
