// SPDX-License-Identifier: GPL-2.0-or-later
#include "dwarf/scopes.h"

#include <dwarf.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <unordered_set>

#include "dwarf/expressions.h"
#include "dwarf/first_instruction.h"
#include "dwarf/numbers.h"
#include "dwarf/top_level.h"
#include "dwarf/unit_scopes.h"
#include "names/qualified_name.h"

namespace tapir::dwarf {

namespace {

// Blocks within each other are entered no deeper.
// Languages that DWARF's headers here do not know yet.
constexpr uint64_t kLangCxx17 = 0x2a, kLangCxx20 = 0x2b, kLangC17 = 0x2c, kLangCxx23 = 0x3a, kLangC23 = 0x3e;

bool is_variable(int tag) {
    return tag == DW_TAG_formal_parameter || tag == DW_TAG_variable;
}

// True if a block, or one within it, has code at this address. GCC leaves moved code out of a block, though blocks
// within have it.
bool has_code_at(Dwarf_Die *block, uint64_t pc, int depth) {
    if (dwarf_haspc(block, pc) == 1) return true;
    Dwarf_Die child;
    if (depth > kMaxNesting || dwarf_child(block, &child) != 0) return false;
    do {
        if (dwarf_tag(&child) == DW_TAG_lexical_block && has_code_at(&child, pc, depth + 1)) return true;
    } while (dwarf_siblingof(&child, &child) == 0);
    return false;
}

class Collector {
  public:
    Collector(const Object &object, uint64_t pc) : object_(object), pc_(pc) {}

    // Variables of the blocks that contain pc, outer blocks first: each level's list.
    void enter(Dwarf_Die *scope, int depth) {
        levels_.emplace_back();
        Dwarf_Die child;
        if (depth > kMaxNesting || dwarf_child(scope, &child) != 0) return;
        std::vector<Dwarf_Die> blocks;
        do {
            const int tag = dwarf_tag(&child);
            if (is_variable(tag)) {
                const char *name = dwarf_diename(&child);
                if (name)
                    levels_.back().push_back({name, object_.id_of(&child), tag == DW_TAG_formal_parameter, false});
            } else if (tag == DW_TAG_lexical_block && has_code_at(&child, pc_, depth)) {
                blocks.push_back(child);
            }
        } while (dwarf_siblingof(&child, &child) == 0);
        for (Dwarf_Die &block : blocks)
            enter(&block, depth + 1);
    }

    std::vector<ScopeVariable> take() {
        std::vector<ScopeVariable> visible;
        for (auto level = levels_.rbegin(); level != levels_.rend(); ++level)
            for (ScopeVariable &variable : *level)
                if (names_.insert(variable.name).second) visible.push_back(std::move(variable));
        return visible;
    }

  private:
    const Object &object_;
    uint64_t pc_;
    std::vector<std::vector<ScopeVariable>> levels_;
    std::unordered_set<std::string> names_;
};

void find_constants(const Object &object, Dwarf_Die *scope, int depth, std::vector<ScopeVariable> &found) {
    Dwarf_Die child;
    if (depth > kMaxNesting || dwarf_child(scope, &child) != 0) return;
    do {
        const int tag = dwarf_tag(&child);
        const char *name = is_variable(tag) ? dwarf_diename(&child) : nullptr;
        if (name && dwarf_hasattr_integrate(&child, DW_AT_const_value))
            found.push_back({name, object.id_of(&child), tag == DW_TAG_formal_parameter, false});
        if (tag == DW_TAG_lexical_block) find_constants(object, &child, depth + 1, found);
    } while (dwarf_siblingof(&child, &child) == 0);
}

// Returns constants of the function that this code is a copy of: copies leave out variables without memory. If several
// have one name, it is unknown which is meant; these are left out.
std::vector<ScopeVariable> constants_of_origin(const Object &object, Dwarf_Die *function) {
    Dwarf_Die origin;
    Dwarf_Attribute attribute;
    std::vector<ScopeVariable> found;
    if (!dwarf_attr(function, DW_AT_abstract_origin, &attribute) || !dwarf_formref_die(&attribute, &origin))
        return found;
    find_constants(object, &origin, 0, found);
    std::map<std::string, int> times;
    for (const ScopeVariable &constant : found)
        ++times[constant.name];
    std::erase_if(found, [&](const ScopeVariable &constant) { return times[constant.name] > 1; });
    return found;
}

std::vector<ScopeVariable> described_at(const Object &object, const CodeSite &site, Dwarf_Die *function) {
    Collector collector(object, site.pc);
    collector.enter(function, 0);
    return collector.take();
}

bool is_among(const std::vector<ScopeVariable> &variables, std::string_view name) {
    return std::any_of(variables.begin(), variables.end(),
                       [&](const ScopeVariable &variable) { return variable.name == name; });
}

}  // namespace

std::vector<ScopeVariable> variables_at(const Object &object, const CodeSite &site) {
    Dwarf_Die function;
    if (!object.die_at(site.function, function)) return {};
    std::vector<ScopeVariable> variables = described_at(object, site, &function);
    for (ScopeVariable &constant : constants_of_origin(object, &function))
        if (!is_among(variables, constant.name)) variables.push_back(std::move(constant));
    return variables;
}

namespace {

// The unit whose sources a DIE is of: where a program was optimized as a whole, code and variables are in a unit that
// has no sources, and refer to those they were made of. Nothing if that is the DIE's own.
std::optional<Dwarf_Die> home_of(Dwarf_Die *die) {
    constexpr int kMaxReferences = 4;
    Dwarf_Attribute attribute;
    Dwarf_Die at = *die, unit;
    for (int i = 0; i < kMaxReferences; ++i)
        if (!dwarf_attr(&at, DW_AT_abstract_origin, &attribute) || !dwarf_formref_die(&attribute, &at)) break;
    if (at.cu == die->cu || !dwarf_diecu(&at, &unit, nullptr, nullptr) || dwarf_tag(&unit) != DW_TAG_compile_unit)
        return std::nullopt;
    return unit;
}

uint32_t home_of(const Object &object, const Index &index, const CodeSite &site) {
    Dwarf_Die function;
    const auto home = object.die_at(site.function, function) ? home_of(&function) : std::nullopt;
    if (!home) return site.unit;
    Dwarf_Die unit = *home;
    const uint64_t id = object.id_of(&unit);
    const auto found = std::find_if(index.units().begin(), index.units().end(),
                                    [&](const UnitEntry &entry) { return entry.die == id; });
    return found == index.units().end() ? site.unit : static_cast<uint32_t>(found - index.units().begin());
}

// Returns the variable in the innermost of a function's scopes, if several have the name.
template <typename Accept>
const VariableEntry *innermost(const Index &index, std::span<const VariableEntry> found, std::string_view function,
                               Accept accept) {
    const std::vector<std::string_view> scopes = split_name(function).parts;
    const VariableEntry *best = nullptr;
    size_t best_depth = 0;
    for (const VariableEntry &entry : found) {
        if (!accept(entry)) continue;
        const std::vector<std::string_view> parts = index.parts(entry.scope, entry.name);
        const bool around = parts.size() <= scopes.size() && std::equal(parts.begin(), parts.end() - 1, scopes.begin());
        const size_t depth = around ? parts.size() : 0;
        if (best && depth <= best_depth) continue;
        best = &entry;
        best_depth = depth;
    }
    return best;
}

// A variable of one of the units that a unit imports.
std::optional<ScopeVariable> find_imported(const Object &object, const Index &index, uint32_t unit_number,
                                           std::string_view name) {
    const auto found = index.variables(name);
    Dwarf_Die unit;
    std::optional<ScopeVariable> imported;
    if (found.empty() || unit_number >= index.units().size() || !object.die_at(index.units()[unit_number].die, unit))
        return imported;
    for_top_level(object, unit, [&](Dwarf_Die *die) {
        if (dwarf_tag(die) != DW_TAG_variable) return true;
        const uint64_t id = object.id_of(die);
        for (const VariableEntry &entry : found)
            if (entry.die == id && !(entry.flags & kVariableDeclared))
                imported = ScopeVariable{std::string(name), id, false, true};
        return !imported;
    });
    return imported;
}

bool find_static_in(Dwarf_Die *scope, std::string_view name, Dwarf_Die *home, int depth, Dwarf_Die &found);

// A static variable of the function that this code is a copy of, inlined or not: copies need not have it.
std::optional<ScopeVariable> find_static_of_origin(const Object &object, const CodeSite &site, std::string_view name) {
    Dwarf_Die function, origin, found;
    Dwarf_Attribute attribute;
    if (!object.die_at(site.function, function) || !dwarf_attr(&function, DW_AT_abstract_origin, &attribute) ||
        !dwarf_formref_die(&attribute, &origin) || !find_static_in(&origin, name, nullptr, 0, found))
        return std::nullopt;
    return ScopeVariable{std::string(name), object.id_of(&found), false, true};
}

// A static variable of a block of the function that has no code here, or none at all.
std::optional<ScopeVariable> find_static_of_blocks(const Object &object, const CodeSite &site, std::string_view name) {
    Dwarf_Die function, found;
    if (!object.die_at(site.function, function) || !find_static_in(&function, name, nullptr, 0, found))
        return std::nullopt;
    return ScopeVariable{std::string(name), object.id_of(&found), false, true};
}

}  // namespace

std::optional<ScopeVariable> find_variable(const Object &object, const Index &index, const CodeSite &site,
                                           std::string_view name) {
    Dwarf_Die function;
    const bool is_known = object.die_at(site.function, function);
    if (is_known)
        for (ScopeVariable &variable : described_at(object, site, &function))
            if (variable.name == name) return std::move(variable);
    if (auto of_origin = find_static_of_origin(object, site, name)) return of_origin;
    if (is_known)
        for (ScopeVariable &constant : constants_of_origin(object, &function))
            if (constant.name == name) return std::move(constant);
    const auto found = index.variables(name);
    const auto best_of = [&](auto accept) { return innermost(index, found, site.name, accept); };
    const auto is_declared = [](const VariableEntry &entry) { return (entry.flags & kVariableDeclared) != 0; };
    const uint32_t home = found.empty() ? 0 : home_of(object, index, site);
    const VariableEntry *best =
        best_of([&](const VariableEntry &entry) { return entry.home == home && !is_declared(entry); });
    if (!best)
        best = best_of([&](const VariableEntry &entry) {
            return entry.unit == site.unit && entry.home == site.unit && !is_declared(entry);
        });
    if (best) return ScopeVariable{std::string(name), best->die, false, true};
    if (auto imported = find_imported(object, index, site.unit, name)) return imported;
    // The unit may declare what another one defines, or a symbol alone.
    best = best_of([&](const VariableEntry &entry) {
        return entry.flags == kVariableExternal && index.parts(entry.scope, entry.name).size() == 1;
    });
    if (best) return ScopeVariable{std::string(name), best->die, false, true};
    best = best_of(is_declared);
    if (best && object.symbols().variable_address(name))
        return ScopeVariable{std::string(name), best->die, false, true};
    return find_static_of_blocks(object, site, name);
}

namespace {

bool is_static(const Dwarf_Op *ops, size_t count) {
    return count > 0 &&
           (ops[0].atom == DW_OP_addr || ops[0].atom == DW_OP_addrx || ops[0].atom == DW_OP_GNU_addr_index ||
            ops[count - 1].atom == DW_OP_GNU_push_tls_address || ops[count - 1].atom == DW_OP_form_tls_address);
}

// Searches the blocks of one function, or a namespace or class with functions. If `home` is not null, searches only
// DIEs made from that unit's.
bool find_static_in(Dwarf_Die *scope, std::string_view name, Dwarf_Die *home, int depth, Dwarf_Die &found) {
    Dwarf_Die child;
    if (depth > kMaxNesting || dwarf_child(scope, &child) != 0) return false;
    do {
        const int tag = dwarf_tag(&child);
        Dwarf_Attribute location;
        Dwarf_Op *ops = nullptr;
        size_t count = 0;
        const char *own = tag == DW_TAG_variable ? dwarf_diename(&child) : nullptr;
        const auto is_of_home = [&] {
            const auto unit = home ? home_of(&child) : std::nullopt;
            return !home || (unit && unit->addr == home->addr);
        };
        if (own && own == name && dwarf_attr_integrate(&child, DW_AT_location, &location) &&
            expression_of(location, ops, count) == 0 && is_static(ops, count) && is_of_home()) {
            found = child;
            return true;
        }
        const bool enters = tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block || tag == DW_TAG_namespace ||
                            tag == DW_TAG_structure_type || tag == DW_TAG_class_type ||
                            tag == DW_TAG_inlined_subroutine;
        if (enters && find_static_in(&child, name, home, depth + 1, found)) return true;
    } while (dwarf_siblingof(&child, &child) == 0);
    return false;
}

}  // namespace

std::optional<ScopeVariable> find_function_static(const Object &object, const Index &index, uint32_t unit,
                                                  std::string_view name) {
    constexpr std::string_view kWithoutSources = "<artificial>";
    Dwarf_Die die, other, found;
    if (unit >= index.units().size() || !object.die_at(index.units()[unit].die, die)) return std::nullopt;
    bool is_there = find_static_in(&die, name, nullptr, 0, found);
    for (const UnitEntry &entry : index.units()) {
        if (is_there) break;
        is_there = index.text(entry.name) == kWithoutSources && object.die_at(entry.die, other) &&
                   find_static_in(&other, name, &die, 0, found);
    }
    if (!is_there) return std::nullopt;
    return ScopeVariable{std::string(name), object.id_of(&found), false, true};
}

namespace {

bool is_by_address(Dwarf_Die *type) {
    Dwarf_Die plain;
    return dwarf_peel_type(type, &plain) == 0 &&
           number_of(&plain, DW_AT_calling_convention).constant() == DW_CC_pass_by_reference;
}

bool type_of(Dwarf_Die *variable, Dwarf_Die &type) {
    Dwarf_Attribute attribute;
    return dwarf_attr_integrate(variable, DW_AT_type, &attribute) && dwarf_formref_die(&attribute, &type);
}

std::vector<Dwarf_Die> parameter_dies(Dwarf_Die *function) {
    std::vector<Dwarf_Die> dies;
    Dwarf_Die child;
    if (dwarf_child(function, &child) != 0) return dies;
    do {
        if (dwarf_tag(&child) == DW_TAG_formal_parameter) dies.push_back(child);
    } while (dwarf_siblingof(&child, &child) == 0);
    return dies;
}

// Returns the declared parameters that are described, each the first that it can be; empty if they do not agree.
template <typename Same>
std::vector<size_t> first_places(size_t described, size_t declared, const Same &same) {
    std::vector<size_t> places;
    for (size_t at = 0; at < declared && places.size() < described; ++at)
        if (same(places.size(), at)) places.push_back(at);
    return places.size() == described ? places : std::vector<size_t>{};
}

// Adds parameters that only the method's declaration has, without names: LLVM leaves out parameters that the body does
// not use, if they are passed by address. Adds nothing if it is unclear which these are.
void add_undescribed(const Object &object, std::vector<Dwarf_Die> &described, Dwarf_Die *declaration,
                     std::vector<ScopeVariable> &parameters) {
    std::vector<Dwarf_Die> declared = parameter_dies(declaration);
    const size_t own = described.size(), all = declared.size();
    if (own >= all) return;
    const auto same = [&](size_t one, size_t other) {
        const bool is_this = dwarf_hasattr_integrate(&described[one], DW_AT_artificial);
        Dwarf_Die a, b;
        if (is_this || dwarf_hasattr(&declared[other], DW_AT_artificial))
            return is_this && dwarf_hasattr(&declared[other], DW_AT_artificial);
        return type_of(&described[one], a) && type_of(&declared[other], b) && object.id_of(&a) == object.id_of(&b);
    };
    const std::vector<size_t> places = first_places(own, all, same);
    std::vector<size_t> last =
        first_places(own, all, [&](size_t one, size_t other) { return same(own - 1 - one, all - 1 - other); });
    for (size_t &place : last)
        place = all - 1 - place;
    std::reverse(last.begin(), last.end());
    if (places != last || places.empty()) return;
    std::vector<ScopeVariable> whole;
    for (size_t at = 0, next = 0; at < all; ++at) {
        Dwarf_Die type;
        const bool is_described = next < own && places[next] == at;
        if (!is_described && !(type_of(&declared[at], type) && is_by_address(&type))) return;
        whole.push_back(is_described ? parameters[next++]
                                     : ScopeVariable{"", object.id_of(&declared[at]), true, false, false});
    }
    parameters = std::move(whole);
}

}  // namespace

std::vector<ScopeVariable> parameters_of(const Object &object, const CodeSite &site) {
    std::vector<ScopeVariable> parameters;
    Dwarf_Die function, declaration;
    Dwarf_Attribute attribute;
    if (!object.die_at(site.function, function)) return parameters;
    std::vector<Dwarf_Die> described = parameter_dies(&function);
    for (Dwarf_Die &die : described) {
        const char *name = dwarf_diename(&die);
        bool result = false;
        dwarf_formflag(dwarf_attr(&die, DW_AT_variable_parameter, &attribute), &result);
        parameters.push_back({name ? name : "", object.id_of(&die), true, false, result});
    }
    if (dwarf_attr(&function, DW_AT_specification, &attribute) && dwarf_formref_die(&attribute, &declaration))
        add_undescribed(object, described, &declaration, parameters);
    return parameters;
}

namespace {

// Without those that the compiler adds.
size_t count_written(std::vector<Dwarf_Die> dies) {
    return static_cast<size_t>(std::count_if(
        dies.begin(), dies.end(), [](Dwarf_Die &die) { return !dwarf_hasattr_integrate(&die, DW_AT_artificial); }));
}

// Is the function described with all the parameters of the one in the sources, and called in the common way?
bool is_described_whole(const Object &object, const CodeSite &site, Dwarf_Die *function) {
    Dwarf_Attribute attribute;
    Dwarf_Die origin;
    Dwarf_Word convention = DW_CC_normal;
    if (dwarf_attr_integrate(function, DW_AT_calling_convention, &attribute) &&
        (dwarf_formudata(&attribute, &convention) != 0 || convention != DW_CC_normal))
        return false;
    std::vector<Dwarf_Die> described;
    for (const ScopeVariable &parameter : parameters_of(object, site))
        if (!object.die_at(parameter.die, described.emplace_back())) return false;
    Dwarf_Die whole = *function;
    for (const unsigned name : {DW_AT_abstract_origin, DW_AT_specification}) {
        if (!dwarf_attr(&whole, name, &attribute) || !dwarf_formref_die(&attribute, &origin)) continue;
        whole = origin;
        if (count_written(parameter_dies(&whole)) > count_written(described)) return false;
    }
    return true;
}

Compiler compiler_of(const Object &object, const UnitEntry &unit) {
    constexpr std::string_view kClang = "clang version ";
    Dwarf_Die die;
    Dwarf_Attribute attribute;
    const char *text = object.die_at(unit.die, die) && dwarf_attr(&die, DW_AT_producer, &attribute)
                           ? dwarf_formstring(&attribute)
                           : nullptr;
    const std::string_view producer = text ? text : "";
    if (producer.starts_with("GNU ")) return Compiler::Gcc;
    const size_t at = producer.find(kClang);
    if (at == std::string_view::npos) return Compiler::Other;
    const std::string_view rest = producer.substr(at + kClang.size());
    unsigned version = 0;
    if (std::from_chars(rest.data(), rest.data() + rest.size(), version).ec != std::errc()) return Compiler::Other;
    return version < 18 ? Compiler::LlvmBefore18 : Compiler::Llvm;
}

// GCC gives a changed function another name, and its calls pass all arguments. LLVM changes functions that only their
// own file calls without a trace, and calls from the same file need not pass unused arguments.
bool is_of_gcc(const Object &object, const UnitEntry &unit) {
    return compiler_of(object, unit) == Compiler::Gcc;
}

}  // namespace

const FunctionEntry *function_of(const Index &index, const CodeSite &site) {
    const FunctionEntry *function = index.function_at(site.pc);
    return function && function->die == site.function ? function : nullptr;
}

Callers callers_of(const Object &object, const Index &index, const CodeSite &site) {
    const FunctionEntry *entry = site.at_entry ? function_of(index, site) : nullptr;
    Dwarf_Die function;
    if (!entry || entry->entry != site.pc || (entry->flags & kPart) || entry->unit >= index.units().size() ||
        !object.die_at(site.function, function) || !is_described_whole(object, site, &function))
        return Callers::Unknown;
    if (!(entry->flags & kUnchanged)) return Callers::Unknown;
    const UnitEntry &unit = index.units()[entry->unit];
    if ((entry->flags & kExternal) && (entry->flags & kExported))
        return is_of_gcc(object, unit) && !has_scopes(unit.language) ? Callers::Any : Callers::Own;
    return is_of_gcc(object, unit) ? Callers::Own : Callers::Unsure;
}

namespace {

bool is_structure(Dwarf_Die *variable) {
    Dwarf_Die type;
    if (!type_of(variable, type) || dwarf_peel_type(&type, &type) != 0) return false;
    const int tag = dwarf_tag(&type);
    return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type;
}

// True if a variable within is described as in optimized code. LLVM always describes structures passed by address so.
bool has_optimized(Dwarf_Die *scope, int depth) {
    Dwarf_Die child;
    if (depth > kMaxNesting || dwarf_child(scope, &child) != 0) return false;
    do {
        const int tag = dwarf_tag(&child);
        if (is_variable(tag) && is_optimized(&child) && !is_structure(&child)) return true;
        const bool enters = tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block || tag == DW_TAG_namespace ||
                            tag == DW_TAG_structure_type || tag == DW_TAG_class_type ||
                            tag == DW_TAG_inlined_subroutine;
        if (enters && has_optimized(&child, depth + 1)) return true;
    } while (dwarf_siblingof(&child, &child) == 0);
    return false;
}

}  // namespace

bool is_unoptimized(const Object &object, const Index &index, uint32_t unit) {
    Dwarf_Die die;
    return unit < index.units().size() && object.die_at(index.units()[unit].die, die) && !has_optimized(&die, 0);
}

CallRules call_rules(const Index &index, const CodeSite &site) {
    switch (site.unit < index.units().size() ? index.units()[site.unit].language : 0) {
        case DW_LANG_C89:
        case DW_LANG_C:
        case DW_LANG_C99:
        case DW_LANG_C11:
        case DW_LANG_C_plus_plus:
        case DW_LANG_C_plus_plus_03:
        case DW_LANG_C_plus_plus_11:
        case DW_LANG_C_plus_plus_14:
        case DW_LANG_ObjC:
        case DW_LANG_ObjC_plus_plus:
        case kLangCxx17:
        case kLangCxx20:
        case kLangC17:
        case kLangCxx23:
        case kLangC23:
            return CallRules::C;
        case DW_LANG_Rust:
            return CallRules::Rust;
        default:
            return CallRules::Unknown;
    }
}

Compiler compiler_of(const Object &object, const Index &index, const CodeSite &site) {
    return site.unit < index.units().size() ? compiler_of(object, index.units()[site.unit]) : Compiler::Other;
}

bool is_register_of_gcc(const Object &object, const Index &index, const CodeSite &site, const ScopeVariable &variable) {
    Dwarf_Die die;
    return object.die_at(variable.die, die) && !has_location_list(&die) && is_optimized(&die) &&
           compiler_of(object, index, site) == Compiler::Gcc;
}

std::optional<CodeSite> behind_prologue(const Object &object, const CodeSite &site, bool unoptimized) {
    Dwarf_Die function;
    if (!site.at_entry || site.call || !object.die_at(site.function, function)) return std::nullopt;
    const auto pc = after_prologue(&function, unoptimized);
    if (!pc) return std::nullopt;
    CodeSite moved = site;
    moved.pc = *pc;
    moved.at_entry = false;
    return moved;
}

ctypes::Type type_of_variable(const Object &object, const Types &types, const ScopeVariable &variable) {
    Dwarf_Die die;
    if (!object.die_at(variable.die, die)) return {};
    return {&types, types.type_of(&die)};
}

// Finds the subprogram with code that contains an inlined instance; false if there is no such subprogram.
static bool find_subprogram(const Object &object, const Index &index, const CodeSite &site, Dwarf_Die &instance,
                            Dwarf_Die &subprogram) {
    const FunctionEntry *entry = index.function_at(site.pc);
    if (entry && object.die_at(entry->die, subprogram) && dwarf_haspc(&subprogram, site.pc) == 1) return true;
    // Its code is in several parts. This walks the whole unit.
    Dwarf_Die *scopes = nullptr;
    const int count = dwarf_getscopes_die(&instance, &scopes);
    bool found = false;
    for (int i = 0; i < count && !found; ++i) {
        found = dwarf_tag(&scopes[i]) == DW_TAG_subprogram;
        if (found) subprogram = scopes[i];
    }
    free(scopes);
    return found;
}

// Calls `read`, Place(const LocationContext &), with the context of the site.
template <typename Read>
static ctypes::Place read_at(const Object &object, const Index &index, const CodeSite &site, Read read) {
    Dwarf_Die function, outer;
    LocationContext context{object, site.pc, nullptr, site.at_entry, &index, nullptr, site.frames.get()};
    if (!object.die_at(site.function, function)) return read(context);
    // The frame base belongs to the subprogram.
    const bool in_another =
        dwarf_tag(&function) == DW_TAG_inlined_subroutine && find_subprogram(object, index, site, function, outer);
    context.function = in_another ? &outer : &function;
    return read(context);
}

ctypes::Place place_of_variable(const Object &object, const Index &index, const CodeSite &site,
                                const ScopeVariable &variable) {
    Dwarf_Die die;
    if (!object.die_at(variable.die, die)) return ctypes::absent("its description cannot be read");
    return read_at(object, index, site, [&](const LocationContext &context) { return locate(&die, context); });
}

ctypes::Place measure_at(const Object &object, const Index &index, const Types &types, const CodeSite &site,
                         ctypes::TypeId type) {
    return read_at(object, index, site, [&](const LocationContext &context) { return types.measure(type, context); });
}

ctypes::Place place_in_body(const Object &object, const CodeSite &site, const ScopeVariable &variable) {
    Dwarf_Die die, function;
    if (!object.die_at(variable.die, die) || !object.die_at(site.function, function))
        return ctypes::absent("its description cannot be read");
    return locate(&die, {.object = object, .pc = site.pc, .function = &function});
}

ctypes::Type return_type(const Object &object, const Types &types, const CodeSite &site) {
    Dwarf_Die function;
    if (!object.die_at(site.function, function)) return {};
    return {&types, types.type_of(&function)};
}

}  // namespace tapir::dwarf
