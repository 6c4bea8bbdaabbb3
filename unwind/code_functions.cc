// SPDX-License-Identifier: GPL-2.0-or-later
#include "unwind/code_functions.h"

#include <elf.h>
#include <tapir/unwind.h>

#include <algorithm>
#include <numeric>

#include "arch/arch.h"
#include "unwind/bytes.h"

namespace tapir::unwind {

namespace {

using Flow = CodeInstruction::Flow;
using Map = CodeInstruction::Map;

constexpr uint64_t kMostCode = 16 << 20;  // of code that is looked at
constexpr uint64_t kMostSteps = 8 << 20;  // instructions that are looked at, each time counted
constexpr uint64_t kMostSwept = 4 << 20;  // instructions of other functions that are searched for calls
constexpr uint64_t kWorthSweeping = 32;   // times the code without unwind information, at most, the other is
constexpr uint64_t kUsualAlignment = 16;  // of functions
constexpr size_t kMostStarts = 1 << 18;
constexpr size_t kMostCandidates = 1 << 18;
constexpr unsigned kMostRounds = 6;

uint64_t bytes_of(const std::vector<CodeSpan> &spans) {
    return std::accumulate(spans.begin(), spans.end(), uint64_t{0},
                           [](uint64_t sum, const CodeSpan &span) { return sum + (span.end - span.start); });
}

// The position of a byte in an instruction. `Both`: two instructions contradict each other.
enum class Reached : uint8_t { Not, First, Inside, Both };

class Functions {
  public:
    Functions(const ElfFile &file, std::vector<CodeSpan> spans, const CodeSink &sink) : sink_(sink), flow_(area_) {
        area_.file = &file;
        uint64_t bytes = 0;
        for (const CodeSpan &span : spans) {
            const std::string_view code = file.content_at(span.start, span.end - span.start);
            bytes += code.size();
            if (bytes > kMostCode) break;
            if (code.empty()) continue;
            area_.spans.push_back({span.start, span.start + code.size(), code});
            reached_.emplace_back(code.size());
        }
        most_steps_ = area_.steps = std::min(kMostSteps, 16 * bytes_of(area_.spans) + 4096);
    }

    void find(const std::vector<CodeSpan> &covered) {
        take_symbols(".symtab");
        take_symbols(".dynsym");
        take_certain(area_.file->entry(), true);
        if (!area_.file->section(".symtab") && bytes_of(covered) / kWorthSweeping <= bytes_of(area_.spans))
            for (const CodeSpan &span : covered)
                sweep(span);
        take_pointers();
        settle();
        for (size_t next = 0; next < candidates_.size(); next++)
            try_candidate(candidates_[next]);
        for (size_t i = 0; i < area_.spans.size(); i++)
            try_rest(i);
        settle();
    }

    void tell() {
        area_.steps = most_steps_;
        std::vector<uint64_t> starts;
        for (const auto &[start, known] : area_.starts)
            if (known.certain && known.understood) starts.push_back(start);
        std::sort(starts.begin(), starts.end());
        for (const uint64_t start : starts)
            if (flow_.run(start, area_.starts.at(start))) tell_function();
    }

  private:
    // All but instructions that overlap with others.
    void tell_function() {
        flow_.tell([this](uint64_t address, unsigned length, const CodeState &state) {
            const CodeSpan *span = area_.span_of(address);
            const auto first = reached_[static_cast<size_t>(span - area_.spans.data())].begin() +
                               static_cast<std::ptrdiff_t>(address - span->start);
            if (std::find(first, first + length, Reached::Both) == first + length) sink_(address, length, state);
        });
    }

    void take_certain(uint64_t address, bool outermost = false) {
        if (!area_.span_of(address) || area_.starts.size() >= kMostStarts) return;
        CodeStart &start = area_.starts[address];
        start.outermost |= outermost;
        if (start.certain) return;
        start.certain = true;
        waiting_.push_back(address);
        fresh_.push_back(address);
    }
    void take_candidate(uint64_t address) {
        if (candidates_.size() < kMostCandidates && area_.span_of(address)) candidates_.push_back(address);
    }

    void take_symbols(std::string_view name) {
        const Section *section = area_.file->section(name);
        if (!section || section->link >= area_.file->sections().size()) return;
        const std::string_view names = area_.file->content(area_.file->sections()[section->link]);
        Bytes in(area_.file->content(*section));
        while (in.size() - in.at() >= sizeof(Elf64_Sym)) {
            const auto symbol = in.fixed<Elf64_Sym>();
            const unsigned type = ELF64_ST_TYPE(symbol.st_info);
            if (symbol.st_shndx == SHN_UNDEF || !area_.span_of(symbol.st_value)) continue;
            // The rarely used part of a function begins with its frame.
            const bool part = symbol_name(names, symbol.st_name).find(".cold") != std::string_view::npos;
            if ((type == STT_FUNC || type == STT_GNU_IFUNC) && !part) take_certain(symbol.st_value);
            if (type == STT_NOTYPE) take_candidate(symbol.st_value);
        }
    }

    // Calls from functions that have unwind information.
    void sweep(const CodeSpan &span) {
        const std::string_view code = area_.file->content_at(span.start, span.end - span.start);
        CodeInstruction in;
        for (size_t at = 0; at < code.size() && swept_ < kMostSwept; at += in.length, swept_++) {
            if (!decode_instruction(code.substr(at), span.start + at, in)) return;
            if (in.flow == Flow::Call) take_certain(in.target);
            if (in.is(Map::One, 0x8d) && in.after)
                take_candidate(span.start + at + in.length + static_cast<uint64_t>(int64_t{in.displacement}));
        }
    }

    // Takes pointers in data as candidates: the values of relocations, or plain words in files that are loaded at a
    // fixed address.
    void take_pointers() {
        const arch::LinkageTable *kind = arch::linkage_table(area_.file->machine());
        for (const Section &section : area_.file->sections()) {
            if (!(section.flags & SHF_ALLOC) || (section.flags & SHF_EXECINSTR)) continue;
            Bytes in(area_.file->content(section));
            if (section.type == SHT_RELA) {
                while (in.size() - in.at() >= sizeof(Elf64_Rela)) {
                    const auto one = in.fixed<Elf64_Rela>();
                    if (kind && ELF64_R_TYPE(one.r_info) == kind->relative_relocation)
                        take_candidate(static_cast<uint64_t>(one.r_addend));
                }
            } else if ((section.flags & SHF_WRITE) && section.address % 8 == 0) {
                while (in.size() - in.at() >= 8)
                    take_candidate(in.u64());
            }
        }
        std::sort(candidates_.begin(), candidates_.end());
        candidates_.erase(std::unique(candidates_.begin(), candidates_.end()), candidates_.end());
    }

    // Follows the functions that wait, and those that they call.
    void follow_waiting() {
        while (!waiting_.empty()) {
            const uint64_t start = waiting_.back();
            waiting_.pop_back();
            const CodeStart known = area_.starts.at(start);
            note(start, flow_.run(start, known));
        }
    }

    void note(uint64_t start, bool good) {
        CodeStart &known = area_.starts.at(start);
        if (flow_.may_return() != known.may_return && good) changed_.push_back(start);
        if (flow_.returns() && good && !known.returns) changed_.push_back(start);
        known.followed = true;
        known.understood = good;
        known.returns = good && flow_.returns();
        known.may_return = !good || flow_.may_return();
        known.complete = good && flow_.complete();
        known.first = flow_.first();
        known.last = flow_.last();
        known.calls.assign(flow_.calls().begin(), flow_.calls().end());
        for (const uint64_t address : flow_.addresses())
            take_candidate(address);
        if (!good) return;
        flow_.tell([this](uint64_t address, unsigned length, const CodeState &) {
            const CodeSpan *span = area_.span_of(address);
            std::vector<Reached> &bytes = reached_[static_cast<size_t>(span - area_.spans.data())];
            for (unsigned i = 0; i < length; i++) {
                Reached &byte = bytes[address - span->start + i];
                const Reached now = i ? Reached::Inside : Reached::First;
                byte = byte == Reached::Not || byte == now ? now : Reached::Both;
            }
        });
        const std::vector<uint64_t> calls = known.calls;  // copied, because taking more moves the elements
        for (const uint64_t to : calls)
            take_certain(to);
    }

    // A function is followed again if another was found to begin in its midst, or if more is known of its callees.
    void settle() {
        for (unsigned round = 0; round < kMostRounds; round++) {
            follow_waiting();
            std::sort(fresh_.begin(), fresh_.end());
            std::sort(changed_.begin(), changed_.end());
            for (const auto &[start, known] : area_.starts) {
                if (!known.followed) continue;
                const auto inside = std::upper_bound(fresh_.begin(), fresh_.end(), known.first);
                const bool split = inside != fresh_.end() && *inside <= known.last;
                const auto matters = [&known = known, this](uint64_t to) {
                    if (!std::binary_search(changed_.begin(), changed_.end(), to)) return false;
                    return !known.complete || !known.returns || !area_.starts.at(to).may_return;
                };
                if (split || std::any_of(known.calls.begin(), known.calls.end(), matters)) waiting_.push_back(start);
            }
            fresh_.clear();
            changed_.clear();
            if (waiting_.empty()) return;
        }
        waiting_.clear();
    }

    bool is_reached(uint64_t address) const {
        const CodeSpan *span = area_.span_of(address);
        return reached_[static_cast<size_t>(span - area_.spans.data())][address - span->start] != Reached::Not;
    }

    // Before a function is another's last instruction, or what fills space.
    bool follows_an_end(uint64_t address) const {
        const CodeSpan *span = area_.span_of(address);
        if (address == span->start || is_reached(address - 1)) return true;
        const std::string_view before = span->code.substr(0, address - span->start);
        constexpr size_t kLongest = 11;  // of what fills space
        for (size_t bytes = 1; bytes <= std::min(before.size(), kLongest); bytes++)
            if (filling(before.substr(before.size() - bytes)) == bytes) return true;
        return before.back() == '\xc3';
    }

    bool try_candidate(uint64_t address) {
        if (!area_.steps || area_.start_at(address) || is_reached(address) || !follows_an_end(address)) return false;
        CodeStart known;
        if (!flow_.run(address, known)) return false;
        if (area_.starts.size() >= kMostStarts) return false;
        known.certain = true;
        area_.starts[address] = known;
        fresh_.push_back(address);
        note(address, true);
        follow_waiting();
        return true;
    }

    // Functions that nothing leads to, one after the other.
    void try_rest(size_t index) {
        const CodeSpan &span = area_.spans[index];
        const std::string_view code = span.code;
        const auto is_reached_at = [&](size_t at) { return reached_[index][at] != Reached::Not; };
        const auto skip_reached = [&](size_t at) {
            while (at < code.size() && is_reached_at(at))
                at++;
            return at;
        };
        for (size_t at = 0; at < code.size() && area_.steps;) {
            at = skip_reached(at);
            at += filling(code.substr(at));
            if (at >= code.size() || is_reached_at(at)) continue;
            if (try_candidate(span.start + at) && is_reached_at(at)) continue;
            // To behind what ends one, or where the next may begin behind data.
            CodeInstruction in;
            for (bool ended = false; !ended && at < code.size() && !is_reached_at(at) && area_.steps; area_.steps--) {
                if (!decode_instruction(code.substr(at), span.start + at, in)) {
                    at += kUsualAlignment - (span.start + at) % kUsualAlignment;
                    break;
                }
                at += in.length;
                ended = in.flow == Flow::Return || in.flow == Flow::Jump || in.flow == Flow::IndirectJump ||
                        in.flow == Flow::Stop;
            }
        }
    }

    CodeArea area_;
    const CodeSink &sink_;
    CodeFlow flow_;
    uint64_t swept_ = 0, most_steps_ = 0;
    std::vector<std::vector<Reached>> reached_;  // by span and byte
    std::vector<uint64_t> waiting_, fresh_, changed_, candidates_;
};

}  // namespace

size_t filling(std::string_view code) {
    size_t at = 0;
    CodeInstruction in;
    while (at < code.size()) {
        if (code[at] == 0 || code[at] == '\xcc') {
            at++;
            continue;
        }
        if (!decode_instruction(code.substr(at), 0, in)) break;
        const bool fills = (in.is(Map::One, 0x90) && !in.rex_low && !in.repeated) || in.is(Map::Two, 0x1f);
        if (!fills) break;
        at += in.length;
    }
    return at;
}

std::vector<CodeSpan> without_filling(const ElfFile &file, const std::vector<CodeSpan> &spans) {
    std::vector<CodeSpan> out;
    for (const CodeSpan &span : spans) {
        const std::string_view code = file.content_at(span.start, span.end - span.start);
        const size_t skipped = filling(code);
        if (skipped < code.size()) out.push_back({span.start + skipped, span.start + code.size()});
    }
    return out;
}

void code_functions(const ElfFile &file, std::vector<CodeSpan> spans, const std::vector<CodeSpan> &covered,
                    const CodeSink &sink) {
    if (spans.empty() || !tapir_unwind_call_pushes(file.machine())) return;
    Functions functions(file, std::move(spans), sink);
    functions.find(covered);
    functions.tell();
}

}  // namespace tapir::unwind
