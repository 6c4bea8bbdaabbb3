// SPDX-License-Identifier: GPL-2.0-or-later
#include "target/function_exits.h"

#include <dwarf.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "dwarf/first_instruction.h"
#include "dwarf/line_rows.h"
#include "dwarf/unit_scopes.h"
#include "target/code_image.h"
#include "target/debug_info.h"
#include "target/function_walk.h"

namespace tapir::target {

namespace {

struct Extent {
    std::vector<CodeSpan> spans;  // the first has the entry
    bool compiled = false;
    std::optional<Dwarf_Die> function;  // by debug information
};

// True if it is written in an assembler's language. Go's compiler marks such code as Go's; the source file shows it.
bool is_assembly(Dwarf_Die *function, uint64_t entry) {
    Dwarf_Die unit;
    if (!dwarf_diecu(function, &unit, nullptr, nullptr)) return true;
    const uint64_t language = dwarf::language_of(&unit);
    bool assembly = language == 0 || language == DW_LANG_Mips_Assembler;
    dwarf::for_each_row(function, [&](Dwarf_Line *row, uint64_t address) {
        if (address != entry) return;
        const char *const file = dwarf_linesrc(row, nullptr, nullptr);
        const std::string_view name = file ? file : "";
        assembly |= name.ends_with(".s") || name.ends_with(".S") || name.ends_with(".asm");
    });
    return assembly;
}

std::vector<CodeSpan> spans_of(Dwarf_Die *function, uint64_t entry) {
    std::vector<CodeSpan> spans;
    Dwarf_Addr base = 0, begin = 0, end = 0;
    for (ptrdiff_t at = 0; (at = dwarf_ranges(function, at, &base, &begin, &end)) > 0;)
        if (begin < end) spans.push_back({begin, end});
    const auto first =
        std::find_if(spans.begin(), spans.end(), [&](const CodeSpan &span) { return span.contains(entry); });
    if (first == spans.end()) return {};
    std::iter_swap(spans.begin(), first);
    return spans;
}

// Returns the extent by debug information; nothing without any from a compiler.
std::optional<Extent> described_extent(const DebugObject &object, uint64_t entry) {
    if (!object.index) return std::nullopt;
    for (const dwarf::FunctionEntry *function : object.index->functions_starting_at(entry)) {
        Dwarf_Die die;
        if (!object.object->die_at(function->die, die)) continue;
        std::vector<CodeSpan> spans = spans_of(&die, entry);
        if (!spans.empty() && spans.front().begin == entry && !is_assembly(&die, entry))
            return Extent{.spans = std::move(spans), .compiled = true, .function = die};
    }
    return std::nullopt;
}

// Does Go's runtime say that Go's compiler has made it?
bool is_compiled_go(const dwarf::Object &object, uint64_t entry) {
    const unwind::GoFunction *function = object.go().function_at(entry);
    return function && function->start == entry && function->source == unwind::GoSource::Go;
}

// Finds a function's extent by its symbol, else by call frame information.
Extent undescribed_extent(const dwarf::Object &object, const CodeImage &image, uint64_t entry) {
    uint64_t size = 0;
    for (const dwarf::FunctionSymbol &symbol : image.symbols_at(entry))
        size = std::max(size, symbol.size);
    if (size != 0 && size <= ~entry)
        return {.spans = {{entry, entry + size}}, .compiled = is_compiled_go(object, entry), .function = {}};
    const unwind::Fde *const frame = image.frame_entry(entry);
    if (!frame || frame->start != entry) return {};
    return {.spans = {{frame->start, frame->end}}, .compiled = false, .function = {}};
}

// A place that the line table has in the function, within an instruction.
std::optional<uint64_t> line_within_instruction(Dwarf_Die *function, const FunctionWalk &walk) {
    std::optional<uint64_t> wrong;
    dwarf::for_each_row(function, [&](Dwarf_Line *, uint64_t address) {
        if (!wrong && !walk.has_border_or_prefix(address)) wrong = address;
    });
    return wrong;
}

}  // namespace

// Has the code of an object ready that the functions below look at.
static const CodeImage &image_of(const DebugObject &object) {
    if (!object.code) object.code = std::make_shared<CodeImage>(*object.object);
    return *object.code;
}

static Extent extent_of(const DebugObject &object, const CodeImage &image, uint64_t entry) {
    auto extent = described_extent(object, entry);
    return extent ? *extent : undescribed_extent(*object.object, image, entry);
}

FunctionExits function_exits(const DebugObject &object, uint64_t entry) {
    const CodeImage &image = image_of(object);
    if (!image.decoder()) return {{}, {}, "the code of its processor is not understood"};
    Extent extent = extent_of(object, image, entry);
    if (extent.spans.empty()) return {{}, {}, "where it ends is not known"};
    FunctionWalk walk(image, entry, extent.compiled);
    for (const CodeSpan &span : extent.spans)
        if (!walk.add(span)) return {{}, {}, walk.why()};
    if (!walk.follow()) return {{}, {}, walk.why()};
    if (extent.function)
        if (const auto wrong = line_within_instruction(&*extent.function, walk))
            return {{}, {}, "stap cannot tell its code at " + hex_text(*wrong) + " from data"};
    return {walk.returns(), walk.parts(), {}, walk.comes_back()};
}

bool takes_no_uprobe(const DebugObject &object, uint64_t address) {
    const arch::Arch *arch = dwarf::arch_of(*object.object);
    const decode::Decoder *decoder = arch ? decode::decoder_of(arch->elf_machine) : nullptr;
    std::array<unsigned char, 16> code;
    decode::Instruction instruction;
    return decoder && decoder->decode_flow(object.object->read_code_to_end(address, code), address, instruction) &&
           instruction.no_uprobe;
}

uint64_t behind_unprobed(const DebugObject &object, uint64_t entry) {
    const CodeImage &image = image_of(object);
    const Extent extent = extent_of(object, image, entry);
    FunctionWalk walk(image, entry, extent.compiled);
    for (const CodeSpan &span : extent.spans)
        if (!walk.add(span)) return 0;
    uint64_t at = entry;
    for (const decode::Instruction *in; (in = walk.find(at)) && in->no_uprobe; at = in->end())
        if (in->flow != decode::Instruction::Flow::Next || in->writes != 0) return 0;
    return walk.has_border(at) && image.symbols_at(at).empty() && !walk.may_jump_to(at) ? at - entry : 0;
}

}  // namespace tapir::target
