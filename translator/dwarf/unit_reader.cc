// SPDX-License-Identifier: GPL-2.0-or-later
// One walk over the DIEs at the top level of a unit, and inside namespaces, classes, enumerations and the blocks of
// functions.
#include "dwarf/unit_reader.h"

#include <dwarf.h>

#include <algorithm>
#include <utility>

#include "dwarf/numbers.h"
#include "dwarf/top_level.h"
#include "dwarf/unit_scopes.h"

namespace tapir::dwarf {

namespace {

// Blocks and inlined functions within a function are entered no deeper.
constexpr int kMaxBlocks = 256;

Dwarf_Off offset_of(Dwarf_Die die) {
    return dwarf_dieoffset(&die);
}

}  // namespace

void UnitReader::add_unit(Dwarf_Die *die, Dwarf_Die *skeleton) {
    where_ = object_.id_of(die) - dwarf_dieoffset(die);
    const char *directory = directory_of(skeleton ? skeleton : die);
    const char *name = dwarf_diename(die);
    const uint64_t language = language_of(die);
    unit_ = static_cast<uint32_t>(tables_.add(UnitEntry{
        id_of(die), tables_.add_pooled(name), tables_.add_pooled(directory), static_cast<uint32_t>(language), 0}));
    add_files(die, directory);
    if (name && *name == '/' && language != DW_LANG_Mips_Assembler) tables_.narrow_root(name);
    has_scopes_ = has_scopes(language);
    declared_.clear();
    namespaces_.clear();
    within_.clear();
    add_children(die, 0, 0);
    for (const Within &entry : within_)
        if (const auto found = declared_.find(entry.declared); found != declared_.end())
            tables_.set_scope(entry.is_variable, entry.position, found->second);
}

void UnitReader::add_files(Dwarf_Die *die, std::string_view directory) {
    unit_files_.clear();
    Dwarf_Files *files = nullptr;
    size_t count = 0;
    if (dwarf_getsrcfiles(die, &files, &count) != 0) return;
    for (size_t i = 0; i < count; ++i)
        unit_files_.push_back(tables_.add_file(tables_.add_string(path_of(files, i, directory))));
}

// The file that a DIE of the unit, or one it refers to in another unit, was declared in.
uint32_t UnitReader::file_of(const Attributes &a, Dwarf_CU *unit) {
    if (a.file_unit == unit) return a.file < unit_files_.size() ? unit_files_[a.file] : 0;
    return file_elsewhere(tables_, a);
}

uint32_t UnitReader::enter(uint32_t scope, Dwarf_Die *die) {
    return tables_.add_scope(scope, scope_name(die));
}

void UnitReader::add_children(Dwarf_Die *parent, int nesting, uint32_t scope) {
    Dwarf_Die child;
    if (nesting > kMaxScopeDepth || dwarf_child(parent, &child) != 0) return;
    do {
        add_child(&child, dwarf_tag(&child), nesting, scope);
    } while (dwarf_siblingof(&child, &child) == 0);
}

void UnitReader::add_child(Dwarf_Die *child, int tag, int nesting, uint32_t scope) {
    switch (tag) {
        case DW_TAG_subprogram:
            add_function(child, nesting, scope);
            break;
        case DW_TAG_member:
            if (!dwarf_hasattr(child, DW_AT_declaration)) break;
            [[fallthrough]];
        case DW_TAG_variable:
            add_variable(child, scope);
            break;
        case DW_TAG_enumeration_type:
            add_enumerators(child, add_type(child, tag, scope));
            break;
        case DW_TAG_structure_type:
        case DW_TAG_class_type:
        case DW_TAG_union_type:
            scope = add_type(child, tag, scope);
            if (has_scopes_) add_children(child, nesting + 1, enter(scope, child));
            break;
        case DW_TAG_typedef:
        case DW_TAG_base_type:
            add_type(child, tag, scope);
            break;
        case DW_TAG_namespace:
        case DW_TAG_module:
            add_namespace(child, nesting, scope);
            break;
        case DW_TAG_imported_module:
            add_using(child, scope);
            break;
        case DW_TAG_imported_unit:
            if (Dwarf_Die unit; imported_unit(child, unit)) add_import(&unit, nesting);
            break;
        default:
            break;
    }
}

void UnitReader::add_namespace(Dwarf_Die *die, int nesting, uint32_t outer) {
    const uint32_t scope = enter(outer, die);
    namespaces_[dwarf_dieoffset(die)] = {scope, outer};
    if (dwarf_hasattr(die, DW_AT_export_symbols)) tables_.set_inlined(scope);
    add_children(die, nesting + 1, scope);
}

// Members of the imported namespace are in this scope, too: a using directive, or an inline namespace before DWARF 5.
void UnitReader::add_using(Dwarf_Die *die, uint32_t scope) {
    Dwarf_Attribute attribute;
    Dwarf_Die imported;
    if (!dwarf_attr(die, DW_AT_import, &attribute) || !dwarf_formref_die(&attribute, &imported) ||
        imported.cu != die->cu)
        return;
    const auto found = namespaces_.find(dwarf_dieoffset(&imported));
    if (found != namespaces_.end() && found->second.outer == scope && scope != 0)
        tables_.set_inlined(found->second.scope);
}

void UnitReader::add_import(Dwarf_Die *unit, int nesting) {
    const uint64_t id = object_.id_of(unit);
    if (id & kInSupplement) tables_.add_import(id);
    if (has_scopes_ || nesting != 0) return;
    const auto [at, is_new] = imported_.try_emplace(id);
    std::vector<StringRef> &names = at->second;
    if (is_new)
        for_top_level(object_, *unit, [&](Dwarf_Die *die) {
            if (dwarf_tag(die) != DW_TAG_subprogram) return true;
            const Attributes a = attributes_of(die);
            if (a.name && a.external) names.push_back(tables_.add_pooled(a.name));
            return true;
        });
    for (const StringRef name : names)
        tables_.add(DeclaringEntry{name, unit_});
}

// Notes a DIE that later DIEs may refer to as their declaration.
void UnitReader::note(Dwarf_Die *die, uint32_t scope) {
    if (scope != 0) declared_[dwarf_dieoffset(die)] = scope;
}

// The entry at `position` is in the scope of its declaration.
void UnitReader::take_scope(const Attributes &a, Dwarf_Die *die, size_t position, bool is_variable) {
    Dwarf_Die declared = a.declared, unit;
    if (!a.refers()) return;
    if (declared.cu == die->cu)
        within_.push_back({offset_of(declared), position, is_variable});
    else if (is_variable || (dwarf_diecu(&declared, &unit, nullptr, nullptr) && has_scopes(language_of(&unit))))
        tables_.add(IndexTables::Elsewhere{object_.id_of(&declared), position, is_variable});
}

// Go's compiler does not say where functions are declared: the line that the code begins with.
static uint32_t first_line(Dwarf_Die *function, uint64_t pc) {
    Dwarf_Die unit;
    int line = 0;
    if (!dwarf_diecu(function, &unit, nullptr, nullptr) || language_of(&unit) != DW_LANG_Go) return 0;
    Dwarf_Line *row = dwarf_getsrc_die(&unit, pc);
    return row && dwarf_lineno(row, &line) == 0 && line > 0 ? static_cast<uint32_t>(line) : 0;
}

void UnitReader::add_function(Dwarf_Die *die, int nesting, uint32_t scope) {
    const Attributes a = attributes_of(die);
    note(die, scope);
    if (a.name && a.external && nesting == 0 && !has_scopes_)
        tables_.add(DeclaringEntry{tables_.add_pooled(a.name), unit_});
    if (!a.name || a.declaration) return;
    FunctionEntry entry = tables_.function_entry(id_of(die), a, unit_, file_of(a, die->cu));
    entry.scope = scope;
    if (const auto pc = a.low_pc || a.ranges ? entry_pc(die) : std::nullopt) {
        entry.entry = *pc;
        entry.flags |= kOutOfLine;
        if (!entry.line) entry.line = first_line(die, *pc);
    } else if (a.inlined == DW_INL_inlined || a.inlined == DW_INL_declared_inlined) {
        entry.flags |= kInlined;
    } else {
        return;
    }
    take_scope(a, die, tables_.add(entry), false);
    if (!has_scopes_ && !(entry.flags & kOutOfLine)) return;
    Dwarf_Die whole = a.has_origin ? a.declared : *die;
    const std::vector<uint64_t> outer = std::exchange(enclosing_, {object_.id_of(&whole)});
    add_blocks(die, {die, scope, nesting}, 0);
    enclosing_ = outer;
}

// Inlined instances in the code of a function, also within each other; types, and functions within these.
void UnitReader::add_blocks(Dwarf_Die *block, const Function &function, int nesting) {
    Dwarf_Die child;
    if (nesting > kMaxBlocks || dwarf_child(block, &child) != 0) return;
    do {
        switch (const int tag = dwarf_tag(&child)) {
            case DW_TAG_inlined_subroutine:
                enclosing_.push_back(add_instance(&child));
                add_blocks(&child, function, nesting + 1);
                enclosing_.pop_back();
                break;
            case DW_TAG_lexical_block:
                add_blocks(&child, function, nesting + 1);
                break;
            case DW_TAG_subprogram:
            case DW_TAG_structure_type:
            case DW_TAG_class_type:
            case DW_TAG_union_type:
            case DW_TAG_enumeration_type:
                if (!has_scopes_ || function.nesting >= kMaxScopeDepth) break;
                add_child(&child, tag, function.nesting + 1, enter(function.scope, function.die));
                break;
            default:
                break;
        }
    } while (dwarf_siblingof(&child, &child) == 0);
}

// Returns the id of the instance's origin; 0 if it is not known.
uint64_t UnitReader::add_instance(Dwarf_Die *die) {
    Dwarf_Attribute attribute;
    Dwarf_Die origin;
    if (!dwarf_attr(die, DW_AT_abstract_origin, &attribute) || !dwarf_formref_die(&attribute, &origin)) return 0;
    const uint64_t id = object_.id_of(&origin);
    const auto pc = entry_pc(die);
    if (pc && !is_rest(die, &origin, id)) tables_.add(InlineEntry{id, id_of(die), *pc, unit_, 0});
    return id;
}

// The rest of a function that was split, inlined into the function's beginning. The call between them is of the
// compiler's making and is where the function's name is declared; a call of the function by itself is elsewhere.
bool UnitReader::is_rest(Dwarf_Die *die, Dwarf_Die *origin, uint64_t id) const {
    if (std::find(enclosing_.begin(), enclosing_.end(), id) == enclosing_.end()) return false;
    const auto same = [&](unsigned at_call, unsigned at_declaration) {
        Dwarf_Attribute attribute;
        Dwarf_Word call = 0, declaration = 0;
        return dwarf_formudata(dwarf_attr(die, at_call, &attribute), &call) == 0 &&
               dwarf_formudata(dwarf_attr_integrate(origin, at_declaration, &attribute), &declaration) == 0 &&
               call == declaration;
    };
    return same(DW_AT_call_line, DW_AT_decl_line) && same(DW_AT_call_column, DW_AT_decl_column);
}

// A constant static member of a class need not be defined elsewhere. A variable that is only declared may be defined
// without debug information: by a linker's script or in assembly.
void UnitReader::add_variable(Dwarf_Die *die, uint32_t scope) {
    const Attributes a = attributes_of(die);
    note(die, scope);
    const bool is_defined = a.const_value || (a.location && !a.declaration);
    const bool is_declared = a.declaration && a.external && dwarf_tag(die) == DW_TAG_variable;
    if (!a.name || !(is_defined || is_declared)) return;
    VariableEntry entry = {id_of(die), tables_.add_pooled(a.name), unit_, unit_, 0, scope, 0};
    if (a.external) entry.flags |= kVariableExternal;
    if (!is_defined) {
        entry.flags |= kVariableDeclared;
        return tables_.add_declared(entry);
    }
    take_scope(a, die, tables_.add(entry), true);
}

// Returns the scope that the type is in: a nested class may be defined outside of the one that declares it.
uint32_t UnitReader::add_type(Dwarf_Die *die, int tag, uint32_t scope) {
    const Attributes a = attributes_of(die);
    if (a.refers())
        if (const auto found = declared_.find(offset_of(a.declared)); found != declared_.end()) scope = found->second;
    if (a.declaration) note(die, scope);
    if (!a.name || a.declaration) return scope;
    const StringRef name = tables_.add_pooled(a.name);
    tables_.add(TypeEntry{id_of(die), name, static_cast<uint32_t>(tag), unit_, scope},
                tag == DW_TAG_typedef ? 0 : dwarf_bytesize(die));
    return scope;
}

void UnitReader::add_enumerators(Dwarf_Die *die, uint32_t outer) {
    Dwarf_Die child;
    if (dwarf_child(die, &child) != 0) return;
    const uint32_t scope = has_scopes_ ? enter(outer, die) : 0;
    do {
        if (dwarf_tag(&child) != DW_TAG_enumerator) continue;
        const char *name = dwarf_diename(&child);
        const Number value = number_of(&child, DW_AT_const_value);
        if (!name || !value.is_constant()) continue;
        tables_.add(EnumeratorEntry{id_of(die), value.value, tables_.add_pooled(name), unit_, scope, 0});
    } while (dwarf_siblingof(&child, &child) == 0);
}

}  // namespace tapir::dwarf
