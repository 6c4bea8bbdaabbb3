// SPDX-License-Identifier: GPL-2.0-or-later
// The object of the runtime, as far as it can be judged without a kernel.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "bpf/link/image.h"
#include "testsuite/trees.h"

namespace tapir::bpf {
namespace {

using testing::Contains;
using testing::IsEmpty;

class Runtime : public testing::Test {
  protected:
    void SetUp() override {
        std::string path = build_dir() + "/lib/tapir_bpf.o";
        if (!std::filesystem::exists(path))
            GTEST_SKIP() << "the runtime for BPF was not built: no clang and LLVM of the version it needs";
        std::vector<Object> objects(2);
        std::string error;
        ASSERT_TRUE(read_object(path, objects[0], error)) << error;
        ASSERT_TRUE(read_object(build_dir() + "/lib/tapir_bpf_module.o", objects[1], error)) << error;
        functions_ = objects[0].functions;
        ASSERT_TRUE(image_.link(std::move(objects), error)) << error;
    }

    Image image_;
    std::vector<Function> functions_;
};

// The places that hold addresses of the arena or of BPF's stack on each way to an instruction: registers, and words of
// the stack.
class Guarded {
  public:
    explicit Guarded(const Function &function) : function_(function), before_(function.code.size() + 1) {}

    // Returns where memory is read or written by another register; "": nowhere.
    std::string unguarded() {
        before_[0] = {true, 1u << kStackRegister, 0};
        for (bool changed = true; changed;) {
            changed = false;
            for (size_t k = 0; k < function_.code.size(); k++)
                changed |= before_[k].reached && step(k);
        }
        for (size_t k = 0; k < function_.code.size(); k++) {
            const Instruction &i = function_.code[k];
            bool reads = i.kind() == kLoad, writes = i.kind() == kStore || i.kind() == kStoreImmediate;
            unsigned base = reads ? i.source() : i.destination();
            if ((reads || writes) && before_[k].reached && !(before_[k].registers >> base & 1))
                return function_.name + " at " + std::to_string(k);
            if (i.code == kLoadWord) k++;
        }
        return "";
    }

  private:
    struct State {
        bool reached = false;
        uint32_t registers = 0;
        uint64_t words = 0;
    };

    static uint64_t word(const Instruction &i) { return uint64_t{1} << (-i.offset / 8 & 63); }

    bool join(size_t to, const State &from) {
        State &now = before_[to];
        State joined = now.reached ? State{true, now.registers & from.registers, now.words & from.words} : from;
        bool changed = joined.reached != now.reached || joined.registers != now.registers || joined.words != now.words;
        now = joined;
        return changed;
    }

    bool step(size_t k) {
        const Instruction &i = function_.code[k];
        State after = before_[k];
        uint32_t to = 1u << i.destination();
        bool from_guarded = before_[k].registers >> i.source() & 1;
        if (i.code == kCall) {
            after.registers &= ~0x3fu;
        } else if (i.code == kSetRegister && (i.offset == kCastOffset || (i.offset == 0 && from_guarded))) {
            after.registers |= to;
        } else if (i.code == kLoad64 && i.source() == kStackRegister && (after.words & word(i))) {
            after.registers |= to;
        } else if (i.kind() == kLoad || i.code == kLoadWord || i.kind() == kAlu32 ||
                   (i.kind() == kAlu64 && (i.code & 0xf0) == 0xb0)) {
            after.registers &= ~to;
        } else if (i.kind() == kStore && i.destination() == kStackRegister) {
            after.words = i.code == kStore64 && from_guarded ? after.words | word(i) : after.words & ~word(i);
        }
        bool changed = false;
        if (i.is_jump())
            changed |= join(
                static_cast<size_t>(static_cast<long>(k) + 1 + (i.code == kGotoFar ? i.immediate : i.offset)), after);
        if (i.code != kGoto && i.code != kGotoFar && i.code != kExit)
            changed |= join(k + (i.code == kLoadWord ? 2 : 1), after);
        return changed;
    }

    const Function &function_;
    std::vector<State> before_;
};

TEST_F(Runtime, ReadsAndWritesTheArenaByCasts) {
    ASSERT_GE(functions_.size(), 300u);
    std::vector<std::string> unguarded;
    for (const Function &function : functions_)
        if (std::string at = Guarded(function).unguarded(); !at.empty()) unguarded.push_back(at);
    EXPECT_THAT(unguarded, IsEmpty());
}

TEST_F(Runtime, KeepsToTheStackOfBpf) {
    std::vector<std::string> large;
    for (const Function &function : functions_)
        if (function.stack_bytes > 256) large.push_back(function.name);
    EXPECT_THAT(large, IsEmpty());
}

// Only these call themselves: texts of system calls show records in records.
TEST_F(Runtime, MakesAProgramOfEachFunction) {
    std::ifstream in(source_dir() + "/testsuite/vm/bpf/_refused");
    std::set<std::string> expected, refused;
    for (std::string name; std::getline(in, name);)
        expected.insert(name);
    for (const Function &function : functions_) {
        Function entry;
        entry.name = "entry";
        entry.returns = true;
        entry.code = {make(kCall, 0, kCallsFunction), make(kExit, 0)};
        entry.references = {{0, function.name, -1, 0}};
        Program program;
        std::string error;
        if (image_.make_program(entry, program, error)) continue;
        EXPECT_THAT(error, testing::HasSubstr("calls itself"));
        refused.insert(function.name);
    }
    EXPECT_EQ(refused, expected);
}

// Handlers need these first.
TEST_F(Runtime, HasTheFunctionsOfArraysAndOutput) {
    std::vector<std::string> names = image_.function_names();
    for (const char *name : {"tapir_map_add_stat", "tapir_foreach_begin", "tapir_print", "tapir_error_catch",
                             "tapir_port_emit", "tapir_bpf_enter"})
        EXPECT_THAT(names, Contains(name));
}

}  // namespace
}  // namespace tapir::bpf
