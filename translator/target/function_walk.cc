// SPDX-License-Identifier: GPL-2.0-or-later
#include "target/function_walk.h"

#include <algorithm>
#include <utility>

#include "names/symbol_name.h"
#include "target/jump_tables.h"
#include "unwind/landing_pads.h"

namespace tapir::target {

using Flow = decode::Instruction::Flow;

namespace {

constexpr uint64_t kMostBytes = uint64_t{1} << 22;  // of a function
constexpr size_t kMostParts = 256;
constexpr unsigned kMostRounds = 100;  // readings of tables, each of which reveals more code
constexpr size_t kLongestInstruction = 16;

bool all_zero(std::span<const unsigned char> bytes) {
    return std::all_of(bytes.begin(), bytes.end(), [](unsigned char byte) { return byte == 0; });
}

}  // namespace

bool FunctionWalk::fail(std::string why) {
    if (why_.empty()) why_ = std::move(why);
    return false;
}

bool FunctionWalk::fail_leaving(const Instruction &in, uint64_t target) {
    return fail("it ends by a jump to " + image_.name_of(target) + " at " + hex_text(in.address) +
                ", so that its result comes from elsewhere");
}

bool FunctionWalk::add(CodeSpan span) {
    const auto *section = image_.section_at(span.begin);
    if (!section || !section->executable || span.end > section->span.end || span.end <= span.begin)
        return fail("its code is not in the file");
    size_ += span.size();
    if (size_ > kMostBytes || parts_.size() >= kMostParts) return fail("it is too large to be followed");
    const auto bytes = section->bytes.subspan(span.begin - section->span.begin, span.size());
    Part part{.span = span, .code = {}, .reached = {}};
    part.code.reserve(span.size() / 4);
    for (uint64_t at = 0; at < bytes.size();) {
        Instruction &in = part.code.emplace_back();
        const auto rest = bytes.subspan(at);
        if (image_.decoder()->decode(rest.first(std::min(rest.size(), kLongestInstruction)), span.begin + at, in)) {
            at += in.length;
            continue;
        }
        part.code.pop_back();
        if (all_zero(rest)) break;
        return fail("its code at " + hex_text(span.begin + at) + " is not understood");
    }
    part.reached.assign(part.code.size(), false);
    parts_.push_back(std::move(part));
    return true;
}

bool FunctionWalk::contains(uint64_t address) const {
    return std::any_of(parts_.begin(), parts_.end(), [&](const Part &part) { return part.span.contains(address); });
}

std::optional<FunctionWalk::Place> FunctionWalk::place_of(uint64_t address) {
    for (Part &part : parts_) {
        if (!part.span.contains(address)) continue;
        const auto at = std::lower_bound(part.code.begin(), part.code.end(), address,
                                         [](const Instruction &in, uint64_t a) { return in.address < a; });
        if (at == part.code.end() || at->address != address) return std::nullopt;
        return Place{&part, static_cast<size_t>(at - part.code.begin())};
    }
    return std::nullopt;
}

const decode::Instruction *FunctionWalk::find(uint64_t address) const {
    const auto place = const_cast<FunctionWalk *>(this)->place_of(address);
    return place ? &place->in() : nullptr;
}

// Finds the instruction that contains an address behind its first prefixes: assemblers write these as instructions, and
// some programs jump over a lock prefix where there is only one thread.
std::optional<FunctionWalk::Place> FunctionWalk::place_behind_prefix(uint64_t address) {
    constexpr uint64_t kMostPrefixes = 4;
    for (uint64_t back = 0; back <= std::min(kMostPrefixes, address); ++back)
        if (const auto place = place_of(address - back)) return back <= place->in().prefixes ? place : std::nullopt;
    return std::nullopt;
}

bool FunctionWalk::has_border_or_prefix(uint64_t address) const {
    return const_cast<FunctionWalk *>(this)->place_behind_prefix(address).has_value();
}

// Is it the name of a part of this function that was put elsewhere?
bool FunctionWalk::is_own_name(std::string_view name) const {
    if (!is_cold_part(name) && name.find(".__part.") == std::string_view::npos) return false;
    const auto names = image_.symbols_at(entry_);
    return std::any_of(names.begin(), names.end(), [&](const dwarf::FunctionSymbol &own) {
        return name.size() > own.name.size() && name.starts_with(own.name) && name[own.name.size()] == '.';
    });
}

// Adds the function's part elsewhere that contains `target`, the target of a jump. False if `target` is not in such a
// part.
bool FunctionWalk::add_part(uint64_t target, bool may_guess) {
    const auto *section = image_.section_at(target);
    if (!section || !section->executable || section->linkage) return false;
    const unwind::Fde *entry = image_.frame_entry(target);
    const dwarf::FunctionSymbol *symbol = image_.symbol_of(target);
    if (symbol && is_own_name(symbol->name)) {
        if (symbol->size) return add({symbol->address, symbol->address + symbol->size});
        return entry && entry->start == symbol->address && add({entry->start, entry->end});
    }
    if (symbol || !may_guess || compiled_ || !entry || image_.has_local_symbols()) return false;
    const bool overlaps = std::any_of(parts_.begin(), parts_.end(), [&](const Part &part) {
        return part.span.begin < entry->end && entry->start < part.span.end;
    });
    const auto in_entry = image_.symbol_in({entry->start, entry->end});
    if (overlaps || in_entry) return false;
    // A function is called with nothing of its own on the stack.
    const bool sure = image_.as_at_entry(target) == false;
    if (!add({entry->start, entry->end})) return false;
    parts_.back().guessed = !sure;
    return true;
}

bool FunctionWalk::reach(uint64_t address) {
    const auto place = place_behind_prefix(address);
    if (!place) return fail("stap cannot tell its code at " + hex_text(address) + " from data");
    if (place->in().flow == Flow::Return && place->in().address != address)
        return fail("it jumps behind the prefix of its return at " + hex_text(place->in().address));
    if (place->part->reached[place->position]) return true;
    place->part->reached[place->position] = true;
    open_.push_back(*place);
    return true;
}

bool FunctionWalk::go_to(const Instruction &in, uint64_t target) {
    comes_back_ |= target == entry_;
    if (!contains(target) && !add_part(target, true)) return fail_leaving(in, target);
    return reach(target);
}

// Is there nothing behind a call but filling? Then it does not return.
bool FunctionWalk::is_left_alone(const Part &part, size_t position) const {
    return std::all_of(part.code.begin() + static_cast<ptrdiff_t>(position) + 1, part.code.end(),
                       [](const Instruction &in) { return in.filler; });
}

bool FunctionWalk::go_on(const Place &place) {
    const Instruction &in = place.in();
    const uint64_t next = in.end();
    if (in.flow == Flow::Call && is_left_alone(*place.part, place.position)) return true;
    if (contains(next)) return reach(next);
    return fail("at " + hex_text(in.address) + " it goes on into " + image_.name_of(next));
}

bool FunctionWalk::step(const Place &place) {
    const Instruction &in = place.in();
    switch (in.flow) {
        case Flow::Next:
            return go_on(place);
        case Flow::Jump:
            return go_to(in, in.target);
        case Flow::Branch:
            return go_to(in, in.target) && go_on(place);
        case Flow::Call:
            if (in.has_target && in.target != entry_ && contains(in.target))
                return fail("at " + hex_text(in.address) + " it calls a part of itself");
            return go_on(place);
        case Flow::Return:
        case Flow::Stop:
            return true;
        case Flow::OddReturn:
            return fail("it ends by a return of another kind at " + hex_text(in.address));
        case Flow::IndirectJump:
            tables_.push_back(&in);
            return true;
    }
    return true;
}

bool FunctionWalk::run() {
    while (!open_.empty()) {
        const Place place = open_.back();
        open_.pop_back();
        if (!step(place)) return false;
    }
    return true;
}

bool FunctionWalk::take_tables() {
    if (tables_.empty()) return true;
    if (++rounds_ > kMostRounds) return fail("it is too large to be followed");
    std::vector<Instruction> code;
    for (const Part &part : parts_)
        code.insert(code.end(), part.code.begin(), part.code.end());
    std::sort(code.begin(), code.end(),
              [](const Instruction &a, const Instruction &b) { return a.address < b.address; });
    // The entry is what a table of functions may have.
    JumpTables tables(
        image_, code,
        [&](uint64_t target) {
            return target != entry_ && (contains(target) || add_part(target, false)) && has_border(target);
        },
        work_);
    for (const Instruction *jump : std::exchange(tables_, {})) {
        const auto at = std::lower_bound(code.begin(), code.end(), jump->address,
                                         [](const Instruction &in, uint64_t a) { return in.address < a; });
        const JumpTargets found = tables.targets(static_cast<size_t>(at - code.begin()), compiled_);
        if (!found.by_table && found.outside && !found.targets.empty())
            return fail("it jumps through a table at " + hex_text(jump->address) + ", which leads out of it");
        if (!found.by_table)
            return fail("it ends by a jump through a pointer at " + hex_text(jump->address) +
                        ", so that its result comes from elsewhere");
        for (const uint64_t target : found.targets)
            if (!reach(target)) return false;
    }
    return true;
}

// Adds the places where exceptions continue in the parts that are known by now.
bool FunctionWalk::take_landing_pads() {
    for (; pads_done_ < parts_.size(); ++pads_done_) {
        for (const unwind::Fde &entry : image_.frame_entries(parts_[pads_done_].span)) {
            if (!entry.handlers) continue;
            const auto bytes = image_.bytes_at(entry.handlers);
            const auto pads = unwind::landing_pads({reinterpret_cast<const char *>(bytes.data()), bytes.size()},
                                                   entry.handlers, entry.start);
            if (!pads) return fail("its table of exception handlers is not understood");
            for (const uint64_t pad : *pads) {
                if (!contains(pad) && !add_part(pad, true))
                    return fail("exceptions go on at " + hex_text(pad) + ", which is not a known part of it");
                if (!reach(pad)) return false;
            }
        }
    }
    return true;
}

// Handles code that no known path reaches.
bool FunctionWalk::take_rest() {
    for (size_t p = 0; p < parts_.size(); ++p) {
        Part &part = parts_[p];
        for (size_t i = 0; i < part.code.size(); ++i) {
            const Instruction &in = part.code[i];
            if (part.reached[i] || in.filler) continue;
            const auto bytes = image_.bytes_at(in.address).first(part.span.end - in.address);
            if (all_zero(bytes)) break;
            if (!compiled_) return fail("how its code at " + hex_text(in.address) + " is reached is not known");
            if (!reach(in.address)) return false;
            if (!run()) return false;
        }
    }
    return true;
}

// A jump from elsewhere to what only looks like a part of this function may be to another one, which then has returns
// of its own, and does not come back.
bool FunctionWalk::check_guessed() {
    for (const Part &part : parts_) {
        if (!part.guessed) continue;
        bool comes_back = false, ends = false;
        for (const Instruction &in : part.code) {
            ends |= in.flow == Flow::Return;
            const bool jumps = in.flow == Flow::Jump || in.flow == Flow::Branch;
            comes_back |= jumps && in.target != entry_ && parts_.front().span.contains(in.target);
        }
        if (ends && !comes_back)
            return fail("it may end by a jump to " + hex_text(part.span.begin) +
                        ", whose code has no name and may be a function");
    }
    return true;
}

// Checks that other code neither jumps nor calls into the function, except to its entry: it would use the function's
// returns.
bool FunctionWalk::check_crossings() {
    const CodeCrossings &all = image_.crossings();
    if (!all.whole) return fail("there is too much code in the file to know what else jumps into it");
    for (const Part &part : parts_) {
        auto jump = std::lower_bound(all.jumps.begin(), all.jumps.end(), std::pair(part.span.begin, uint64_t{0}));
        for (; jump != all.jumps.end() && jump->first < part.span.end; ++jump)
            if (jump->first != entry_ && !contains(jump->second))
                return fail("code at " + hex_text(jump->second) + " jumps into it");
        auto call = std::lower_bound(all.called.begin(), all.called.end(), part.span.begin);
        for (; call != all.called.end() && *call < part.span.end; ++call)
            if (*call != entry_) return fail("other code calls the part of it at " + hex_text(*call));
    }
    return true;
}

bool FunctionWalk::follow() {
    if (!contains(entry_) || !reach(entry_)) return fail("its code is not in the file");
    do {
        if (!run() || !take_tables()) return false;
        if (!compiled_ && open_.empty() && !take_landing_pads()) return false;
        if (open_.empty() && tables_.empty() && !take_rest()) return false;
    } while (!open_.empty() || !tables_.empty() || (!compiled_ && pads_done_ < parts_.size()));
    return check_guessed() && (compiled_ || check_crossings());
}

std::vector<std::pair<uint64_t, uint64_t>> FunctionWalk::parts() const {
    std::vector<std::pair<uint64_t, uint64_t>> spans;
    for (const Part &part : parts_)
        spans.emplace_back(part.span.begin, part.span.end);
    return spans;
}

bool FunctionWalk::may_jump_to(uint64_t address) const {
    return std::any_of(parts_.begin(), parts_.end(), [address](const Part &part) {
        return std::any_of(part.code.begin(), part.code.end(), [address](const Instruction &in) {
            return in.flow == Flow::IndirectJump || (in.has_target && in.target == address);
        });
    });
}

std::vector<uint64_t> FunctionWalk::returns() const {
    std::vector<uint64_t> all;
    for (const Part &part : parts_)
        for (size_t i = 0; i < part.code.size(); ++i)
            if (part.reached[i] && part.code[i].flow == Flow::Return) all.push_back(part.code[i].address);
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
}

}  // namespace tapir::target
