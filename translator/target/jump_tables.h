// SPDX-License-Identifier: GPL-2.0-or-later
// Tables of places in a function that it jumps to: those of switches, of computed gotos.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "arch/decode/instruction.h"
#include "target/code_image.h"

namespace tapir::target {

struct JumpTargets {
    // Does the jump go through a table of places of the function? All of them, unless `partly`.
    bool by_table = false;
    bool partly = false;
    std::vector<uint64_t> targets;
    // A place that the table has, outside of the function.
    std::optional<uint64_t> outside;
};

class JumpTables {
  public:
    // Each thing that is looked at takes one from `work`; when nothing is left, no table is found. `code`: all
    // instructions of a function, by address. `inside`: is an address that of an instruction of the function? All
    // outlive this.
    JumpTables(const CodeImage &image, std::span<const decode::Instruction> code, std::function<bool(uint64_t)> inside,
               uint64_t &work);

    // Finds the targets of the indirect jump at a position of `code`. `compiled`: code that looks like a switch is one,
    // because a compiler wrote it.
    JumpTargets targets(size_t position, bool compiled);

  private:
    // The memory that the jump reads: entries of `bytes`, at `base` + index * bytes. Without a base its place is
    // unknown.
    struct Shape {
        uint8_t bytes = 0;
        std::optional<uint64_t> base;
        uint8_t base_register = decode::kNoRegister, index = decode::kNoRegister;
        size_t position = 0;  // of the instruction that reads
    };

    bool spend() const { return work_ > 0 && work_-- > 0; }
    std::optional<size_t> definition(size_t before, uint8_t reg) const;
    std::optional<uint64_t> constant(size_t before, uint8_t reg) const;
    std::optional<Shape> shape_of_scaled(size_t position, uint8_t bytes) const;
    std::optional<Shape> shape_of_load(size_t position) const;
    std::optional<Shape> shape_of_sum(size_t position, uint8_t a, uint8_t b) const;
    std::optional<Shape> shape_of(size_t position) const;
    std::optional<uint64_t> entries_by_compare(const Shape &shape) const;
    std::optional<uint64_t> entry(const Shape &shape, uint64_t base, uint64_t number) const;
    JumpTargets read(const Shape &shape, uint64_t base, std::optional<uint64_t> count) const;
    JumpTargets read_all_candidates(const Shape &shape) const;
    bool is_always_table(const Shape &shape) const;

    const CodeImage &image_;
    std::span<const decode::Instruction> code_;
    std::function<bool(uint64_t)> inside_;
    uint64_t &work_;
    std::set<uint64_t> constants_;  // addresses of data that the function has in its code
};

}  // namespace tapir::target
