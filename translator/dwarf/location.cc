// SPDX-License-Identifier: GPL-2.0-or-later
#include "dwarf/location.h"

#include <dwarf.h>
#include <gelf.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <span>

#include "arch/arch.h"
#include "dwarf/evaluator.h"
#include "dwarf/expressions.h"
#include "dwarf/first_instruction.h"
#include "dwarf/numbers.h"

namespace tapir::dwarf {

using ctypes::absent;
using ctypes::constant_term;
using ctypes::Place;
using ctypes::TermPtr;

namespace {

constexpr int kMostIdle = 16;  // instructions at a function's entry

Place bytes_place(const unsigned char *bytes, size_t count) {
    Place place;
    place.kind = Place::Kind::Value;
    uint64_t bits = 0;
    std::memcpy(&bits, bytes, count);
    place.term = constant_term(static_cast<int64_t>(bits));
    return place;
}

Place constant_place(Dwarf_Attribute *attribute) {
    constexpr size_t kWord = 8, kMostBytes = 1024;
    Place place;
    Dwarf_Block block;
    if (const auto number = constant_of(attribute)) {
        place.kind = Place::Kind::Value;
        place.term = constant_term(*number);
        return place;
    }
    if (dwarf_formblock(attribute, &block) != 0 || block.length == 0) return absent("its constant cannot be read");
    if (block.length <= kWord) return bytes_place(block.data, block.length);
    if (block.length > kMostBytes)
        return absent("it is a constant of more than " + std::to_string(kMostBytes) + " bytes");
    place.kind = Place::Kind::Pieces;
    for (size_t at = 0; at < block.length; at += kWord) {
        const size_t count = std::min(kWord, block.length - at);
        place.pieces.push_back({bytes_place(block.data + at, count), count});
    }
    return place;
}

// The canonical frame address at the first instruction of a function: nothing is on the stack but the call.
TermPtr caller_stack(const Object &object) {
    const arch::Arch *arch = arch_of(object);
    if (!arch) return nullptr;
    return ctypes::make_term(ctypes::TermOp::Add, ctypes::register_term(arch->arguments.stack_pointer),
                             constant_term(static_cast<int64_t>(arch->arguments.stack_offset)));
}

}  // namespace

TermPtr frame_address(const LocationContext &context) {
    const Frame frame = context.object.frame(context.pc);
    if (!frame) return context.at_entry ? caller_stack(context.object) : nullptr;
    Dwarf_Op *ops = nullptr;
    size_t count = 0;
    TermPtr address;
    if (dwarf_frame_cfa(frame.get(), &ops, &count) == 0 && count > 0) {
        // A rule of the table, which may name registers but no frame base.
        LocationContext plain = context;
        plain.function = nullptr;
        plain.index = nullptr;
        const Place place = Evaluator(plain, nullptr, kMaxExpressionDepth).run(ops, count);
        if (place.kind == Place::Kind::Memory || place.kind == Place::Kind::Value) address = place.term;
    }
    return address;
}

// Length of the instruction at `pc` if it changes nothing, else 0.
static size_t idle_length(const Object &object, uint64_t pc) {
    const arch::Arch *arch = arch_of(object);
    std::array<unsigned char, arch::kLongestIdle> code;
    return arch ? arch->idle_length(object.read_code_to_end(pc, code)) : 0;
}

// Finds the description for context.pc. At a function's entry, one of an empty range holds before those that begin
// there. It describes the caller's values, before the function's own descriptions of its variables. LLVM's begin behind
// the instructions for tracers and checks of jumps.
static int find_description(Dwarf_Attribute *attribute, const LocationContext &context, Dwarf_Op *&ops, size_t &count) {
    Dwarf_Addr base = 0, start = 0, end = 0;
    for (ptrdiff_t at = 0;
         context.at_entry && (at = dwarf_getlocations(attribute, at, &base, &start, &end, &ops, &count)) > 0;)
        if (start == context.pc && end == context.pc) return 1;
    int found = expression_at(*attribute, context.pc, ops, count);
    uint64_t pc = context.pc;
    for (int i = 0; context.at_entry && found == 0 && i < kMostIdle; ++i) {
        const size_t length = idle_length(context.object, pc);
        if (length == 0) break;
        pc += length;
        found = expression_at(*attribute, pc, ops, count);
    }
    return found;
}

static bool is_list(Dwarf_Attribute &attribute) {
    Dwarf_Block expression;
    return dwarf_formblock(&attribute, &expression) != 0;
}

bool has_location_list(Dwarf_Die *die) {
    Dwarf_Attribute attribute;
    return dwarf_attr_integrate(die, DW_AT_location, &attribute) && is_list(attribute);
}

static bool is_narrow(const Object &object) {
    GElf_Addr bias = 0;
    Elf *elf = dwfl_module_getelf(object.module(), &bias);
    return elf && gelf_getclass(elf) == ELFCLASS32;
}

// Returns the place of a variable that debug information only declares: that of a symbol with its name.
static Place declared_place(Dwarf_Die *die, const Object &object) {
    Dwarf_Attribute attribute;
    const char *name = nullptr;
    for (const unsigned of : {DW_AT_linkage_name, DW_AT_MIPS_linkage_name})
        if (!name) name = dwarf_formstring(dwarf_attr_integrate(die, of, &attribute));
    if (!name) name = dwarf_diename(die);
    const auto address = name ? object.symbols().variable_address(name) : std::nullopt;
    if (!address) return absent("it is only declared here, and no symbol of this object has its name");
    Place place;
    place.kind = Place::Kind::Memory;
    place.term = ctypes::relocated_term(*address);
    return place;
}

// Values that callers have computed hold at the first instruction, too.
static bool asks_callers(const Dwarf_Op *ops, size_t count) {
    return std::any_of(ops, ops + count, [](const Dwarf_Op &op) { return op.atom == DW_OP_GNU_parameter_ref; });
}

static Place locate(Dwarf_Die *die, const LocationContext &context, int depth) {
    Dwarf_Attribute attribute;
    if (dwarf_attr_integrate(die, DW_AT_const_value, &attribute)) return constant_place(&attribute);
    if (!dwarf_attr_integrate(die, DW_AT_location, &attribute)) {
        if (flag_of(die, DW_AT_declaration) && flag_of(die, DW_AT_external)) return declared_place(die, context.object);
        return absent("it is optimized out");
    }
    Dwarf_Op *ops = nullptr;
    size_t count = 0;
    const int found = find_description(&attribute, context, ops, count);
    if (found < 0) return absent("its location cannot be read");
    if (found == 0) return absent("it is optimized out here");
    if (is_narrow(context.object) && (count != 1 || ops[0].atom != DW_OP_addr))
        return absent("only variables at fixed addresses are read of 32-bit programs");
    Place place = Evaluator(context, &attribute, depth).run(ops, count);
    if (!context.at_entry || depth > 0 || asks_callers(ops, count)) return place;
    return at_first_instruction(context, std::move(place), std::span(ops, is_list(attribute) ? 0 : count),
                                dwarf_tag(die) == DW_TAG_formal_parameter);
}

Place locate(Dwarf_Die *die, const LocationContext &context) {
    return locate(die, context, 0);
}

static Place value(TermPtr term) {
    if (!term) return absent("it is not a number of 1, 2, 4 or 8 bytes");
    Place place;
    place.kind = Place::Kind::Value;
    place.term = std::move(term);
    return place;
}

Place value_of_variable(Dwarf_Die *die, const LocationContext &context, int depth) {
    const Place place = locate(die, context, depth);
    if (place.kind == Place::Kind::Absent) return place;
    Dwarf_Attribute attribute;
    Dwarf_Die type;
    if (!dwarf_attr_integrate(die, DW_AT_type, &attribute) || !dwarf_formref_die(&attribute, &type) ||
        dwarf_peel_type(&type, &type) != 0)
        return absent("the type of what tells it is not known");
    const Number bytes = number_of(&type, DW_AT_byte_size), encoding = number_of(&type, DW_AT_encoding);
    if (!bytes.is_constant()) return absent("the type of what tells it is not known");
    const bool is_signed =
        encoding.is_constant() && (encoding.value == DW_ATE_signed || encoding.value == DW_ATE_signed_char);
    return value(ctypes::number_at(place, static_cast<uint64_t>(bytes.value), is_signed));
}

// Memory in the function's frame is not set yet right after the entry.
constexpr const char *kTooEarly = "the function has not computed it yet; probe one of its statements";

static bool is_too_early(const Place &place, const LocationContext &context) {
    return context.at_entry && context.function && place.term && ctypes::has_op(*place.term, ctypes::TermOp::Load);
}

// Compilers do not say where in a function an expression of a type holds. Memory in the frame holds everywhere,
// registers do not.
constexpr const char *kInRegister = "it was computed from a register that may have changed since";

static bool uses_register(const Dwarf_Op *ops, size_t count) {
    return std::any_of(ops, ops + count, [](const Dwarf_Op &op) {
        return (op.atom >= DW_OP_reg0 && op.atom <= DW_OP_breg31) || op.atom == DW_OP_regx || op.atom == DW_OP_bregx;
    });
}

Place computed_number(Dwarf_Attribute *attribute, const LocationContext &context) {
    Dwarf_Die variable;
    if (dwarf_formref_die(attribute, &variable)) {
        const Place place = value_of_variable(&variable, context, 1);
        return is_too_early(place, context) ? absent(kTooEarly) : place;
    }
    Dwarf_Op *ops = nullptr;
    size_t count = 0;
    if (is_narrow(context.object)) return absent("what is computed of 32-bit programs is not read");
    const int found = expression_at(*attribute, context.pc, ops, count);
    if (found < 0) return absent("what computes it cannot be read");
    if (found == 0) return absent("it is optimized out here");
    const bool is_list = attribute->form == DW_FORM_sec_offset || attribute->form == DW_FORM_loclistx;
    if (!is_list && uses_register(ops, count)) return absent(kInRegister);
    const Place place = Evaluator(context, attribute).run(ops, count);
    if (place.kind == Place::Kind::Absent) return place;
    return is_too_early(place, context) ? absent(kTooEarly) : value(place.term);
}

Place member_address(Dwarf_Attribute *attribute, const LocationContext &context) {
    Dwarf_Op *ops = nullptr;
    size_t count = 0;
    if (expression_of(*attribute, ops, count) != 0) return absent("what computes its place cannot be read");
    if (uses_register(ops, count)) return absent(kInRegister);
    Evaluator evaluator(context, attribute);
    evaluator.begin_with(ctypes::object_term());
    Place place = evaluator.run(ops, count);
    if (place.kind != Place::Kind::Absent && place.kind != Place::Kind::Memory)
        return absent("what computes its place gives no address");
    return is_too_early(place, context) ? absent(kTooEarly) : place;
}

}  // namespace tapir::dwarf
