// SPDX-License-Identifier: GPL-2.0-or-later
#include "unwind/code_flow.h"

#include <algorithm>

#include "unwind/bytes.h"

namespace tapir::unwind {

namespace {

using Flow = CodeInstruction::Flow;
using Map = CodeInstruction::Map;

constexpr size_t kMostNodes = 1 << 17;  // of one function
constexpr size_t kFewNodes = 1 << 9;    // whose memory is kept
constexpr unsigned kMostAttempts = 48;
constexpr uint32_t kArguments = 1u << kDi | 1u << kSi | 1u << kDx | 1u << kCx | 1u << kR8 | 1u << kR9;
constexpr int32_t kStackAlignment = 16;  // of the CFA, and of the stack pointer where a function calls
constexpr int32_t kCalled = -8;          // the stack pointer where a function begins and returns

bool is_filler(const CodeInstruction &in) {
    return (in.is(Map::One, 0x90) && !in.rex_low) || in.is(Map::Two, 0x1f);
}

// "Above" leads past a switch's table, "not above" to it.
bool is_above(const CodeInstruction &in) {
    return in.is(Map::One, 0x77) || in.is(Map::Two, 0x87);
}
bool is_not_above(const CodeInstruction &in) {
    return in.is(Map::One, 0x76) || in.is(Map::Two, 0x86);
}
bool is_equal(const CodeInstruction &in) {
    return in.is(Map::One, 0x74) || in.is(Map::Two, 0x84);
}
bool is_not_equal(const CodeInstruction &in) {
    return in.is(Map::One, 0x75) || in.is(Map::Two, 0x85);
}

}  // namespace

const CodeSpan *CodeArea::span_of(uint64_t address) const {
    auto next = std::upper_bound(spans.begin(), spans.end(), address,
                                 [](uint64_t at, const CodeSpan &span) { return at < span.start; });
    if (next == spans.begin() || (--next)->end <= address) return nullptr;
    return &*next;
}

const CodeStart *CodeArea::start_at(uint64_t address) const {
    const auto found = starts.find(address);
    return found == starts.end() ? nullptr : &found->second;
}

bool CodeFlow::run(uint64_t start, const CodeStart &known) {
    without_return_.clear();
    for (unsigned attempt = 0; attempt < kMostAttempts; attempt++) {
        const Verdict verdict = follow(start, known);
        if (verdict == Verdict::Again) continue;
        if (verdict == Verdict::Wrong) return false;
        judge_runs();
        // Without certainty, only its behaviour shows that it is a function.
        return certain_ || returns_ || aligned_;
    }
    return false;
}

CodeFlow::Verdict CodeFlow::follow(uint64_t start, const CodeStart &known) {
    nodes_.clear();
    if (by_address_.bucket_count() > kFewNodes)
        by_address_ = {};
    else
        by_address_.clear();
    work_.clear();
    later_.clear();
    runs_.assign(1, {});
    joins_.clear();
    names_.clear();
    calls_.clear();
    named_.clear();
    start_ = first_ = last_ = start;
    certain_ = known.certain;
    returns_ = may_return_ = aligned_ = false;
    CodeState state = CodeState::at_entry();
    state.outermost = known.outermost;
    Verdict verdict = reach(start, state, 0, true, false);
    // Return sites wait until no other work is left: evidence from other paths is more certain.
    for (size_t next = 0; verdict == Verdict::Fine;) {
        if (!work_.empty()) {
            const uint32_t index = work_.back();
            work_.pop_back();
            verdict = visit(index);
        } else if (next < later_.size()) {
            verdict = after_call(later_[next++]);
        } else {
            break;
        }
    }
    return verdict;
}

bool CodeFlow::decode(uint64_t address, CodeInstruction &in) const {
    const CodeSpan *span = area_.span_of(address);
    return span && decode_instruction(span->code.substr(address - span->start), address, in);
}

// The code after the run's call contradicts other evidence. Assumes that this call, or an earlier uncertain one, does
// not return.
CodeFlow::Verdict CodeFlow::doubt(uint32_t run) {
    uint32_t suspect = run;
    while (suspect && runs_[suspect].known)
        suspect = runs_[suspect].before;
    if (!suspect) suspect = run;
    if (!suspect) return Verdict::Wrong;
    without_return_.insert(runs_[suspect].call);
    return Verdict::Again;
}

CodeFlow::Verdict CodeFlow::reach(uint64_t to, const CodeState &state, uint32_t run, bool jump, bool after_call) {
    if (to != start_) {
        const CodeStart *other = area_.start_at(to);
        if (is_start(to) || !area_.span_of(to)) {
            if (other && jump) calls_.insert(to);
            may_return_ |= jump && (!other || other->may_return);
            return leave(state, run, jump || !after_call, !other || other->returns);
        }
    }
    const auto [at, fresh] = by_address_.try_emplace(to, static_cast<uint32_t>(nodes_.size()));
    if (!fresh) return meet(nodes_[at->second], at->second, state, run, after_call);
    if (nodes_.size() >= kMostNodes) return Verdict::Wrong;
    Node node;
    node.address = to;
    node.state = state;
    node.run = run;
    node.after_call = after_call;
    node.waiting = true;
    nodes_.push_back(node);
    work_.push_back(at->second);
    first_ = std::min(first_, to);
    last_ = std::max(last_, to);
    return Verdict::Fine;
}

bool CodeFlow::is_start(uint64_t address) const {
    const CodeStart *known = area_.start_at(address);
    return known && known->certain;
}

// Control leaves to another function: by a jump in place of a call, or because the callee does not return.
CodeFlow::Verdict CodeFlow::leave(const CodeState &state, uint32_t run, bool jump, bool returns) {
    if (!jump) return Verdict::Fine;
    if (state.outermost || !is_offset(state.stack())) {
        may_return_ = true;
        return Verdict::Fine;
    }
    if (state.stack() != kCalled) return doubt(run);
    if (!state.restored()) {
        const Verdict verdict = doubt(run);
        if (verdict == Verdict::Again || !certain_) return verdict;
    }
    runs_[run].good = true;
    runs_[run].returns |= returns;
    return Verdict::Fine;
}

CodeFlow::Verdict CodeFlow::meet(Node &node, uint32_t index, const CodeState &state, uint32_t run, bool after_call) {
    const bool known = is_offset(state.stack()) && is_offset(node.state.stack());
    if (known && !node.state.agrees(state) && run != node.run) {
        if (after_call && !runs_[run].known) {
            without_return_.insert(runs_[run].call);
            return Verdict::Fine;
        }
        if (node.after_call && !runs_[node.run].known) return doubt(node.run);
    } else if (known && run != node.run) {
        joins_.emplace_back(run, node.run);
    }
    if (node.state.meet(state) && !node.waiting) {
        node.waiting = true;
        work_.push_back(index);
    }
    return Verdict::Fine;
}

CodeFlow::Verdict CodeFlow::visit(uint32_t index) {
    if (!area_.steps) return Verdict::Wrong;
    area_.steps--;
    nodes_[index].waiting = false;
    const Node node = nodes_[index];
    CodeInstruction in;
    if (!decode(node.address, in)) return doubt(node.run);
    nodes_[index].length = in.length;
    const uint64_t end = node.address + in.length;
    CodeState after = node.state;
    step(in, end, names_, after);
    if (in.is(Map::One, 0x8d) && in.after) {
        const uint64_t named = end + static_cast<uint64_t>(int64_t{in.displacement});
        if (area_.span_of(named)) named_.insert(named);
    }
    switch (in.flow) {
        case Flow::Next:
            return reach(end, after, node.run, false, node.after_call && is_filler(in));
        case Flow::Stop:
            return Verdict::Fine;
        case Flow::Call:
        case Flow::IndirectCall:
            if (in.flow == Flow::Call && in.target == end && !is_start(end))
                return reach(end, after, node.run, false, false);
            // Functions that compilers make keep the stack aligned. Code that does so from here on, as if it had been
            // called, is a function even if it never returns.
            if (!certain_ && is_offset(node.state.stack()) && node.state.stack() % kStackAlignment)
                return doubt(node.run);
            aligned_ |= !node.run && is_offset(node.state.stack());
            if (in.flow == Flow::Call && area_.span_of(in.target)) calls_.insert(in.target);
            if (node.next_run) return reach(end, after, node.next_run, false, true);
            if (!node.listed) later_.push_back(index);
            nodes_[index].listed = true;
            return Verdict::Fine;
        case Flow::Return:
            may_return_ = true;
            return leave(node.state, node.run, true, true);
        case Flow::Jump:
            return reach(in.target, after, node.run, true, false);
        case Flow::IndirectJump:
            return indirect_jump(in, node);
        case Flow::Branch:
            return branch(in, node, after);
    }
    return Verdict::Fine;
}

CodeFlow::Verdict CodeFlow::after_call(uint32_t index) {
    const Node &node = nodes_[index];
    CodeInstruction in;
    if (!decode(node.address, in)) return Verdict::Wrong;
    CodeState after = node.state;
    step(in, node.address + in.length, names_, after);
    return call(in, index, after);
}

CodeFlow::Verdict CodeFlow::call(const CodeInstruction &in, uint32_t index, const CodeState &after) {
    Node &node = nodes_[index];
    if (without_return_.contains(node.address)) return Verdict::Fine;
    Run run;
    run.call = node.address;
    run.before = node.run;
    run.known = in.flow == Flow::IndirectCall;
    if (in.flow == Flow::Call) {
        const CodeStart *called = area_.start_at(in.target);
        if (called && !called->may_return) return Verdict::Fine;
        run.known |= called && called->returns;
    }
    // Padding after a call shows that the function ends here, so this does not prove a return.
    CodeInstruction next;
    run.known &= !decode(node.address + in.length, next) || !is_filler(next);
    node.next_run = static_cast<uint32_t>(runs_.size());
    runs_.push_back(run);
    return reach(node.address + in.length, after, node.next_run, false, true);
}

CodeFlow::Verdict CodeFlow::branch(const CodeInstruction &in, const Node &node, CodeState after) {
    CodeState there = after, next = after;
    next.compared = there.compared = kUnknown;
    // A loop that makes a large frame ends when the stack pointer equals the value computed before.
    if (after.compared != kUnknown && is_equal(in)) there.values[kSp] = after.compared;
    if (after.compared != kUnknown && is_not_equal(in)) next.values[kSp] = after.compared;
    if (after.limit < 0) {
        next.limit = is_above(in) ? -after.limit : 0;
        there.limit = is_not_above(in) ? -after.limit : 0;
    }
    const Verdict verdict = reach(in.target, there, node.run, true, false);
    return verdict == Verdict::Fine ? reach(node.address + in.length, next, node.run, false, false) : verdict;
}

// Finds the targets of a switch's jump. Returns false if it is another kind of jump, or if not all of its table is
// known.
bool CodeFlow::table_targets(const CodeInstruction &in, const CodeState &state, std::vector<uint64_t> &targets) const {
    uint64_t table = 0;
    bool pointers = true;
    if (in.memory) {
        if (in.in_segment || in.base != kNoCodeRegister || in.index == kNoCodeRegister || in.scale != 8) return false;
        table = static_cast<uint64_t>(int64_t{in.displacement});
    } else {
        const int32_t value = state.values[in.rm];
        if (class_of(value) != kTableTarget && class_of(value) != kPointerEntry) return false;
        pointers = class_of(value) == kPointerEntry;
        table = names_.address_of(value);
    }
    if (state.limit <= 0) return false;
    Bytes words(area_.file->content_at(table, static_cast<uint64_t>(state.limit) * 8));
    for (int32_t i = 0; i < state.limit; i++) {
        const uint64_t to = pointers ? words.u64() : table + static_cast<uint64_t>(int64_t{words.fixed<int32_t>()});
        if (words.failed() || !area_.span_of(to)) return false;
        targets.push_back(to);
    }
    return true;
}

CodeFlow::Verdict CodeFlow::indirect_jump(const CodeInstruction &in, const Node &node) {
    std::vector<uint64_t> targets;
    if (table_targets(in, node.state, targets)) {
        std::sort(targets.begin(), targets.end());
        targets.erase(std::unique(targets.begin(), targets.end()), targets.end());
        CodeState state = node.state;
        state.limit = 0;
        for (const uint64_t to : targets)
            if (const Verdict verdict = reach(to, state, node.run, true, false); verdict != Verdict::Fine)
                return verdict;
        return Verdict::Fine;
    }
    // To the return address that was taken from the stack, or to another function; else it is not known where.
    const CodeState &state = node.state;
    const bool back = in.of_registers() && state.values[in.rm] == kReturn;
    // Only functions jump to an address that they got as an argument.
    const bool given = in.of_registers() && (kArguments >> in.rm & 1) && state.values[in.rm] == kOwn;
    const bool whole = state.stack() == kCalled && state.restored();
    if (!certain_ && in.of_registers() && !back && !(given && whole)) return doubt(node.run);
    // Code without a caller ends where it transfers control, as the dynamic loader does to the program.
    if (back || whole || state.outermost) runs_[node.run].good = true;
    runs_[node.run].returns |= back || (given && whole);
    may_return_ = true;
    return Verdict::Fine;
}

// The code after a call is right if the call is known to return. It is also right if it leads to proven code: to the
// end of the function, or to code that precedes all calls.
void CodeFlow::judge_runs() {
    for (uint32_t i = 1; i < runs_.size(); i++)
        joins_.emplace_back(runs_[i].before, i);
    std::sort(joins_.begin(), joins_.end(), [](const auto &a, const auto &b) { return a.second < b.second; });
    runs_[0].good = true;
    std::vector<uint32_t> work;
    for (uint32_t i = 0; i < runs_.size(); i++)
        if (runs_[i].good) work.push_back(i);
    while (!work.empty()) {
        const uint32_t to = work.back();
        work.pop_back();
        const auto first = std::lower_bound(joins_.begin(), joins_.end(), to,
                                            [](const auto &join, uint32_t run) { return join.second < run; });
        for (auto join = first; join != joins_.end() && join->second == to; ++join) {
            if (runs_[join->first].good) continue;
            runs_[join->first].good = true;
            work.push_back(join->first);
        }
    }
    complete_ = true;
    for (Run &run : runs_) {
        run.fits = &run == runs_.data() || ((run.known || run.good) && runs_[run.before].fits);
        returns_ |= run.returns && run.fits;
        complete_ &= run.fits;
    }
}

void CodeFlow::tell(const CodeSink &sink) const {
    for (const Node &node : nodes_)
        if (node.length && runs_[node.run].fits) sink(node.address, node.length, node.state);
}

}  // namespace tapir::unwind
