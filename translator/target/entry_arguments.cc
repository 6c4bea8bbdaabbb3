// SPDX-License-Identifier: GPL-2.0-or-later
#include "target/entry_arguments.h"

#include <algorithm>

#include "common/demangle.h"
#include "dwarf/first_instruction.h"
#include "target/argument_assigner.h"
#include "target/calling_convention.h"
#include "target/go_calls.h"
#include "target/rust_values.h"

namespace tapir::target {

using ctypes::Place;
using ctypes::Term;
using ctypes::TermOp;
using ctypes::TermPtr;

namespace {

constexpr const char *kUnlikeTheRules =
    "the debug information has some parameter elsewhere than Go passes it (another may have no name)";

bool same(const Place &a, const Place &b) {
    if (a.kind != b.kind || a.pieces.size() != b.pieces.size()) return false;
    if (a.kind == Place::Kind::Pieces)
        return std::equal(a.pieces.begin(), a.pieces.end(), b.pieces.begin(),
                          [](const ctypes::Piece &x, const ctypes::Piece &y) { return same(x.place, y.place); });
    return a.kind == Place::Kind::Absent || term_text(*a.term) == term_text(*b.term);
}

bool is_whole(const Place &place) {
    return std::none_of(place.pieces.begin(), place.pieces.end(),
                        [](const ctypes::Piece &piece) { return piece.place.kind == Place::Kind::Absent; });
}

// In registers or on the caller's stack, where nothing but a caller has put it.
bool is_passed(const Place &place, const arch::Arch &arch) {
    if (place.kind == Place::Kind::Pieces)
        return std::all_of(place.pieces.begin(), place.pieces.end(),
                           [&](const ctypes::Piece &piece) { return is_passed(piece.place, arch); });
    if (place.kind == Place::Kind::Register) return true;
    const Term *base = place.kind == Place::Kind::Memory ? place.term.get() : nullptr;
    if (base && base->op == TermOp::Add) base = base->operands[0].get();
    return base && base->op == TermOp::Register && base->constant == arch.arguments.stack_pointer;
}

// Is it at an address that the function has been given instead of it?
bool is_by_address(const Place &in_body) {
    return in_body.kind == Place::Kind::Memory && in_body.term->op == TermOp::Load;
}

// True if the ABI's place is memory that the caller passes by address.
bool is_address(const Place &place, const arch::Arch &arch) {
    return place.kind == Place::Kind::Memory && !is_passed(place, arch);
}

// Is it at an address that is on the caller's stack?
bool is_behind_stack(const Place &place, const arch::Arch &arch) {
    return place.kind == Place::Kind::Memory && place.term->op == TermOp::Load &&
           is_passed(in_memory(place.term->operands[0]), arch);
}

// LLVM describes an argument passed by an address on the stack as if it were there itself.
Place behind_address(const Place &told, Passed passed, const arch::Arch &arch) {
    const bool by_address = passed == Passed::Address && told.kind == Place::Kind::Memory && is_passed(told, arch);
    return by_address ? in_memory(ctypes::load_term(8, told.term)) : ctypes::absent(told.why);
}

// Kinds of places for passing a parameter. Each parameter takes the next place of its kinds.
enum Kinds : unsigned { kNowhere = 0, kIntegers = 1, kVectors = 2, kStack = 4 };

unsigned kinds_of(const Place &place, const arch::Arch &arch) {
    unsigned kinds = kNowhere;
    for (const ctypes::Piece &piece : place.pieces)
        kinds |= kinds_of(piece.place, arch);
    if (place.kind == Place::Kind::Register)
        kinds |=
            place.term->op == TermOp::Register && place.term->constant >= arch.saved_registers ? kVectors : kIntegers;
    if (place.kind == Place::Kind::Memory) kinds |= is_passed(place, arch) ? kStack : kIntegers;
    return kinds;
}

TermPtr before_call(const TermPtr &term, const arch::Arguments &convention) {
    if (term->op == TermOp::Register && term->constant == convention.stack_pointer)
        return ctypes::make_term(TermOp::Add, term,
                                 ctypes::constant_term(-static_cast<int64_t>(convention.stack_offset)));
    if (term->operands.empty()) return term;
    auto changed = std::make_shared<Term>(*term);
    for (TermPtr &operand : changed->operands)
        operand = before_call(operand, convention);
    return changed->op == TermOp::Add ? ctypes::make_term(TermOp::Add, changed->operands[0], changed->operands[1])
                                      : changed;
}

}  // namespace

Place before_call(const DebugObject &object, const Place &place) {
    const arch::Arch *arch = dwarf::arch_of(*object.object);
    Place before = place;
    if (!arch) return before;
    // The return address chooses it.
    if (before.term && ctypes::has_op(*before.term, TermOp::Unknown))
        return ctypes::absent("the function asks its caller for it, which is known only once it is called");
    if (before.term) before.term = before_call(before.term, arch->arguments);
    for (ctypes::Piece &piece : before.pieces)
        piece.place = before_call(object, piece.place);
    return before;
}

static bool is_unoptimized(const DebugObject &object, const dwarf::CodeSite &site) {
    const auto [at, is_new] = object.unoptimized.try_emplace(site.unit, false);
    if (is_new) at->second = dwarf::is_unoptimized(*object.object, *object.index, site.unit);
    return at->second;
}

std::optional<dwarf::CodeSite> behind_prologue(const DebugObject &object, const dwarf::CodeSite &site) {
    // Its compiler marks an end of the prologue where parameters are not yet in the frame.
    if (is_go(object, site)) return std::nullopt;
    return dwarf::behind_prologue(*object.object, site, is_unoptimized(object, site));
}

// Returns how a parameter is passed, by how the function's body finds it. Unknown if `told` does not say that it is
// there later.
static Passed passed_of(const DebugObject &object, const dwarf::CodeSite &site, const dwarf::ScopeVariable &parameter,
                        const Place &told) {
    if (!told.later) return Passed::Unknown;
    return is_by_address(dwarf::place_in_body(*object.object, site, parameter)) ? Passed::Address : Passed::Itself;
}

// Decides by the bodies of other functions of the unit, which one compiler has made.
static Passed either_passed(const DebugObject &object, uint32_t unit, const arch::Arch &arch) {
    constexpr int kMostFunctions = 1000;
    const auto [at, is_new] = object.either.try_emplace(unit, Passed::Unknown);
    int left = is_new ? kMostFunctions : 0;
    for (const dwarf::FunctionEntry &entry : object.index->functions()) {
        if (entry.unit != unit || !(entry.flags & dwarf::kOutOfLine)) continue;
        if (left-- <= 0 || at->second != Passed::Unknown) break;
        dwarf::CodeSite site;
        site.pc = entry.entry;
        site.function = entry.die;
        site.unit = unit;
        site.at_entry = true;
        for (const dwarf::ScopeVariable &parameter : dwarf::parameters_of(*object.object, site)) {
            const ctypes::Type type = dwarf::type_of_variable(*object.object, *object.types, parameter);
            if (at->second != Passed::Unknown) break;
            if (rust_value_of(type.stripped().completed()).kind != RustValue::Kind::Either) continue;
            const Place told = dwarf::place_of_variable(*object.object, *object.index, site, parameter);
            at->second = is_address(told, arch) ? Passed::Address
                         : told.kind == Place::Kind::Register || !told.pieces.empty()
                             ? Passed::Itself
                             : passed_of(object, site, parameter, told);
        }
    }
    return at->second;
}

// Rust's compilers mangle the names of all functions but those that other languages call, as they call each other.
static bool is_called_as_rust(const DebugObject &object, const dwarf::CodeSite &site) {
    const dwarf::FunctionEntry *function = object.index->function_at(site.pc);
    return function && is_mangled(object.index->text(function->linkage_name));
}

static Passed passed_by_type(const DebugObject &object, const dwarf::CodeSite &site, const ctypes::Type &type,
                             const arch::Arch &arch) {
    const ctypes::Type plain = type.stripped().completed();
    if (dwarf::call_rules(*object.index, site) != dwarf::CallRules::Rust)
        return plain.source && plain.source->is_copied_by_function(plain.id) ? Passed::Address : Passed::Itself;
    if (!is_called_as_rust(object, site)) return Passed::Unknown;
    switch (rust_value_of(plain).kind) {
        case RustValue::Kind::Address:
            return Passed::Address;
        case RustValue::Kind::Either:
            return either_passed(object, site.unit, arch);
        case RustValue::Kind::Unknown:
            return Passed::Unknown;
        default:
            return Passed::Itself;
    }
}

static Convention convention_of(dwarf::Compiler compiler) {
    switch (compiler) {
        case dwarf::Compiler::Gcc:
        case dwarf::Compiler::Llvm:
            return Convention::Exact;
        case dwarf::Compiler::LlvmBefore18:
            return Convention::Split;
        case dwarf::Compiler::Other:
            break;
    }
    return Convention::C;
}

bool is_address_on_stack(const DebugObject &object, const dwarf::CodeSite &entry,
                         const dwarf::ScopeVariable &parameter) {
    const arch::Arch *arch = dwarf::arch_of(*object.object);
    if (!arch || dwarf::compiler_of(*object.object, *object.index, entry) == dwarf::Compiler::Gcc) return false;
    const Place told = dwarf::place_of_variable(*object.object, *object.index, entry, parameter);
    const ctypes::Type type = dwarf::type_of_variable(*object.object, *object.types, parameter);
    const Place behind = behind_address(told, passed_by_type(object, entry, type, *arch), *arch);
    if (behind.kind == Place::Kind::Absent) return false;
    const std::vector<dwarf::ScopeVariable> parameters = dwarf::parameters_of(*object.object, entry);
    const std::vector<Place> arguments = entry_arguments(object, entry);
    for (size_t i = 0; i < arguments.size(); ++i)
        if (parameters[i].die == parameter.die) return same(arguments[i], behind);
    return false;
}

static bool is_at(const Place &place, const arch::Arch &arch, int64_t offset) {
    const Place there = at_stack_pointer(arch.arguments, offset);
    return place.kind == Place::Kind::Memory && term_text(*place.term) == term_text(*there.term);
}

// Returns the registers of a value, in order: Go leaves the gaps between members out of its description.
static std::vector<std::string> registers_of(const Place &place) {
    std::vector<std::string> registers;
    if (place.kind == Place::Kind::Register) registers.push_back(term_text(*place.term));
    for (const ctypes::Piece &piece : place.pieces)
        if (piece.place.kind == Place::Kind::Register) registers.push_back(term_text(*piece.place.term));
    return registers;
}

namespace {

struct GoTypes {
    std::vector<ctypes::Type> parameters, results;
};

}  // namespace

// In the debug information, results are parameters, too.
static GoTypes go_types(const DebugObject &object, const std::vector<dwarf::ScopeVariable> &parameters) {
    GoTypes types;
    for (const dwarf::ScopeVariable &parameter : parameters)
        (parameter.result ? types.results : types.parameters)
            .push_back(dwarf::type_of_variable(*object.object, *object.types, parameter));
    return types;
}

std::vector<Variable> go_function_results(const DebugObject &object, const dwarf::CodeSite &site) {
    const arch::Arch *arch = dwarf::arch_of(*object.object);
    const auto parameters = dwarf::parameters_of(*object.object, site);
    const GoTypes types = go_types(object, parameters);
    std::vector<Variable> found;
    if (!arch || types.results.empty()) return found;
    std::vector<Place> places = go_results(*arch, types.parameters, types.results, go_uses_registers(object, site));
    for (const dwarf::ScopeVariable &parameter : parameters) {
        if (!parameter.result) continue;
        const size_t i = found.size();
        // The compiler calls those without a name "~r0" and so on.
        const std::string name = parameter.name.starts_with('~') ? parameter.name.substr(1) : parameter.name;
        found.push_back({name, types.results[i], with_gaps(std::move(places[i]), types.results[i])});
    }
    return found;
}

// The arguments of a Go function. The debug information leaves out parameters without a name ("_"), though they are
// passed. The places of the others show whether that happened.
static std::vector<Place> go_entry_arguments(const DebugObject &object, const dwarf::CodeSite &site,
                                             const arch::Arch &arch) {
    const auto parameters = dwarf::parameters_of(*object.object, site);
    const GoTypes types = go_types(object, parameters);
    const std::vector<GoArgument> passed =
        go_arguments(arch, types.parameters, types.results, go_uses_registers(object, site));
    std::vector<Place> places, kept;
    size_t next = 0;
    bool agrees = true;
    for (const dwarf::ScopeVariable &parameter : parameters) {
        if (parameter.result) {
            places.push_back(ctypes::absent("it is a result, which the function has yet to set"));
            kept.push_back(places.back());
            continue;
        }
        const GoArgument &argument = passed[next++];
        const Place told = dwarf::place_of_variable(*object.object, *object.index, site, parameter);
        const bool holds = told.kind != Place::Kind::Absent && !told.later;
        // Location lists of Go have a wrong offset for arguments on the stack.
        const bool on_stack = argument.place.kind == Place::Kind::Memory;
        if (argument.place.kind != Place::Kind::Absent && !(holds && on_stack))
            agrees &= holds        ? registers_of(told) == registers_of(argument.place)
                      : told.later ? is_at(dwarf::place_in_body(*object.object, site, parameter), arch, argument.home)
                                   : true;
        places.push_back(argument.place);
        kept.push_back(ctypes::absent(kUnlikeTheRules));
    }
    return agrees ? places : kept;
}

std::vector<Place> entry_arguments(const DebugObject &object, const dwarf::CodeSite &site) {
    const arch::Arch *const machine = dwarf::arch_of(*object.object);
    if (machine && is_go(object, site)) return go_entry_arguments(object, site, *machine);
    const dwarf::Callers callers = dwarf::callers_of(*object.object, *object.index, site);
    const dwarf::CallRules rules = dwarf::call_rules(*object.index, site);
    const arch::Arch *arch = dwarf::arch_of(*object.object);
    if (rules == dwarf::CallRules::Unknown || !arch) return {};
    const auto parameters = dwarf::parameters_of(*object.object, site);
    std::vector<ctypes::Type> types;
    std::vector<Place> told, kept;  // by the debug information; corrections of it
    std::vector<Passed> passed;     // as the function's body finds them
    for (const dwarf::ScopeVariable &parameter : parameters) {
        types.push_back(dwarf::type_of_variable(*object.object, *object.types, parameter));
        told.push_back(dwarf::place_of_variable(*object.object, *object.index, site, parameter));
        passed.push_back(passed_of(object, site, parameter, told.back()));
        const Passed by_type = passed_by_type(object, site, types.back(), *arch);
        kept.push_back(behind_address(told.back(), by_type, *arch));
        if (rules == dwarf::CallRules::Rust && passed.back() == Passed::Unknown) passed.back() = by_type;
    }
    const Convention convention = rules == dwarf::CallRules::Rust
                                      ? Convention::Rust
                                      : convention_of(dwarf::compiler_of(*object.object, *object.index, site));
    std::vector<Place> places =
        argument_places(arch->name, types, dwarf::return_type(*object.object, *object.types, site), convention, passed);
    // A function of C has the value itself on the stack. Rust has its address there only where the registers do not
    // suffice; arguments that the compiler leaves out free some.
    for (size_t i = 0; rules == dwarf::CallRules::Rust && i < parameters.size(); ++i)
        if (!is_behind_stack(places[i], *arch)) kept[i] = ctypes::absent(told[i].why);
    if (callers == dwarf::Callers::Unknown) return kept;
    // LLVM does not pass what all calls from the same file make the same constant, and says nothing of it where the
    // function has that in its frame. Then those that follow are in the places of those before them.
    unsigned proven = callers == dwarf::Callers::Unsure && !is_unoptimized(object, site) ? kNowhere : ~0u;
    for (size_t i = parameters.size(); i-- > 0;) {
        if (told[i].later && (kinds_of(places[i], *arch) & ~proven))
            places[i] = kept[i];
        else if (told[i].kind != Place::Kind::Absent && same(told[i], places[i]))
            proven |= kinds_of(places[i], *arch);
    }
    for (size_t i = 0; i < parameters.size(); ++i) {
        const bool known = places[i].kind != Place::Kind::Absent, as_address = is_address(places[i], *arch);
        if (known && passed[i] == Passed::Address && !as_address) return kept;
        if (told[i].later || (known && dwarf::is_register_of_gcc(*object.object, *object.index, site, parameters[i])))
            continue;
        const Place &there = kept[i].kind == Place::Kind::Absent ? told[i] : kept[i];
        if ((is_passed(there, *arch) || is_address(there, *arch)) && known && is_whole(places[i]) &&
            !same(there, places[i]))
            return kept;
        const bool nowhere = told[i].kind == Place::Kind::Absent;
        if (nowhere && (callers == dwarf::Callers::Any || is_unoptimized(object, site))) continue;
        if (nowhere && callers == dwarf::Callers::Unsure) return kept;
        places[i] = kept[i];
    }
    return places;
}

}  // namespace tapir::target
