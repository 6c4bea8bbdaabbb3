// SPDX-License-Identifier: GPL-2.0-or-later
// The rows of an object: places in ascending order, and the few distinct rules they have.
#pragma once

#include <tapir/unwind.h>

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "unwind/cfi.h"
#include "unwind/elf_file.h"

namespace tapir::unwind {

// The distinct rules.
class RuleSet {
  public:
    // `machine` must be one whose stacks can be walked.
    explicit RuleSet(uint32_t machine)
        : return_register_(tapir_unwind_return_register(machine)),
          stack_register_(tapir_unwind_stack_register(machine)),
          call_pushes_(tapir_unwind_call_pushes(machine)) {}

    uint32_t add(const RowState &state, bool signal_frame);
    // The rule with more TAPIR_RULE_*; with another register that the CFA is counted from. The rule itself if it finds
    // no frame.
    uint32_t with_flag(uint32_t rule, uint8_t flag);
    uint32_t with_base(uint32_t rule, uint8_t base);
    // For where nothing is known, with the reason.
    uint32_t add_nothing(tapir_unwind_end why);
    uint64_t return_register() const { return return_register_; }
    const std::vector<tapir_unwind_rule> &rules() const { return rules_; }
    const std::vector<tapir_unwind_saved> &saved() const { return saved_; }

  private:
    struct Key {
        RowState state;
        bool signal_frame = false;
        uint32_t rule = 0;
    };
    tapir_unwind_rule encode(const RowState &state, bool signal_frame);
    bool sort_plain(const tapir_unwind_rule &rule);
    bool encode_register(uint64_t reg, const RegisterRule &rule);
    uint32_t variant(uint32_t of, uint8_t flags, uint8_t base);
    void grow();

    uint64_t return_register_, stack_register_;
    bool call_pushes_;
    std::vector<tapir_unwind_rule> rules_;
    std::vector<tapir_unwind_saved> saved_;
    std::vector<Key> keys_;
    std::map<std::tuple<uint32_t, uint8_t, uint8_t>, uint32_t> variants_;
    std::vector<uint32_t> slots_ = std::vector<uint32_t>(1024);  // index of a key + 1, by hash
    uint32_t nothing_[TAPIR_UNWIND_ENDS] = {};                   // rule + 1
};

struct Rows {
    std::vector<uint32_t> places;
    std::vector<uint32_t> rules;
    unsigned damaged = 0, inexpressible = 0, outside = 0;
};

// The rows of all entries, .eh_frame's before .debug_frame's where both speak of the same code.
Rows collect_rows(const ElfFile &file, RuleSet &rules);

}  // namespace tapir::unwind
