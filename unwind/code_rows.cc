// SPDX-License-Identifier: GPL-2.0-or-later
#include "unwind/code_rows.h"

#include <elf.h>

#include <algorithm>
#include <limits>

#include "unwind/code_functions.h"

namespace tapir::unwind {

namespace {

constexpr uint64_t kLeastGap = 16;  // that is looked at; all of a section is in any case

struct Piece {
    uint32_t from, to;  // places
    uint32_t rule;
};

// The parts of the code with rows and without, by address.
class Coverage {
  public:
    Coverage(const ElfFile &file, const Rows &rows, uint32_t nothing) : file_(file), rows_(rows), nothing_(nothing) {}

    void find() {
        bool sections = false;
        for (const Section &section : file_.sections()) {
            if (!(section.flags & SHF_EXECINSTR) || !(section.flags & SHF_ALLOC) || !section.bytes) continue;
            sections = true;
            take(section.address, section.bytes);
        }
        for (const Segment &segment : file_.segments())
            if (!sections && segment.executable) take(segment.address, segment.bytes);
        sort(without_);
        sort(covered_);
    }
    std::vector<CodeSpan> &without() { return without_; }
    const std::vector<CodeSpan> &covered() const { return covered_; }

  private:
    static void sort(std::vector<CodeSpan> &spans) {
        std::sort(spans.begin(), spans.end(), [](const CodeSpan &a, const CodeSpan &b) { return a.start < b.start; });
        // Parts may overlap in a damaged file.
        uint64_t last = 0;
        std::erase_if(spans, [&last](const CodeSpan &span) {
            const bool overlaps = span.start < last;
            last = std::max(last, span.end);
            return overlaps;
        });
    }

    void take(uint64_t address, uint64_t bytes) {
        const std::optional<uint64_t> place = file_.place_of(address);
        for (const Segment &segment : file_.segments())
            if (address >= segment.address && address - segment.address < segment.bytes)
                bytes = std::min(bytes, segment.bytes - (address - segment.address));
        if (!place || !bytes || *place + bytes > std::numeric_limits<uint32_t>::max()) return;
        const uint64_t end = *place + bytes, delta = address - *place;
        size_t row = static_cast<size_t>(std::upper_bound(rows_.places.begin(), rows_.places.end(), *place) -
                                         rows_.places.begin());
        for (uint64_t at = *place; at < end; row++) {
            const uint64_t next = row < rows_.places.size() ? std::min<uint64_t>(rows_.places[row], end) : end;
            const bool known = row && rows_.rules[row - 1] != nothing_;
            std::vector<CodeSpan> &spans = known ? covered_ : without_;
            if (!known && next - at < kLeastGap && (at != *place || next != end)) {
                // Between functions it fills space.
            } else if (known && !spans.empty() && spans.back().end == at + delta) {
                spans.back().end = next + delta;
            } else {
                spans.push_back({at + delta, next + delta});
            }
            at = next;
        }
    }

    const ElfFile &file_;
    const Rows &rows_;
    uint32_t nothing_;
    std::vector<CodeSpan> without_, covered_;
};

// Ascending, without overlaps; where two say different things, neither.
std::vector<Piece> agreed(std::vector<Piece> pieces, uint32_t nothing) {
    std::sort(pieces.begin(), pieces.end(),
              [](const Piece &a, const Piece &b) { return a.from != b.from ? a.from < b.from : a.to < b.to; });
    std::vector<Piece> out;
    for (const Piece &piece : pieces) {
        if (!out.empty() && piece.from < out.back().to) {
            Piece &last = out.back();
            if (last.from != piece.from || last.to != piece.to || last.rule != piece.rule) last.rule = nothing;
            last.to = std::max(last.to, piece.to);
        } else {
            out.push_back(piece);
        }
    }
    return out;
}

class Merging {
  public:
    Merging(const Rows &old, uint32_t nothing) : old_(old), nothing_(nothing) {}

    // Only where the old rows say nothing.
    void merge(const std::vector<Piece> &pieces, Rows &rows) {
        std::vector<uint32_t> places, rules;
        size_t row = 0;
        uint32_t in_force = nothing_;
        const auto put = [&](uint32_t place, uint32_t rule) {
            if (!places.empty() && places.back() == place) {
                places.pop_back();
                rules.pop_back();
            }
            if ((rules.empty() ? nothing_ : rules.back()) == rule) return;
            places.push_back(place);
            rules.push_back(rule);
        };
        const auto old_until = [&](uint64_t place) {
            for (; row < old_.places.size() && old_.places[row] <= place; row++) {
                in_force = old_.rules[row];
                put(old_.places[row], in_force);
            }
        };
        for (const Piece &piece : pieces) {
            old_until(piece.from);
            if (in_force != nothing_) continue;
            const bool cut = row < old_.places.size() && old_.places[row] < piece.to;
            put(piece.from, piece.rule);
            put(cut ? old_.places[row] : piece.to, nothing_);
        }
        old_until(std::numeric_limits<uint64_t>::max());
        rows.places = std::move(places);
        rows.rules = std::move(rules);
    }

  private:
    const Rows old_;
    uint32_t nothing_;
};

}  // namespace

void add_rows_of_code(const ElfFile &file, RuleSet &rules, Rows &rows) {
    if (!tapir_unwind_call_pushes(file.machine())) return;
    const uint32_t nothing = rules.add_nothing(TAPIR_UNWIND_NO_ROW);
    Coverage coverage(file, rows, nothing);
    coverage.find();
    std::vector<CodeSpan> spans = without_filling(file, coverage.without());
    std::vector<Piece> pieces;
    code_functions(file, std::move(spans), coverage.covered(),
                   [&](uint64_t address, unsigned length, const CodeState &state) {
                       const std::optional<uint64_t> place = file.place_of(address);
                       RowState row;
                       if (!place || *place + length > std::numeric_limits<uint32_t>::max()) return;
                       const uint32_t rule = state.row(row) ? rules.add(row, false) : nothing;
                       const auto from = static_cast<uint32_t>(*place);
                       pieces.push_back({from, from + length, rule});
                   });
    if (!pieces.empty()) Merging(rows, nothing).merge(agreed(std::move(pieces), nothing), rows);
}

}  // namespace tapir::unwind
