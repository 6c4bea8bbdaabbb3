// SPDX-License-Identifier: GPL-2.0-or-later
// Watched variables of programs that the tests compile; nm and readelf tell where they are.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "program_points.h"

// Variables of this program.
extern "C" {
#ifdef __clang__
__attribute__((no_sanitize("address")))  // which makes variables larger
#endif
extern int tapir_watched_here;
int tapir_watched_here = 1;
}

namespace tapir::probes {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::StartsWith;

constexpr char kVariables[] =
    "struct pair { int a, b, c; } pair;\n"
    "int counter = 1;\n"
    "static long hidden;\n"
    "short narrow[4];\n"
    "char letter;\n"
    "struct __attribute__((packed)) { char before; int odd; } packed = { 1, 2 };\n"
    "double real;\n"
    "__thread int own;\n"
    "namespace shop { long long stock; namespace { int secret; } struct Till { static int cash; }; int Till::cash; }\n"
    "int main() { hidden++; own++; shop::secret++; letter++; return counter + (int)real + pair.a + packed.odd; }\n";

// Returns "member=value" of all that a kind writes.
std::string written(const Arg &arg) {
    std::string all = arg.type().empty() ? "" : std::string(arg.type()) + ":";
    for (const Arg::Member &member : arg.members()) {
        const auto add = [&](const std::string &value) { all += " " + std::string(member.name) + "=" + value; };
        if (const auto *n = std::get_if<int64_t>(&member.value))
            add(std::to_string(*n));
        else if (const auto *u = std::get_if<uint64_t>(&member.value))
            add(std::to_string(*u));
        else if (const auto *text = std::get_if<std::string_view>(&member.value))
            add(std::string(*text));
        else if (const auto *constant = std::get_if<Arg::Constant>(&member.value))
            add(std::string(constant->name));
        else if (const auto *nested = std::get_if<Arg::Nested>(&member.value))
            add("{" + written(nested->one.front()) + " }");
        else if (const auto *symbol = std::get_if<Arg::Symbol>(&member.value))
            add(std::string(symbol->name));
        else if (const auto *program = std::get_if<Arg::Program>(&member.value))
            add(fs::path(program->path).filename().string());
        else if (std::holds_alternative<Arg::Touches>(member.value))
            all += " touches";
        else
            add("");
    }
    return all;
}

class UserDataTest : public ProgramPointTest {
  protected:
    static void SetUpTestSuite() {
        ASSERT_NO_FATAL_FAILURE(make_directory("user-data"));
        std::ofstream(directory_ + "/variables.cc") << kVariables;
        std::ofstream(directory_ + "/twice.c") << "static int same; int other(void) { return same++; }\n";
        std::ofstream(directory_ + "/again.c")
            << "static int same; int other(void); int main(void) { return same++ + other(); }\n";
        ASSERT_EQ(system(("cd " + directory_ +
                          " && g++ -g -o program variables.cc && g++ -no-pie -g -o fixed variables.cc && "
                          "g++ -static-pie -o alone variables.cc && "
                          "cp program stripped && strip -g stripped && g++ -shared -fPIC -g -o libvariables.so "
                          "variables.cc && gcc -o twice twice.c again.c")
                             .c_str()),
                  0);
    }

    static std::string process(const std::string &file) { return "process(\"" + directory_ + "/" + file + "\")"; }
    static std::string data(const std::string &name) { return "data(\"" + name + "\")"; }

    UserWatch one(const std::vector<std::string> &components) {
        std::vector<Attach> found = resolve_point(components);
        EXPECT_EQ(render_all(diagnostics_, true), "");
        if (found.size() != 1) {
            ADD_FAILURE() << found.size() << " attachments";
            return {};
        }
        point_ = found[0].point;
        EXPECT_EQ(found[0].kind, Kind::UserData);
        return found[0].as<UserWatch>();
    }
    static uint64_t number_from(const std::string &command) {
        const std::string out = directory_ + "/out";
        EXPECT_EQ(system(("cd " + directory_ + " && " + command + " >out").c_str()), 0) << command;
        std::ifstream in(out);
        std::string text;
        in >> text;
        return text.empty() ? 0 : std::stoull(text, nullptr, 16);
    }
    static uint64_t address_of(const std::string &symbol, const std::string &file) {
        return number_from("nm -C " + file + " | awk '{ n = $3; for (i = 4; i <= NF; i++) n = n \" \" $i } n == \"" +
                           symbol + "\" { print $1 }'");
    }

    std::string point_;
};

TEST_F(UserDataTest, VariableByDebugInformation) {
    const UserWatch watch = one({process("program"), data("counter"), "write"});
    EXPECT_EQ(point_, process("program") + ".data(\"counter\").write");
    EXPECT_EQ(watch.address, address_of("counter", "program"));
    EXPECT_EQ(watch.length, 4u);
    EXPECT_FALSE(watch.reads);
    EXPECT_EQ(watch.tasks.user.path, directory_ + "/program");
    EXPECT_EQ(watch.tasks.user.pid, UserCode::kAll);
    EXPECT_EQ(watch.tasks.start, number_from("readelf -h program | awk '/Entry point/ { print $4 }'"));
    EXPECT_EQ(watch.tasks.start_offset,
              debug_->program(directory_ + "/program", point_)->program->code_offset(watch.tasks.start));
    // Where it is depends on this very build.
    ASSERT_EQ(debug_->used_programs().size(), 1u);
    EXPECT_EQ(debug_->used_programs()[0].build_id.size(), 40u);
}

TEST_F(UserDataTest, WhatTheKernelSideIsTold) {
    target_.program = directory_ + "/program";
    std::vector<Attach> found = resolve_point({"process", data("narrow"), "length(2)", "rw"});
    ASSERT_EQ(found.size(), 1u);
    found[0].optional = true;
    const auto &watch = found[0].as<UserWatch>();

    const std::string all = written(arg_of(found[0]));
    EXPECT_EQ(all, "tapir_user_data_arg: task={ process={ wildcard=0 optional=1 program=program pid=-1 } start=" +
                       std::to_string(watch.tasks.start) + " start_offset=" + std::to_string(watch.tasks.start_offset) +
                       " } address=" + std::to_string(watch.address) + " length=2 reads=1");
}

TEST_F(UserDataTest, LengthIsTheVariablesSize) {
    for (const std::string &file : {std::string("program"), std::string("stripped"), std::string("fixed")})
        for (const auto &[name, length] : {std::pair{"counter", 4u}, {"letter", 1u}, {"narrow", 8u}, {"real", 8u}}) {
            const UserWatch watch = one({process(file), data(name), "rw"});
            EXPECT_EQ(watch.length, length) << file << " " << name;
            EXPECT_EQ(watch.address, address_of(name, file)) << file << " " << name;
            EXPECT_TRUE(watch.reads);
        }
    EXPECT_EQ(one({process("program"), data("narrow"), "length(2)", "write"}).length, 2u);
    EXPECT_EQ(point_, process("program") + ".data(\"narrow\").length(2).write");
    EXPECT_EQ(one({process("program"), data("pair"), "length(4)", "write"}).length, 4u);
}

TEST_F(UserDataTest, NamesOfSources) {
    for (const std::string &file : {std::string("program"), std::string("stripped"), std::string("alone")}) {
        EXPECT_EQ(one({process(file), data("hidden"), "write"}).address, address_of("hidden", file)) << file;
        EXPECT_EQ(one({process(file), data("shop::stock"), "write"}).address, address_of("shop::stock", file)) << file;
        EXPECT_EQ(one({process(file), data("stock"), "write"}).length, 8u) << file;
        EXPECT_EQ(one({process(file), data("Till::cash"), "write"}).address, address_of("shop::Till::cash", file))
            << file;
        EXPECT_EQ(one({process(file), data("shop::secret"), "write"}).address,
                  address_of("shop::(anonymous namespace)::secret", file))
            << file;
    }
    EXPECT_EQ(one({process("program"), data("hidden@variables.cc"), "write"}).length, 8u);
    EXPECT_EQ(one({process("stripped"), data("_ZN4shop5stockE"), "write"}).length, 8u);
}

TEST_F(UserDataTest, Addresses) {
    const uint64_t counter = address_of("counter", "program"), fixed = address_of("counter", "fixed");
    const UserWatch watch = one({process("program"), "data(" + std::to_string(counter) + ")", "write"});
    EXPECT_EQ(watch.address, counter);
    EXPECT_EQ(watch.length, 1u);
    EXPECT_EQ(point_, process("program") + ".data(" + std::to_string(counter) + ").write");
    EXPECT_EQ(one({process("fixed"), "data(" + std::to_string(fixed) + ")", "length(4)", "rw"}).length, 4u);
    // A program that is not moved takes any address of its processes.
    EXPECT_EQ(one({process("fixed"), "data(0x7ffff0001000)", "length(8)", "rw"}).address, 0x7ffff0001000u);
    EXPECT_EQ(message({process("program"), "data(0x7ffff0001000)", "write"}),
              "semantic error: " + directory_ +
                  "/program has no memory at this address: it is loaded anywhere, and the address is taken as linked, "
                  "as nm prints it\n\n");
}

TEST_F(UserDataTest, LengthsThatDoNotFit) {
    char pair[24], odd[24];
    snprintf(pair, sizeof pair, "0x%llx", static_cast<unsigned long long>(address_of("pair", "program")));
    const uint64_t at = address_of("packed", "program") + 1;
    snprintf(odd, sizeof odd, "0x%llx", static_cast<unsigned long long>(at));
    EXPECT_EQ(message({process("program"), data("pair"), "write"}),
              std::string("semantic error: how many bytes of 'pair' (12 bytes at ") + pair +
                  ") are meant? Add .length(1), .length(2), .length(4)" +
                  (address_of("pair", "program") % 8 ? "" : ", .length(8)") +
                  ": the processor watches 1, 2, 4 or 8 bytes, at multiples of as many\n\n");
    EXPECT_THAT(message({process("program"), data("counter"), "length(8)", "write"}),
                StartsWith("semantic error: the processor watches 1, 2, 4 or 8 bytes, at multiples of as many; of "
                           "'counter' (4 bytes at 0x"));
    EXPECT_THAT(message({process("program"), data("counter"), "length(8)", "write"}),
                HasSubstr(") it can watch .length(1), .length(2), .length(4)\n"));
    EXPECT_EQ(message({process("program"), "data(" + std::to_string(at) + ")", "length(4)", "write"}),
              std::string("semantic error: the processor watches 1, 2, 4 or 8 bytes, at multiples of as many; of what "
                          "is at ") +
                  odd + " it can watch .length(1)\n\n");
    EXPECT_THAT(message({process("program"), data("narrow"), "length(3)", "rw"}), HasSubstr("it can watch .length(1)"));
    EXPECT_THAT(message({process("program"), data("narrow"), "length(-4)", "rw"}),
                HasSubstr("it can watch .length(1)"));
}

TEST_F(UserDataTest, WhatCannotBeWatched) {
    EXPECT_EQ(message({process("program"), data("countre"), "write"}),
              "semantic error: " + directory_ + "/program has no variable 'countre' (similar variables: counter)\n\n");
    EXPECT_THAT(message({process("stripped"), data("shop::stok"), "write"}),
                HasSubstr("(similar variables: shop::stock)"));
    EXPECT_EQ(
        message({process("program"), data("own"), "write"}),
        "semantic error: 'own' cannot be watched: it is thread-local, and only what all threads share can be\n\n");
    EXPECT_EQ(message({process("libvariables.so"), data("counter"), "write"}),
              "semantic error: " + directory_ +
                  "/libvariables.so is a library, which no process runs: its variables cannot be watched; probe what "
                  "writes them with .statement()\n\n");
    EXPECT_THAT(message({process("twice"), data("same"), "write"}),
                StartsWith("semantic error: several files of the program have a variable 'same': with debug "
                           "information, name one as \"same@FILE\"; " +
                           directory_ + "/twice has no debug information"));
    EXPECT_THAT(message({process("twice"), data("same@again.c"), "write"}),
                StartsWith("semantic error: " + directory_ + "/twice has no debug information"));
    EXPECT_EQ(
        message({process("program"), "library(\"libc.so.6\")", data("environ"), "write"}),
        "semantic error: cannot probe " + process("program") +
            ".library(\"libc.so.6\").data(\"environ\").write: variables of libraries cannot be watched: processes "
            "map a library wherever and whenever they like; probe what writes them with .statement()\n\n");
    EXPECT_EQ(message({process("program"), data("counter")}),
              "semantic error: cannot probe " + process("program") +
                  ".data(\"counter\"): end it with .write or .rw: which accesses are meant?\n\n");
}

// There the access would trap for ever.
TEST_F(UserDataTest, ProcessorsThatTrapBeforeTheAccess) {
    arch_ = "aarch64";
    const std::string why =
        ": on aarch64 the kernel does not let a watched access go on after a handler; probe what makes the access with "
        ".statement()\n\n";
    EXPECT_EQ(message({process("program"), data("counter"), "write"}),
              "semantic error: cannot probe " + process("program") + ".data(\"counter\").write" + why);
    EXPECT_EQ(message({"kernel", data("jiffies"), "rw"}),
              "semantic error: cannot probe kernel.data(\"jiffies\").rw" + why);
}

TEST_F(UserDataTest, WhoseMemory) {
    target_.program = directory_ + "/program";
    const UserWatch target = one({"process", data("counter"), "write"});
    EXPECT_EQ(target.tasks.user.pid, UserCode::kTarget);
    EXPECT_EQ(target.tasks.user.path, directory_ + "/program");
    // This very program, whose variables are many.
    const std::string self = "process(" + std::to_string(getpid()) + ")";
    const UserWatch mine = one({self, data("tapir_watched_here"), "write"});
    EXPECT_EQ(mine.tasks.user.pid, getpid());
    EXPECT_EQ(mine.tasks.user.path, fs::canonical("/proc/self/exe").string());
    EXPECT_EQ(mine.length, 4u);
    EXPECT_EQ(point_, self + ".data(\"tapir_watched_here\").write");
    // A pattern means the programs that have the variable.
    const auto found = resolve_point({process("{program,twice}"), data("counter"), "write"});
    ASSERT_EQ(found.size(), 1u);
    EXPECT_TRUE(found[0].from_wildcard);
    EXPECT_EQ(render_all(diagnostics_, true), "");
}

TEST_F(UserDataTest, ScopeIsTheProgram) {
    const std::vector<Attach> found = resolve_point({process("program"), data("counter"), "write"});
    ASSERT_EQ(found.size(), 1u);
    ASSERT_TRUE(found[0].scope);
    EXPECT_TRUE(found[0].scope->user());
    EXPECT_TRUE(found[0].scope->find_global("counter"));
    EXPECT_TRUE(found[0].scope->find_type("pair"));
    EXPECT_TRUE(found[0].scope->variables().empty());
}

}  // namespace
}  // namespace tapir::probes
