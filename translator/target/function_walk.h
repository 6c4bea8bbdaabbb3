// SPDX-License-Identifier: GPL-2.0-or-later
// The code of one function: its parts, the instructions in them, and which of these control reaches.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "arch/decode/instruction.h"
#include "target/code_image.h"

namespace tapir::target {

class FunctionWalk {
  public:
    // `compiled`: debug information says that a compiler made the function, so that all of its code is its own, whether
    // or not control is seen to reach it.
    FunctionWalk(const CodeImage &image, uint64_t entry, bool compiled)
        : image_(image), entry_(entry), compiled_(compiled) {}

    // Reads a part of the function. False: why() says why it cannot be read.
    bool add(CodeSpan span);
    // Follows control from the entry. False: why() says why not all ways out are returns, or are not known.
    bool follow();
    // Returns the function's instruction that begins at an address, or nullptr.
    const decode::Instruction *find(uint64_t address) const;
    // Is an address one of an instruction of the function?
    bool has_border(uint64_t address) const { return find(address) != nullptr; }
    // Or does one begin there that has prefixes before it?
    bool has_border_or_prefix(uint64_t address) const;
    bool contains(uint64_t address) const;
    // May control get from one of the parts to an address by a jump? Yes, if that is not known.
    bool may_jump_to(uint64_t address) const;
    std::vector<uint64_t> returns() const;
    // Does a jump of the function lead to its first instruction, as that of a loop without anything before it?
    bool comes_back() const { return comes_back_; }
    std::vector<std::pair<uint64_t, uint64_t>> parts() const;
    const std::string &why() const { return why_; }

  private:
    using Instruction = decode::Instruction;
    struct Part {
        CodeSpan span;
        std::vector<Instruction> code;
        std::vector<bool> reached;
        // Nothing but the jump to it says that it is a part.
        bool guessed = false;
    };
    struct Place {
        Part *part;
        size_t position;
        const Instruction &in() const { return part->code[position]; }
    };

    bool fail(std::string why);
    bool fail_leaving(const Instruction &in, uint64_t target);
    std::optional<Place> place_of(uint64_t address);
    std::optional<Place> place_behind_prefix(uint64_t address);
    bool add_part(uint64_t target, bool may_guess);
    bool is_own_name(std::string_view name) const;
    bool reach(uint64_t address);
    bool go_to(const Instruction &in, uint64_t target);
    bool go_on(const Place &place);
    bool step(const Place &place);
    bool run();
    bool take_tables();
    bool take_landing_pads();
    bool take_rest();
    bool check_guessed();
    bool check_crossings();
    bool is_left_alone(const Part &part, size_t position) const;

    const CodeImage &image_;
    uint64_t entry_;
    bool compiled_;
    std::string why_;
    std::deque<Part> parts_;  // the first has the entry
    std::vector<Place> open_;
    bool comes_back_ = false;
    std::vector<const Instruction *> tables_;  // indirect jumps that are to be looked at
    size_t pads_done_ = 0;                     // parts whose exception handlers are known
    uint64_t size_ = 0;
    unsigned rounds_ = 0;
    uint64_t work_ = uint64_t{1} << 24;  // steps left for jump tables
};

}  // namespace tapir::target
