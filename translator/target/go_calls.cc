// SPDX-License-Identifier: GPL-2.0-or-later
// Source: Go internal ABI specification (abi-internal.md of Go's sources), "Function call argument and result passing".
#include "target/go_calls.h"

#include <dwarf.h>

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "dwarf/first_instruction.h"
#include "target/argument_assigner.h"

namespace tapir::target {

using ctypes::Encoding;
using ctypes::Member;
using ctypes::Place;
using ctypes::Type;
using ctypes::TypeInfo;
using ctypes::TypeKind;

namespace {

constexpr int kMaxGoDepth = 16;
constexpr size_t kMostOfACheck = 64, kMostOfGrowing = 256;  // bytes of code
constexpr const char *kUnknownType = "how an argument before it, or it itself, is passed is not known";

// A number, or a pointer, within a value.
struct Number {
    uint64_t offset, size;
    bool vector;
};

// The numbers in a value. Not all values fit in registers: an array of two elements is on the stack.
struct Value {
    std::vector<Number> numbers;
    uint64_t alignment = 1;
    bool fits = true;
    bool known = true;
};

class Splitter {
  public:
    explicit Splitter(Value &out) : out_(out) {}

    void add(const Type &type, uint64_t offset, int depth = 0) {
        const Type plain = type.stripped().completed();
        const TypeInfo info = plain.info();
        if (depth > kMaxGoDepth || info.declaration || info.computed) {
            out_.known = false;
            return;
        }
        switch (info.kind) {
            case TypeKind::Integer:
            case TypeKind::Enum:
            case TypeKind::Pointer:
                return number(offset, info.size, false);
            case TypeKind::Float:
                if (info.encoding != Encoding::Complex) return number(offset, info.size, true);
                number(offset, info.size / 2, true);
                return number(offset + info.size / 2, info.size / 2, true);
            case TypeKind::Array:
                return array(plain, info, offset, depth);
            case TypeKind::Struct:
                for (const Member &member : plain.source->members(plain.id)) {
                    if (member.bit_size || member.is_computed || member.place) out_.known = false;
                    add(plain.with(member.type), offset + member.bit_offset / 8, depth + 1);
                }
                return;
            default:
                out_.known = false;
        }
    }

  private:
    void number(uint64_t offset, uint64_t size, bool vector) {
        if (size == 0 || size > kWord || size & (size - 1)) {
            out_.known = false;
            return;
        }
        out_.numbers.push_back({offset, size, vector});
        out_.alignment = std::max(out_.alignment, size);
    }

    void array(const Type &type, const TypeInfo &info, uint64_t offset, int depth) {
        if (info.count == 0) return;
        if (info.count > 1) out_.fits = false;
        add(type.with(info.target), offset, depth + 1);
    }

    Value &out_;
};

uint64_t aligned_to(uint64_t value, uint64_t alignment) {
    return (value + alignment - 1) / alignment * alignment;
}

class Assigner {
  public:
    Assigner(const arch::Arch &arch, bool in_registers) : arch_(arch), in_registers_(in_registers) {}

    void add(const Type &type) {
        Value value;
        const auto size = ctypes::type_size(type.stripped().completed());
        Splitter(value).add(type, 0);
        lost_ |= !size || !value.known;
        if (lost_) return arguments_.push_back({ctypes::absent(kUnknownType)});
        const auto vectors = static_cast<size_t>(std::count_if(value.numbers.begin(), value.numbers.end(),
                                                               [](const Number &number) { return number.vector; }));
        const size_t integers = value.numbers.size() - vectors;
        const bool fits = in_registers_ && value.fits && integers_ + integers <= arch_.go.count &&
                          vectors_ + vectors <= arch_.go.vector_count;
        if (*size == 0)
            arguments_.push_back({ctypes::absent("its type is empty")});
        else if (!fits)
            arguments_.push_back(on_stack(*size, value.alignment));
        else
            add_in_registers(value, *size);
    }

    // Results have the same registers anew, and follow the arguments on the stack.
    void begin_results() {
        integers_ = vectors_ = 0;
        stack_ = aligned_to(stack_, kWord);
        results_ = arguments_.size();
        returned_ = static_cast<int64_t>(arch_.arguments.stack_offset);
    }

    std::vector<Place> take_results() {
        std::vector<Place> places;
        for (size_t i = results_; i < arguments_.size(); ++i)
            places.push_back(std::move(arguments_[i].place));
        return places;
    }

    // Behind all that is on the stack there is room for the arguments in registers.
    std::vector<GoArgument> take() {
        stack_ = aligned_to(stack_, kWord);
        for (const Spilled &spilled : spilled_) {
            if (spilled.argument >= results_) break;
            stack_ = aligned_to(stack_, spilled.alignment);
            arguments_[spilled.argument].home = static_cast<int64_t>(arch_.go.stack_offset + stack_);
            stack_ += spilled.size;
        }
        arguments_.resize(results_);
        return std::move(arguments_);
    }

  private:
    struct Spilled {
        size_t argument;
        uint64_t size, alignment;
    };

    GoArgument on_stack(uint64_t size, uint64_t alignment) {
        stack_ = aligned_to(stack_, alignment);
        const auto offset = static_cast<int64_t>(arch_.go.stack_offset + stack_);
        stack_ += size;
        return {at_stack_pointer(arch_.arguments, offset - returned_), offset};
    }

    void add_in_registers(const Value &value, uint64_t size) {
        Place whole;
        whole.kind = Place::Kind::Pieces;
        uint64_t at = 0;
        const auto fill_to = [&](uint64_t offset) {
            if (offset > at) whole.pieces.push_back({ctypes::absent("it is between members"), offset - at});
            at = std::max(at, offset);
        };
        for (const Number &number : value.numbers) {
            fill_to(number.offset);
            whole.pieces.push_back(
                {number.vector ? vector() : in_register(arch_.go.registers[integers_++]), number.size});
            at += number.size;
        }
        fill_to(size);
        spilled_.push_back({arguments_.size(), size, value.alignment});
        arguments_.push_back({whole.pieces.size() == 1 ? whole.pieces[0].place : whole});
    }

    Place vector() {
        const auto number = static_cast<int64_t>(arch_.go.first_vector + vectors_++);
        return arch_.vector_registers ? in_register(number) : ctypes::absent("it is passed in a vector register");
    }

    const arch::Arch &arch_;
    const bool in_registers_;
    std::vector<GoArgument> arguments_;
    std::vector<Spilled> spilled_;
    size_t integers_ = 0, vectors_ = 0, results_ = 0;
    uint64_t stack_ = 0;
    int64_t returned_ = 0;  // how far the stack pointer moves when the function returns, of results
    bool lost_ = false;
};

// True if Go's runtime has the address in its table, or, without one, between the linker's symbols around Go's code. A
// program that is linked with C has other code, too.
bool is_in_go_code(const dwarf::Object &object, uint64_t address) {
    if (!object.go().functions().empty()) {
        const unwind::GoFunction *function = object.go().function_at(address);
        return function && function->source != unwind::GoSource::C;
    }
    const auto first = object.symbol_address("runtime.text"), last = object.symbol_address("runtime.etext");
    return first && last && address >= *first && address < *last;
}

}  // namespace

bool is_go(const DebugObject &object, const dwarf::CodeSite &site) {
    if (!object.program) return false;
    if (site.function && object.index && site.unit < object.index->units().size())
        return object.index->units()[site.unit].language == DW_LANG_Go;
    return is_in_go_code(*object.object, site.pc);
}

// `grows`: where the stack does, from the function's beginning.
static uint64_t stack_check(const DebugObject &object, const arch::Arch &arch, uint64_t entry, int64_t &grows) {
    std::array<unsigned char, kMostOfACheck> code;
    const size_t behind = arch.go.stack_check(object.object->read_code_to_end(entry, code), grows);
    // The code that grows the stack is at the function's end.
    const auto far = object.object->symbols().symbol_at(entry + static_cast<uint64_t>(grows));
    const auto near = object.object->symbols().symbol_at(entry);
    const bool own = grows > 0 && (!near || !far || near->symbol == far->symbol);
    return own ? behind : 0;
}

uint64_t behind_stack_check(const DebugObject &object, const dwarf::CodeSite &site) {
    const arch::Arch *arch = dwarf::arch_of(*object.object);
    int64_t grows = 0;
    return arch && arch->go.stack_check && is_go(object, site) ? stack_check(object, *arch, site.pc, grows) : 0;
}

static void refuse_lost(const arch::Arch &arch, const std::bitset<128> &stored, Place &place) {
    for (ctypes::Piece &piece : place.pieces)
        refuse_lost(arch, stored, piece.place);
    if (place.kind != Place::Kind::Register || place.term->op != ctypes::TermOp::Register) return;
    const int64_t number = place.term->constant, first = arch.go.first_vector;
    const auto general = arch.go.in_registers();
    const bool passed = std::find(general.begin(), general.end(), number) != general.end() ||
                        (number >= first && number < first + static_cast<int64_t>(arch.go.vector_count));
    if (passed && !stored.test(static_cast<size_t>(number)))
        place = ctypes::absent("the function does not use it, and Go loses it when the stack grows before the probe");
}

void refuse_lost(const DebugObject &object, const dwarf::CodeSite &site, Place &place) {
    const arch::Arch *arch = dwarf::arch_of(*object.object);
    const dwarf::FunctionEntry *function = dwarf::function_of(*object.index, site);
    if (!arch || !arch->go.stack_check || !function) return;
    int64_t grows = 0;
    const uint64_t behind = stack_check(object, *arch, function->entry, grows);
    if (behind == 0 || site.pc < function->entry + behind) return;
    std::array<unsigned char, kMostOfGrowing> code;
    const uint64_t growing = function->entry + static_cast<uint64_t>(grows);
    refuse_lost(*arch, arch->go.stored(object.object->read_code_to_end(growing, code)), place);
}

bool go_uses_registers(const DebugObject &object, const dwarf::CodeSite &site) {
    Dwarf_Die unit;
    Dwarf_Attribute attribute;
    if (site.unit >= object.index->units().size() || !object.object->die_at(object.index->units()[site.unit].die, unit))
        return true;
    const char *producer = dwarf_formstring(dwarf_attr(&unit, DW_AT_producer, &attribute));
    return !producer || std::string_view(producer).find("regabi") != std::string_view::npos;
}

GoCallKey go_call_key(const DebugObject &object, const dwarf::CodeSite &site) {
    // Versions that have such a table pass arguments, and the goroutine, in registers.
    if (const unwind::GoFunction *function = object.object->go().function_at(site.pc))
        return function->source == unwind::GoSource::Go ? GoCallKey::Goroutine : GoCallKey::Stack;
    const bool known = object.index && site.function && go_uses_registers(object, site);
    return known ? GoCallKey::Goroutine : GoCallKey::Unknown;
}

Place with_gaps(Place place, const Type &type) {
    Value value;
    const auto size = ctypes::type_size(type.stripped().completed());
    Splitter(value).add(type, 0);
    const bool each =
        place.kind == Place::Kind::Pieces && value.known && size &&
        std::equal(place.pieces.begin(), place.pieces.end(), value.numbers.begin(), value.numbers.end(),
                   [](const ctypes::Piece &piece, const Number &number) { return piece.bytes == number.size; });
    if (!each) return place;
    std::vector<ctypes::Piece> pieces;
    uint64_t at = 0;
    for (size_t i = 0; i < place.pieces.size(); ++i) {
        const uint64_t offset = value.numbers[i].offset;
        if (offset > at) pieces.push_back({ctypes::absent("it is between members"), offset - at});
        at = offset + place.pieces[i].bytes;
        pieces.push_back(std::move(place.pieces[i]));
    }
    if (*size > at) pieces.push_back({ctypes::absent("it is between members"), *size - at});
    place.pieces = std::move(pieces);
    return place;
}

static Assigner assigned(const arch::Arch &arch, const std::vector<Type> &types, const std::vector<Type> &results,
                         bool in_registers) {
    Assigner assigner(arch, in_registers);
    for (const Type &type : types)
        assigner.add(type);
    assigner.begin_results();
    for (const Type &type : results)
        assigner.add(type);
    return assigner;
}

std::vector<GoArgument> go_arguments(const arch::Arch &arch, const std::vector<Type> &types,
                                     const std::vector<Type> &results, bool in_registers) {
    return assigned(arch, types, results, in_registers).take();
}

std::vector<Place> go_results(const arch::Arch &arch, const std::vector<Type> &types, const std::vector<Type> &results,
                              bool in_registers) {
    return assigned(arch, types, results, in_registers).take_results();
}

}  // namespace tapir::target
