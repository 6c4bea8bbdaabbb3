// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A function's instructions in execution order from its first one on, with the known state of the stack before each.
 * The code does not mark calls that return. A call counts as one that does not if the code after it would contradict
 * other evidence.
 */
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "unwind/code_state.h"
#include "unwind/elf_file.h"

namespace tapir::unwind {

struct CodeSpan {
    uint64_t start = 0, end = 0;
    std::string_view code = {};  // filled in by code_functions()
};

// Evidence about a function that begins at some address.
struct CodeStart {
    bool outermost = false;  // it has no caller
    bool certain = false;    // it is a function; else only its instructions suggest that
    bool followed = false;
    bool understood = false;       // it could be followed
    bool complete = false;         // and all of it
    bool returns = false;          // as far as it was
    bool may_return = true;        // or goes where it cannot be followed
    uint64_t first = 0, last = 0;  // instructions that it reaches
    std::vector<uint64_t> calls;   // functions in the spans that it calls
};

// Code without unwind information, its functions, and how much may still be done.
struct CodeArea {
    const ElfFile *file = nullptr;
    std::vector<CodeSpan> spans;  // ascending, without overlaps
    std::unordered_map<uint64_t, CodeStart> starts;
    uint64_t steps = 0;  // instructions that may still be looked at

    const CodeSpan *span_of(uint64_t address) const;
    const CodeStart *start_at(uint64_t address) const;
};

// Before the instruction at `address`; lives as long as the call.
using CodeSink = std::function<void(uint64_t address, unsigned length, const CodeState &state)>;

class CodeFlow {
  public:
    explicit CodeFlow(CodeArea &area) : area_(area) {}

    // Follows the function at `start`. False: it contradicts itself, or is too large. A function that is not certain
    // must return, with all registers as they were.
    bool run(uint64_t start, const CodeStart &known);
    // The instructions whose state is certain enough; without order.
    void tell(const CodeSink &sink) const;

    bool returns() const { return returns_; }
    bool complete() const { return complete_; }  // nothing that was reached is uncertain
    bool may_return() const { return returns_ || may_return_; }
    uint64_t first() const { return first_; }
    uint64_t last() const { return last_; }
    // These cover all reached instructions.
    const std::set<uint64_t> &calls() const { return calls_; }      // targets in the spans
    const std::set<uint64_t> &addresses() const { return named_; }  // in the spans, that instructions name

  private:
    struct Node {
        uint64_t address = 0;
        CodeState state;
        uint32_t run = 0;
        uint32_t next_run = 0;  // of a call: the code after it, once that is looked at
        uint8_t length = 0;
        bool after_call = false;  // reached from a call by nothing but its return
        bool waiting = false;
        bool listed = false;  // among `later_`
    };
    // The instructions from a call up to the next ones; the first run precedes all calls.
    struct Run {
        uint64_t call = 0;
        uint32_t before = 0;
        bool known = false;    // the call does return
        bool returns = false;  // and so does the function from here
        bool good = false;     // the state at its end is as required
        bool fits = false;     // both, as far as is known, and so before
    };
    enum class Verdict { Fine, Again, Wrong };

    Verdict follow(uint64_t start, const CodeStart &known);
    Verdict visit(uint32_t index);
    Verdict after_call(uint32_t index);
    bool is_start(uint64_t address) const;
    bool decode(uint64_t address, CodeInstruction &in) const;
    Verdict reach(uint64_t to, const CodeState &state, uint32_t run, bool jump, bool after_call);
    Verdict meet(Node &node, uint32_t index, const CodeState &state, uint32_t run, bool after_call);
    Verdict leave(const CodeState &state, uint32_t run, bool jump, bool returns);
    Verdict doubt(uint32_t run);
    Verdict call(const CodeInstruction &in, uint32_t index, const CodeState &after);
    Verdict branch(const CodeInstruction &in, const Node &node, CodeState after);
    Verdict indirect_jump(const CodeInstruction &in, const Node &node);
    bool table_targets(const CodeInstruction &in, const CodeState &state, std::vector<uint64_t> &targets) const;
    void judge_runs();

    CodeArea &area_;
    uint64_t start_ = 0, first_ = 0, last_ = 0;
    bool certain_ = false, complete_ = false, returns_ = false, may_return_ = false, aligned_ = false;
    std::vector<Node> nodes_;
    std::unordered_map<uint64_t, uint32_t> by_address_;
    std::vector<uint32_t> work_, later_;
    std::vector<Run> runs_;
    std::vector<std::pair<uint32_t, uint32_t>> joins_;  // a run, and one that it leads into with the same stack
    NamedAddresses names_;
    std::set<uint64_t> calls_, named_, without_return_;
};

}  // namespace tapir::unwind
