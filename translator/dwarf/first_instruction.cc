// SPDX-License-Identifier: GPL-2.0-or-later
#include "dwarf/first_instruction.h"

#include <dwarf.h>
#include <gelf.h>

#include <algorithm>

#include "dwarf/expressions.h"
#include "dwarf/line_rows.h"

namespace tapir::dwarf {

using ctypes::Place;
using ctypes::Term;
using ctypes::TermOp;
using ctypes::TermPtr;

namespace {

// register + constant
struct Sum {
    int64_t number = 0, offset = 0;
    friend bool operator==(const Sum &, const Sum &) = default;
};

std::optional<Sum> sum_of(const Term &term) {
    if (term.op == TermOp::Register) return Sum{term.constant, 0};
    if (term.op != TermOp::Add || term.operands.size() != 2 || term.operands[0]->op != TermOp::Register ||
        term.operands[1]->op != TermOp::Constant)
        return std::nullopt;
    return Sum{term.operands[0]->constant, term.operands[1]->constant};
}

// Does the function describe its frame by registers, which at its first instruction are still the caller's?
bool has_frame_in_register(Dwarf_Die *function) {
    Dwarf_Attribute attribute;
    Dwarf_Op *ops = nullptr;
    size_t count = 0;
    if (!function || !dwarf_attr_integrate(function, DW_AT_frame_base, &attribute) ||
        expression_of(attribute, ops, count) != 0 || count == 0)
        return false;
    return ops[0].atom != DW_OP_call_frame_cfa;
}

bool is_in_frame(Dwarf_Die *variable) {
    Dwarf_Attribute location;
    Dwarf_Op *ops = nullptr;
    size_t count = 0;
    return dwarf_attr_integrate(variable, DW_AT_location, &location) && expression_of(location, ops, count) == 0 &&
           count > 0 && ops[0].atom == DW_OP_fbreg;
}

// Has the compiler left the function's code as its source is? It has variables in its frame, and none elsewhere.
bool is_unoptimized_function(Dwarf_Die *function) {
    Dwarf_Die child;
    bool in_frame = false;
    if (dwarf_child(function, &child) != 0) return false;
    do {
        const int tag = dwarf_tag(&child);
        if (tag != DW_TAG_formal_parameter && tag != DW_TAG_variable) continue;
        if (is_optimized(&child)) return false;
        in_frame |= is_in_frame(&child);
    } while (dwarf_siblingof(&child, &child) == 0);
    return in_frame;
}

// Rows of a function's lines that may mark the end of its prologue: the first that is marked so, and its second line.
struct PrologueRows {
    std::optional<uint64_t> marked, second;
};

PrologueRows prologue_rows(Dwarf_Die *function) {
    PrologueRows rows;
    const auto entry = entry_pc(function);
    if (!entry) return rows;
    for_each_row(function, [&](Dwarf_Line *row, uint64_t address) {
        bool ends_prologue = false, statement = false;
        int line = 0;
        if (address < *entry) return;
        if (dwarf_lineprologueend(row, &ends_prologue) == 0 && ends_prologue &&
            (!rows.marked || address < *rows.marked))
            rows.marked = address;
        if (address > *entry && (!rows.second || address < *rows.second) &&
            dwarf_linebeginstatement(row, &statement) == 0 && statement && dwarf_lineno(row, &line) == 0 && line > 0)
            rows.second = address;
    });
    return rows;
}

class Checker {
  public:
    Checker(const LocationContext &context, const arch::Arch &arch, std::span<const Dwarf_Op> everywhere,
            bool parameter)
        : context_(context),
          convention_(arch.arguments),
          vectors_(arch.saved_registers),
          everywhere_(!everywhere.empty()),
          moves_(has_frame_in_register(context.function)),
          below_frame_(!moves_ && uses_stack_pointer(everywhere)),
          parameter_(parameter) {}

    // False where it does not hold; else as it is at the first instruction.
    bool check(Place &place) {
        if (below_frame_ && place.kind != Place::Kind::Absent) return false;
        switch (place.kind) {
            case Place::Kind::Absent:
                return true;
            case Place::Kind::Pieces:
                return std::all_of(place.pieces.begin(), place.pieces.end(),
                                   [&](ctypes::Piece &piece) { return check(piece.place); });
            case Place::Kind::Register:
                return place.term->op != TermOp::Register || !everywhere_ || is_argument(place.term->constant);
            case Place::Kind::Memory:
                place.term = address(place.term, 0);
                return place.term != nullptr;
            case Place::Kind::Value:
                if (is_next_value(*place.term)) return false;
                place.term = value(place.term, 0);
                return place.term != nullptr;
        }
        return false;
    }

  private:
    static constexpr int kMaxDepth = 100;

    // GCC uses the stack pointer, which then stays the same, to describe variables of a function that has aligned it.
    // Arguments on the stack have an offset to the frame.
    bool uses_stack_pointer(std::span<const Dwarf_Op> ops) const {
        return std::any_of(ops.begin(), ops.end(), [&](const Dwarf_Op &op) {
            return op.atom == DW_OP_breg0 + convention_.stack_pointer ||
                   (op.atom == DW_OP_bregx && op.number == convention_.stack_pointer);
        });
    }

    bool is_argument(int64_t number) const {
        const auto registers = convention_.in_registers();
        return number >= vectors_ ||
               std::any_of(registers.begin(), registers.end(), [&](uint8_t other) { return other == number; });
    }

    // For `while (n--)`, LLVM describes the decremented n from the entry on.
    bool is_next_value(const Term &term) const {
        const auto sum = sum_of(term);
        return parameter_ && sum && sum->offset != 0 && is_argument(sum->number);
    }

    bool is_frame(int64_t number) const {
        return number == convention_.stack_pointer || number == convention_.frame_pointer;
    }

    // An address that is read, or where the variable is: null where nothing of the function is there yet.
    TermPtr address(const TermPtr &term, int depth) {
        const auto sum = sum_of(*term);
        if (!sum || !is_frame(sum->number)) return value(term, depth);
        const auto lowest = static_cast<int64_t>(convention_.stack_offset);
        if (!moves_) {
            const bool callers = sum->number == convention_.stack_pointer && sum->offset >= lowest;
            return callers ? term : nullptr;
        }
        const auto frame = frame_of_body();
        if (!frame || frame->number != sum->number || sum->offset < frame->offset) return nullptr;
        return ctypes::make_term(TermOp::Add, ctypes::register_term(convention_.stack_pointer),
                                 ctypes::constant_term(sum->offset - frame->offset + lowest));
    }

    TermPtr value(const TermPtr &term, int depth) {
        if (depth > kMaxDepth) return nullptr;
        if (term->op == TermOp::Register) {
            const bool known = is_frame(term->constant) ? !moves_ : !everywhere_ || is_argument(term->constant);
            return known ? term : nullptr;
        }
        auto changed = std::make_shared<Term>(*term);
        for (TermPtr &operand : changed->operands) {
            operand = term->op == TermOp::Load ? address(operand, depth + 1) : value(operand, depth + 1);
            if (!operand) return nullptr;
        }
        return changed;
    }

    std::optional<Sum> frame_at(uint64_t pc) {
        const TermPtr frame = frame_address({.object = context_.object, .pc = pc});
        return frame ? sum_of(*frame) : std::nullopt;
    }

    // The canonical frame address once the frame is set up. Where no instruction of the entry does that, others might.
    std::optional<Sum> frame_of_body() {
        const auto end = prologue_rows(context_.function).marked;
        const auto frame = end ? frame_at(*end) : std::nullopt;
        if (!frame || end != entry_pc(context_.function)) return frame;
        bool stays = true;
        for_each_row(context_.function,
                     [&](Dwarf_Line *, uint64_t address) { stays = stays && frame_at(address) == frame; });
        return stays ? frame : std::nullopt;
    }

    const LocationContext &context_;
    const arch::Arguments &convention_;
    int64_t vectors_;
    bool everywhere_;
    bool moves_;
    bool below_frame_;
    bool parameter_;
};

}  // namespace

bool is_optimized(Dwarf_Die *variable) {
    Dwarf_Attribute location;
    Dwarf_Op *ops = nullptr;
    size_t count = 0;
    if (!dwarf_attr_integrate(variable, DW_AT_location, &location)) return false;
    if (has_location_list(variable) || expression_of(location, ops, count) != 0 || count == 0) return true;
    return (ops[0].atom >= DW_OP_reg0 && ops[0].atom <= DW_OP_reg31) || ops[count - 1].atom == DW_OP_stack_value;
}

const arch::Arch *arch_of(const Object &object) {
    return arch::find(object.machine());
}

std::optional<uint64_t> after_prologue(Dwarf_Die *function, bool unoptimized) {
    const PrologueRows rows = prologue_rows(function);
    if (!rows.marked) return unoptimized && is_unoptimized_function(function) ? rows.second : std::nullopt;
    return rows.marked > entry_pc(function) ? rows.marked : std::nullopt;
}

Place at_first_instruction(const LocationContext &context, Place told, std::span<const Dwarf_Op> everywhere,
                           bool parameter) {
    const arch::Arch *arch = arch_of(context.object);
    if (!arch || told.kind == Place::Kind::Absent || Checker(context, *arch, everywhere, parameter).check(told))
        return told;
    Place later =
        ctypes::absent(parameter ? "where the debug information has it, it is only once the function has begun to run"
                                 : "it has no value yet where the function begins");
    later.later = true;
    return later;
}

}  // namespace tapir::dwarf
