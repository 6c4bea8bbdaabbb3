// SPDX-License-Identifier: GPL-2.0-or-later
#include "target/calling_convention.h"

#include <optional>

#include "target/argument_assigner.h"
#include "target/rust_values.h"

namespace tapir::target {

using ctypes::Place;
using ctypes::Type;
using ctypes::TypeInfo;
using ctypes::TypeKind;

namespace {

constexpr const char *kReturnedInVector = "it is returned in a vector register";

bool is_structure(const Type &plain) {
    const TypeKind kind = plain.info().kind;
    return kind == TypeKind::Struct || kind == TypeKind::Union;
}

// A result that the caller has made room for.
bool is_in_memory(const arch::Arch &arch, const Type &plain, const Scalars &scalars) {
    return is_structure(plain) && (plain.source->is_copied_by_function(plain.id) ||
                                   arch.arguments.parts(scalars.list, scalars.size, scalars.misplaced).in_memory);
}

Place next_of_c(ArgumentAssigner &assigner, const arch::Arch &arch, const Type &plain) {
    const Scalars scalars = scalars_of(plain);
    if (!scalars.known) return assigner.lost();
    if (is_structure(plain) && plain.source->is_copied_by_function(plain.id)) return assigner.reference();
    if (scalars.size == 0) return ctypes::absent("its type is empty");
    const arch::Parts parts = arch.arguments.parts(scalars.list, scalars.size, scalars.misplaced);
    if (parts.in_memory || parts.number_of(arch::Hold::Extended))
        return arch.arguments.large_by_reference ? assigner.reference()
                                                 : assigner.on_stack(scalars.size, scalars.alignment);
    return assigner.next(parts, scalars.size, scalars.alignment, !is_structure(plain));
}

Place next_of_rust(ArgumentAssigner &assigner, const Type &plain, Passed passed) {
    const RustValue value = rust_value_of(plain);
    switch (value.kind) {
        case RustValue::Kind::Nothing:
            return ctypes::absent("its type is empty");
        case RustValue::Kind::Numbers:
            return assigner.each(value.numbers);
        case RustValue::Kind::Address:
            return assigner.reference();
        case RustValue::Kind::Either:
            if (passed == Passed::Itself) return assigner.each(value.numbers);
            return passed == Passed::Address ? assigner.reference() : assigner.lost();
        case RustValue::Kind::Unknown:
            break;
    }
    return assigner.lost();
}

}  // namespace

Place result_place(std::string_view arch, const Type &type) {
    const arch::Arch *known = arch::find(arch);
    const Type plain = type.stripped().completed();
    const Scalars scalars = scalars_of(plain);
    if (!scalars.known || scalars.size == 0) return ctypes::absent("the size of its type is not known");
    if (scalars.size > kWord && !known)
        return ctypes::absent("how " + std::string(arch.empty() ? "this processor" : arch) +
                              " returns a value of more than 8 bytes is not known");
    const arch::Arch &machine = known ? *known : arch::host();
    if (is_in_memory(machine, plain, scalars))
        return machine.result.address_is_returned
                   ? in_memory(ctypes::register_term(machine.result.first))
                   : ctypes::absent("it is returned at an address that only its caller knows");
    const arch::Parts parts = machine.arguments.parts(scalars.list, scalars.size, scalars.misplaced);
    Place place;
    place.kind = Place::Kind::Pieces;
    size_t integers = 0, vectors = 0;
    bool readable = false;
    for (size_t i = 0; i < parts.count; ++i) {
        const arch::Part &part = parts.list[i];
        Place one = ctypes::absent(kReturnedInVector);
        if (part.hold == arch::Hold::Integer)
            one = in_register(integers++ == 0 ? machine.result.first : machine.result.second);
        else if (part.hold == arch::Hold::Vector && machine.arguments.first_vector && part.bytes <= kWord)
            one = in_register(static_cast<int64_t>(machine.arguments.first_vector + vectors++));
        readable |= one.kind != Place::Kind::Absent;
        place.pieces.push_back({std::move(one), part.bytes});
    }
    if (!readable) return ctypes::absent(kReturnedInVector);
    return place.pieces.size() == 1 ? place.pieces[0].place : place;
}

std::vector<Place> argument_places(std::string_view arch, const std::vector<Type> &types, const Type &result,
                                   Convention convention, const std::vector<Passed> &passed) {
    std::vector<Place> places;
    const arch::Arch *known = arch::find(arch);
    if (!known)
        return {types.size(),
                ctypes::absent("how " + std::string(arch) + " passes arguments is not known, debug information tells")};
    ArgumentAssigner assigner(known->arguments, convention == Convention::Exact   ? Pairs::Whole
                                                : convention == Convention::Split ? Pairs::Split
                                                                                  : Pairs::Unknown);
    const Type plain = result.stripped().completed();
    const bool rust = convention == Convention::Rust;
    if (plain.info().kind != TypeKind::Void) {
        const Scalars scalars = scalars_of(plain);
        const RustValue value = rust ? rust_value_of(plain) : RustValue{};
        if (rust ? value.result == RustValue::Result::Unknown : is_structure(plain) && !scalars.known) assigner.lost();
        if (known->result.address_is_argument &&
            (rust ? value.result == RustValue::Result::InMemory : is_in_memory(*known, plain, scalars)))
            assigner.reference();
    }
    for (size_t i = 0; i < types.size(); ++i) {
        const Type argument = types[i].stripped().completed();
        const Passed more = i < passed.size() ? passed[i] : Passed::Unknown;
        places.push_back(rust ? next_of_rust(assigner, argument, more) : next_of_c(assigner, *known, argument));
    }
    return places;
}

}  // namespace tapir::target
