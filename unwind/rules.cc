// SPDX-License-Identifier: GPL-2.0-or-later
#include "unwind/rules.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>

#include "unwind/cfi_program.h"
#include "unwind/code_rows.h"
#include "unwind/context_code.h"
#include "unwind/fiber_code.h"
#include "unwind/go_code.h"
#include "unwind/go_functions.h"
#include "unwind/start_code.h"

namespace tapir::unwind {

namespace {

uint64_t mix(uint64_t hash, uint64_t value) {
    hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}

uint64_t hash_of(const RowState &state, bool signal_frame) {
    uint64_t hash = mix(state.set, static_cast<uint64_t>(signal_frame) << 16 | state.cfa.kind << 8 | state.cfa.base);
    hash = mix(hash, static_cast<uint64_t>(static_cast<uint32_t>(state.cfa.offset)) << 32 |
                         static_cast<uint32_t>(state.cfa.add));
    for (uint64_t left = state.set; left; left &= left - 1) {
        const RegisterRule &rule = state.registers[static_cast<size_t>(__builtin_ctzll(left))];
        hash = mix(hash, static_cast<uint64_t>(static_cast<uint32_t>(rule.offset)) << 16 |
                             static_cast<uint64_t>(rule.kind) << 8 | rule.base);
    }
    return hash;
}

}  // namespace

void RuleSet::grow() {
    std::vector<uint32_t> larger(slots_.size() * 2);
    for (uint32_t i = 0; i < keys_.size(); i++) {
        size_t at = hash_of(keys_[i].state, keys_[i].signal_frame) & (larger.size() - 1);
        while (larger[at])
            at = (at + 1) & (larger.size() - 1);
        larger[at] = i + 1;
    }
    slots_ = std::move(larger);
}

uint32_t RuleSet::add(const RowState &state, bool signal_frame) {
    size_t at = hash_of(state, signal_frame) & (slots_.size() - 1);
    for (; slots_[at]; at = (at + 1) & (slots_.size() - 1)) {
        const Key &key = keys_[slots_[at] - 1];
        if (key.signal_frame == signal_frame && key.state == state) return key.rule;
    }
    const tapir_unwind_rule rule = encode(state, signal_frame);
    uint32_t index = 0;
    if (rule.cfa == TAPIR_CFA_NONE) {
        index = add_nothing(static_cast<tapir_unwind_end>(rule.base));
    } else {
        index = static_cast<uint32_t>(rules_.size());
        rules_.push_back(rule);
    }
    keys_.push_back({state, signal_frame, index});
    slots_[at] = static_cast<uint32_t>(keys_.size());
    if (keys_.size() * 2 > slots_.size()) grow();
    return index;
}

uint32_t RuleSet::add_nothing(tapir_unwind_end why) {
    if (!nothing_[why]) {
        tapir_unwind_rule rule = {};
        rule.base = static_cast<u8>(why);
        rules_.push_back(rule);
        nothing_[why] = static_cast<uint32_t>(rules_.size());
    }
    return nothing_[why] - 1;
}

uint32_t RuleSet::variant(uint32_t of, uint8_t flags, uint8_t base) {
    const auto [at, fresh] = variants_.try_emplace({of, flags, base}, static_cast<uint32_t>(rules_.size()));
    if (!fresh) return at->second;
    tapir_unwind_rule rule = rules_[of];
    rule.flags = flags;
    rule.base = base;
    rules_.push_back(rule);
    return at->second;
}

uint32_t RuleSet::with_flag(uint32_t rule, uint8_t flag) {
    const tapir_unwind_rule &of = rules_[rule];
    if (of.cfa == TAPIR_CFA_NONE) return rule;
    return variant(rule, of.flags | flag, of.base);
}

uint32_t RuleSet::with_base(uint32_t rule, uint8_t base) {
    const tapir_unwind_rule &of = rules_[rule];
    return of.cfa == TAPIR_CFA_REGISTER ? variant(rule, of.flags, base) : rule;
}

// Returns false if a table cannot express the rule and the walk needs the register.
bool RuleSet::encode_register(uint64_t reg, const RegisterRule &rule) {
    const bool needed = reg == return_register_ || reg == stack_register_;
    switch (rule.kind) {
        case RegisterRule::kCfa:
        case RegisterRule::kMemory:
        case RegisterRule::kValue:
        case RegisterRule::kRegister:
            saved_.push_back({static_cast<u8>(reg), static_cast<u8>(rule.kind), rule.base, 0, rule.offset});
            return true;
        case RegisterRule::kUndefined:
        case RegisterRule::kUnknown:
            // The caller's stack pointer is the CFA, so it needs no rule of its own; but an unknown one spoils the row.
            if (needed) return rule.kind == RegisterRule::kUndefined;
            saved_.push_back({static_cast<u8>(reg), TAPIR_SAVED_LOST, 0, 0, 0});
            return true;
        case RegisterRule::kSame:
            break;
    }
    return true;
}

// Sorts the saved registers, and returns whether a rule then is TAPIR_RULE_PLAIN.
bool RuleSet::sort_plain(const tapir_unwind_rule &rule) {
    const auto first = saved_.begin() + rule.saved;
    std::sort(first, saved_.end(),
              [](const tapir_unwind_saved &a, const tapir_unwind_saved &b) { return a.offset < b.offset; });
    return rule.nsaved && saved_.back().reg == return_register_ &&
           std::all_of(first, saved_.end(), [](const tapir_unwind_saved &one) {
               return one.how == TAPIR_SAVED_CFA && one.offset < 0 && one.offset >= -8 * TAPIR_FRAME_WORDS &&
                      one.offset % 8 == 0;
           });
}

tapir_unwind_rule RuleSet::encode(const RowState &state, bool signal_frame) {
    tapir_unwind_rule rule = {};
    rule.cfa = state.cfa.kind;
    rule.base = state.cfa.base;
    rule.offset = state.cfa.offset;
    rule.add = state.cfa.add;
    rule.flags = signal_frame ? TAPIR_RULE_SIGNAL : 0;
    rule.saved = static_cast<u32>(saved_.size());
    if (state.set >> return_register_ & 1 && state.registers[return_register_].kind == RegisterRule::kUndefined) {
        rule.flags |= TAPIR_RULE_OUTERMOST;
        // Nothing is asked of this frame, so it does not matter how it is found.
        rule.cfa = TAPIR_CFA_REGISTER;
        rule.base = static_cast<u8>(stack_register_);
        rule.offset = rule.add = 0;
        return rule;
    }
    // Only where calls leave the return address in a register may it be untouched.
    bool good = rule.cfa != TAPIR_CFA_NONE && ((state.set >> return_register_ & 1) || !call_pushes_);
    for (uint64_t left = state.set; good && left; left &= left - 1) {
        const auto reg = static_cast<size_t>(__builtin_ctzll(left));
        good = encode_register(reg, state.registers[reg]);
    }
    rule.nsaved = static_cast<u8>(saved_.size() - rule.saved);
    if (good && sort_plain(rule)) rule.flags |= TAPIR_RULE_PLAIN;
    if (good) return rule;
    saved_.resize(rule.saved);
    rule = {};
    rule.base = TAPIR_UNWIND_EXPRESSION;
    return rule;
}

namespace {

class RuleCollector final : public RowSink {
  public:
    RuleCollector(const ElfFile &file, RuleSet &rules, Rows &rows) : file_(file), rules_(rules), rows_(rows) {}

    void take(const Fde &fde) {
        // A linker writes 0 for code that it has thrown away.
        const Segment *segment = segment_of(fde.start);
        if (!segment || fde.end - segment->address > segment->bytes) {
            rows_.outside++;
            return;
        }
        delta_ = segment->place - segment->address;
        if (fde.end + delta_ > std::numeric_limits<uint32_t>::max()) {
            rows_.outside++;
            return;
        }
        if (covered_to_ > fde.end + delta_) return;
        if (covered_to_ && covered_to_ < fde.start + delta_) put(covered_to_, rules_.add_nothing(TAPIR_UNWIND_NO_ROW));
        signal_frame_ = fde.cie->signal_frame;
        note_context(fde);
        Program program(*fde.cie, file_.machine());
        if (!program.run(fde, *this)) {
            rows_.damaged++;
            rows_.inexpressible++;
            put(std::max(fde.start + delta_, last_), rules_.add_nothing(TAPIR_UNWIND_EXPRESSION));
        }
        covered_to_ = fde.end + delta_;
    }
    void finish() {
        if (covered_to_) put(covered_to_, rules_.add_nothing(TAPIR_UNWIND_NO_ROW));
    }
    // The dynamic linker's entry, and that of programs for some C libraries, have no unwind information. They have no
    // caller.
    void take_entry() {
        const Segment *segment = segment_of(file_.entry());
        if (!segment || !file_.entry()) return;
        const uint64_t place = file_.entry() - segment->address + segment->place;
        const auto next = std::upper_bound(rows_.places.begin(), rows_.places.end(), place);
        const std::ptrdiff_t at = next - rows_.places.begin();  // the row before it is in force
        const uint32_t before = at ? rows_.rules[static_cast<size_t>(at - 1)] : rules_.add_nothing(TAPIR_UNWIND_NO_ROW);
        if (place > std::numeric_limits<uint32_t>::max() || before != rules_.add_nothing(TAPIR_UNWIND_NO_ROW)) return;
        const uint32_t rule = outermost();
        if (at && *std::prev(next) == place) {
            rows_.rules[static_cast<size_t>(at - 1)] = rule;
            return;
        }
        rows_.rules.insert(rows_.rules.begin() + at, rule);
        rows_.places.insert(next, static_cast<uint32_t>(place));
    }
    // Adds rows where no other rule applies.
    void take_start(const StartCode &code) {
        const Segment *segment = segment_of(code.start);
        if (!segment || code.end - segment->address > segment->bytes || code.end <= code.start) return;
        const uint64_t from = code.start - segment->address + segment->place, to = from + (code.end - code.start);
        RowState state;
        state.cfa = {TAPIR_CFA_REGISTER, tapir_unwind_stack_register(file_.machine()),
                     static_cast<int32_t>(8 * code.words), 0};
        state.assign(rules_.return_register(), {RegisterRule::kCfa, 0, -8});
        if (code.saves_frame) state.assign(tapir_unwind_frame_register(file_.machine()), {RegisterRule::kCfa, 0, -16});
        put_where_nothing_is(from, to, rules_.add(state, false));
    }
    // Code that starts fibers is outermost. It and the return of signal handlers are searched for where no other rule
    // applies.
    void take_fibers() {
        // On other machines it has other instructions.
        if (!tapir_unwind_call_pushes(file_.machine())) return;
        std::vector<std::pair<uint64_t, uint64_t>> found;
        for (const Segment &segment : file_.segments()) {
            if (!segment.executable) continue;
            each_gap(segment.place, segment.place + segment.bytes, [&](uint64_t from, uint64_t to) {
                if (to - from < kCallSignalReturn.size()) return;
                const uint64_t address = from - segment.place + segment.address;
                const std::string_view code = file_.content_at(address, to - from);
                for (const size_t at : signal_returns(code))
                    contexts_.push_back({address + at, address + at + kCallSignalReturn.size(), true});
                if (to - from < kFiberCodeLeast) return;
                for (const FiberCode &fiber : fiber_code(code))
                    found.emplace_back(from + fiber.start, from + fiber.end);
            });
        }
        for (const auto &[from, to] : found)
            put_where_nothing_is(from, to, outermost());
    }
    // No function has called this code, even if an entry says so. A return address is looked up one byte earlier.
    void take_contexts() {
        for (const Context &context : contexts_) {
            const Segment *segment = segment_of(context.start);
            if (!segment || context.end - segment->address > segment->bytes) continue;
            const uint64_t from = context.start - segment->address + segment->place;
            const bool alone = context.start > segment->address && !follows_call(context.start);
            put_over(from - (alone ? 1 : 0), from + (context.end - context.start),
                     context.signal ? add_signal_return(rules_) : outermost());
        }
    }
    void row(uint64_t address, const RowState &state) override {
        const uint32_t rule = rules_.add(state, signal_frame_);
        if (rules_.rules()[rule].cfa == TAPIR_CFA_NONE) rows_.inexpressible++;
        put(address + delta_, rule);
    }

  private:
    struct Context {
        uint64_t start, end;
        bool signal;  // else of makecontext()
    };
    void note_context(const Fde &fde) {
        if (!tapir_unwind_call_pushes(file_.machine()) || signal_frame_ || !is_context_size(fde.end - fde.start))
            return;
        const std::string_view code = file_.content_at(fde.start, fde.end - fde.start);
        const bool signal = is_signal_return(code);
        if (signal || is_context_start(code)) contexts_.push_back({fde.start, fde.end, signal});
    }
    // The code before may end with a call that does not return.
    bool follows_call(uint64_t address) {
        uint64_t before = 0;
        const std::string_view code = file_.content_at(address - sizeof before, sizeof before);
        if (code.size() == sizeof before) memcpy(&before, code.data(), sizeof before);
        return tapir_unwind_after_call(static_cast<u16>(file_.machine()), before);
    }
    const Segment *segment_of(uint64_t address) {
        if (segment_ && address >= segment_->address && address - segment_->address < segment_->bytes) return segment_;
        segment_ = nullptr;
        for (const Segment &segment : file_.segments())
            if (segment.executable && address >= segment.address && address - segment.address < segment.bytes)
                segment_ = &segment;
        return segment_;
    }
    uint32_t outermost() {
        RowState state;
        RegisterRule undefined;
        undefined.kind = RegisterRule::kUndefined;
        state.assign(rules_.return_register(), undefined);
        return rules_.add(state, false);
    }
    // A rule from one place to another, if no row has said anything of these.
    void put_where_nothing_is(uint64_t from, uint64_t to, uint32_t rule) {
        if (to > std::numeric_limits<uint32_t>::max()) return;
        const uint32_t nothing = rules_.add_nothing(TAPIR_UNWIND_NO_ROW);
        auto next = std::upper_bound(rows_.places.begin(), rows_.places.end(), from);
        std::ptrdiff_t at = next - rows_.places.begin();
        if ((at && rows_.rules[static_cast<size_t>(at - 1)] != nothing) || (next != rows_.places.end() && *next < to))
            return;
        const bool begins = at && *std::prev(next) == from, ends = next != rows_.places.end() && *next == to;
        if (begins) {
            rows_.rules[static_cast<size_t>(--at)] = rule;
        } else {
            rows_.places.insert(rows_.places.begin() + at, static_cast<uint32_t>(from));
            rows_.rules.insert(rows_.rules.begin() + at, rule);
        }
        if (ends) return;
        rows_.places.insert(rows_.places.begin() + at + 1, static_cast<uint32_t>(to));
        rows_.rules.insert(rows_.rules.begin() + at + 1, nothing);
    }
    // Sets one rule for a range, in place of earlier ones.
    void put_over(uint64_t from, uint64_t to, uint32_t rule) {
        if (to > std::numeric_limits<uint32_t>::max()) return;
        const auto first = std::lower_bound(rows_.places.begin(), rows_.places.end(), from);
        const auto last = std::upper_bound(first, rows_.places.end(), to);
        const std::ptrdiff_t at = first - rows_.places.begin(), end = last - rows_.places.begin();
        const uint32_t after =
            end ? rows_.rules[static_cast<size_t>(end - 1)] : rules_.add_nothing(TAPIR_UNWIND_NO_ROW);
        rows_.places.erase(first, last);
        rows_.rules.erase(rows_.rules.begin() + at, rows_.rules.begin() + end);
        rows_.places.insert(rows_.places.begin() + at, {static_cast<uint32_t>(from), static_cast<uint32_t>(to)});
        rows_.rules.insert(rows_.rules.begin() + at, {rule, after});
    }
    // Calls `take` with each part of a range of places that has no rule.
    template <typename Take>
    void each_gap(uint64_t from, uint64_t to, const Take &take) {
        const uint32_t nothing = rules_.add_nothing(TAPIR_UNWIND_NO_ROW);
        auto next = std::upper_bound(rows_.places.begin(), rows_.places.end(), from);
        while (from < to) {
            const uint64_t end = next == rows_.places.end() ? to : std::min<uint64_t>(*next, to);
            const auto row = next - rows_.places.begin();
            if (!row || rows_.rules[static_cast<size_t>(row - 1)] == nothing) take(from, end);
            from = end;
            if (next != rows_.places.end()) ++next;
        }
    }
    void put(uint64_t place, uint32_t rule) {
        // Where entries overlap, the first has said it.
        if (place < covered_to_) place = covered_to_;
        last_ = place;
        if (!rows_.places.empty() && rows_.places.back() == place) {
            rows_.rules.back() = rule;
        } else if (rows_.rules.empty() || rows_.rules.back() != rule) {
            rows_.places.push_back(static_cast<uint32_t>(place));
            rows_.rules.push_back(rule);
        }
    }

    const ElfFile &file_;
    RuleSet &rules_;
    Rows &rows_;
    const Segment *segment_ = nullptr;
    uint64_t delta_ = 0;
    uint64_t covered_to_ = 0;  // place behind the last entry
    uint64_t last_ = 0;        // place of the last row
    bool signal_frame_ = false;
    std::vector<Context> contexts_;
};

bool starts_before(const Fde &a, const Fde &b) {
    return a.start < b.start;
}

// Leaves out of `more` what overlaps an entry of `entries`, both sorted.
void merge(std::vector<Fde> &entries, std::vector<Fde> more) {
    const size_t count = entries.size();
    for (const Fde &fde : more) {
        const auto end = entries.begin() + static_cast<std::ptrdiff_t>(count);
        const auto next = std::upper_bound(entries.begin(), end, fde, starts_before);
        if (next != entries.begin() && std::prev(next)->end > fde.start) continue;
        if (next != end && next->start < fde.end) continue;
        entries.push_back(fde);
    }
    std::stable_sort(entries.begin(), entries.end(), starts_before);
}

}  // namespace

Rows collect_rows(const ElfFile &file, RuleSet &rules) {
    Rows rows;
    uint64_t address = 0;
    std::string_view eh_frame;
    if (const Section *section = file.section(".eh_frame")) {
        eh_frame = file.content(*section);
        address = section->address;
    } else if (file.sections().empty()) {
        eh_frame = file.eh_frame_by_segment(address);
    }
    CfiSection eh(eh_frame, address, true, file.machine());
    std::vector<Fde> entries = eh.read();
    std::stable_sort(entries.begin(), entries.end(), starts_before);
    const Section *section = file.section(".debug_frame");
    CfiSection debug(section ? file.content(*section) : std::string_view(), 0, false, file.machine());
    std::vector<Fde> more = debug.read();
    // Where the linker's tables were stripped off.
    std::optional<GoFunctions> go;
    if (!section || !file.section(".symtab")) go.emplace(file);
    if (!section) more = go->frames();
    std::stable_sort(more.begin(), more.end(), starts_before);
    merge(entries, std::move(more));
    rows.damaged = eh.damaged() + debug.damaged();
    RuleCollector collector(file, rules, rows);
    for (const Fde &fde : entries)
        collector.take(fde);
    collector.finish();
    for (const StartCode &code : start_code(file))
        collector.take_start(code);
    collector.take_fibers();
    collector.take_contexts();
    correct_go_rows(file, go ? go->all() : std::vector<GoFunction>(), rules, rows);
    add_rows_of_code(file, rules, rows);
    collector.take_entry();
    return rows;
}

}  // namespace tapir::unwind
