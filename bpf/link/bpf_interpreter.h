// SPDX-License-Identifier: GPL-2.0-or-later
// Runs a program in this process, on memory that lies where the arena's addresses say. It does what the kernel would,
// one instruction after the other (RFC 9669).
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "bpf/link/image.h"

namespace tapir::bpf {

class Interpreter {
  public:
    using Arguments = std::array<uint64_t, 5>;
    // The kernel's functions for programs, by their numbers in linux/bpf.h. False: there is none of this number.
    using Helper = std::function<bool(uint32_t number, const Arguments &arguments, uint64_t &result)>;

    // Only addresses from `begin` up to `end` are the program's, besides its stack.
    Interpreter(const Program &program, uint64_t begin, uint64_t end, Helper helper);

    // Runs at most `most` instructions. False: `error` says at which instruction the program did what it may not.
    bool run(const Arguments &arguments, uint64_t most, uint64_t &result, std::string &error);
    uint64_t instructions() const { return instructions_; }  // that all runs took

  private:
    struct Frame {
        size_t back;                          // the instruction behind the call
        std::array<uint64_t, 4> kept;         // registers 6 to 9 of the caller
        std::array<uint64_t, 64> stack = {};  // BPF's, 512 bytes
    };

    bool step(std::string &error);
    bool calculate(const Instruction &i, std::string &error);
    bool access(const Instruction &i, std::string &error);
    bool change_at_once(const Instruction &i, uint64_t *place, std::string &error);
    bool jump(const Instruction &i, std::string &error);
    bool call(const Instruction &i, std::string &error);
    bool leave();
    void enter(size_t at, size_t back);
    // Null: it is not the program's memory.
    void *memory(uint64_t address, unsigned bytes);
    bool fail(const std::string &what, std::string &error) const;

    const Program &program_;
    uint64_t begin_, end_;
    Helper helper_;
    std::array<uint64_t, 11> registers_ = {};
    std::vector<Frame> frames_;
    size_t at_ = 0;
    uint64_t instructions_ = 0;
};

}  // namespace tapir::bpf
