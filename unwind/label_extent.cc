// SPDX-License-Identifier: GPL-2.0-or-later
#include "unwind/label_extent.h"

#include <tapir/unwind.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "unwind/code_functions.h"
#include "unwind/code_instruction.h"

namespace tapir::unwind {

namespace {

using Flow = CodeInstruction::Flow;
using Map = CodeInstruction::Map;

constexpr uint32_t kMostOfLabel = 1 << 20;  // bytes
constexpr size_t kLongestInstruction = 15;

class Reach {
  public:
    Reach(std::string_view code, uint64_t address) : code_(code), address_(address), lengths_(code.size()) {}

    // False: not all that is reached is known.
    bool follow() {
        add(address_);
        while (!work_.empty()) {
            size_t at = work_.back();
            work_.pop_back();
            while (at < code_.size() && !lengths_[at]) {
                CodeInstruction in;
                if (!decode_instruction(code_.substr(at), address_ + at, in)) return false;
                lengths_[at] = in.length;
                note(in);
                at += in.length;
                if (!goes_on(in, at)) break;
            }
        }
        return !(jumps_ && names_);
    }

    // Up to the first gap that is more than what fills space.
    size_t end() const {
        size_t end = 0;
        for (size_t at = 0; at < code_.size() && lengths_[at];) {
            at += lengths_[at];
            end = at;
            if (at < code_.size() && !lengths_[at]) at += filling(code_.substr(at));
        }
        return std::min(end, code_.size());
    }

  private:
    void add(uint64_t to) {
        if (to >= address_ && to - address_ < code_.size()) work_.push_back(to - address_);
    }

    // A jump through a table needs the address of the table.
    void note(const CodeInstruction &in) {
        names_ |= in.is(Map::One, 0x8d) && in.after;
        names_ |= in.memory && !in.in_segment && in.base == kNoCodeRegister && in.index != kNoCodeRegister;
        jumps_ |= in.flow == Flow::IndirectJump && !in.after;
    }

    bool goes_on(const CodeInstruction &in, size_t next) {
        switch (in.flow) {
            case Flow::Next:
                return true;
            case Flow::Branch:
                add(in.target);
                return true;
            case Flow::Call:
            case Flow::IndirectCall:
                // Filling after a call shows that the call does not return.
                return !filling(code_.substr(std::min(next, code_.size()), kLongestInstruction));
            case Flow::Jump:
                add(in.target);
                return false;
            case Flow::IndirectJump:
            case Flow::Return:
            case Flow::Stop:
                return false;
        }
        return false;
    }

    std::string_view code_;
    uint64_t address_;
    std::vector<uint8_t> lengths_;  // of the instructions that are reached
    std::vector<size_t> work_;
    bool jumps_ = false, names_ = false;
};

}  // namespace

uint32_t label_extent(const ElfFile &file, uint32_t place, uint32_t most) {
    if (!tapir_unwind_call_pushes(file.machine())) return most;
    for (const Segment &segment : file.segments()) {
        if (!segment.executable || place < segment.place || place - segment.place >= segment.bytes) continue;
        const uint64_t address = place - segment.place + segment.address;
        const std::string_view code = file.content_at(address, std::min(most, kMostOfLabel));
        Reach reach(code, address);
        return !code.empty() && reach.follow() ? static_cast<uint32_t>(reach.end()) : most;
    }
    return most;
}

}  // namespace tapir::unwind
