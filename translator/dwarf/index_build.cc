// SPDX-License-Identifier: GPL-2.0-or-later
// The index of an object: every unit is read, by several threads, then those units of its dwz supplement that it
// imports. Others there are of other objects.
#include <dwarf.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <unordered_map>
#include <unordered_set>

#include "common/activity.h"
#include "dwarf/index.h"
#include "dwarf/unit_reader.h"
#include "dwarf/unit_scopes.h"
#include "names/symbol_name.h"

namespace tapir::dwarf {

namespace {

// The units in the .dwo file of a skeleton: one, and those of types.
void add_split(UnitReader &reader, const Object &object, Dwarf_CU *skeleton, Dwarf_Die *skeleton_die,
               std::string &why) {
    Dwarf_Die unit, die;
    if (!object.split_unit(skeleton, unit, why)) return;
    reader.add_unit(&unit, skeleton_die);
    Dwarf_CU *cu = nullptr;
    uint8_t type = 0;
    while (dwarf_get_units(dwarf_cu_getdwarf(unit.cu), cu, &cu, nullptr, &type, &die, nullptr) == 0)
        if (type == DW_UT_split_type || type == DW_UT_type) reader.add_unit(&die, skeleton_die);
}

// The units of `from` whose numbers, in the order of the file, are in [first, last); of those, if `wanted` is given,
// the ones in it. `why` says what .dwo file cannot be read.
void add_units(IndexTables &tables, const Object &object, Dwarf *from, size_t first, size_t last, const UnitIds *wanted,
               std::string &why) {
    UnitReader reader(object, tables);
    Dwarf_CU *cu = nullptr;
    Dwarf_Die die;
    uint8_t type = 0;
    for (size_t number = 0; number < last && dwarf_get_units(from, cu, &cu, nullptr, &type, &die, nullptr) == 0;
         ++number) {
        if (number < first) continue;
        if (type == DW_UT_skeleton)
            add_split(reader, object, cu, &die, why);
        else if ((type == DW_UT_compile || type == DW_UT_partial || type == DW_UT_type) &&
                 (!wanted || wanted->count(object.id_of(&die))))
            reader.add_unit(&die);
    }
}

// Numbers of the units at which portions begin, and their count at the end; none if a unit cannot be read.
std::vector<size_t> portions(Dwarf *dwarf, uint64_t bytes) {
    std::vector<size_t> starts = {0};
    Dwarf_CU *cu = nullptr;
    Dwarf_Die die;
    uint64_t begin = 0;
    size_t number = 0;
    int more = 0;
    for (; (more = dwarf_get_units(dwarf, cu, &cu, nullptr, nullptr, &die, nullptr)) == 0; ++number) {
        const uint64_t at = dwarf_dieoffset(&die);
        if (at >= begin && at - begin < bytes) continue;
        if (number > 0) starts.push_back(number);
        begin = at;
    }
    if (more < 0) return {};
    starts.push_back(number);
    return starts;
}

// Reads the definitions of the object's units; with `wanted`, those units of its supplement. Calls `meanwhile` in this
// thread once the other threads are at work.
template <typename Meanwhile>
std::unique_ptr<IndexTables> read_units(const Object &object, const IndexPlan &plan, const UnitIds *wanted,
                                        Meanwhile meanwhile) {
    const auto from = [wanted](const Object &of) { return wanted ? of.supplement() : of.dwarf(); };
    const std::vector<size_t> starts = portions(from(object), plan.portion);
    if (starts.empty()) {
        const char *damage = dwarf_errmsg(-1);
        object.refuse("the debug information of " + object.debug_file() +
                      " cannot be read: " + (damage ? damage : "it is damaged"));
        return nullptr;
    }
    std::vector<std::unique_ptr<IndexTables>> tables(starts.size() - 1);
    std::vector<std::string> why(tables.size());
    std::atomic<size_t> next = 0;
    const auto work = [&](const Object &of) {
        for (size_t i; (i = next++) < tables.size();) {
            tables[i] = std::make_unique<IndexTables>();
            add_units(*tables[i], of, from(of), starts[i], starts[i + 1], wanted, why[i]);
        }
    };
    // A Dwarf is for one thread. One that cannot have its own leaves the work to the others.
    const unsigned threads = plan.threads ? plan.threads : std::thread::hardware_concurrency();
    std::vector<std::thread> helpers;
    for (size_t i = 1; i < std::min<size_t>(threads, tables.size()); ++i) {
        std::shared_ptr<Object> own = object.again();  // in this thread: opening sets a version in libelf
        if (own)
            helpers.emplace_back([own, &work, &from] {
                if (from(*own)) work(*own);
            });
    }
    const Activity activity("indexing the debug information of " + object.debug_file() + ", once", [&] {
        return Extent{next, tables.size()};
    });
    meanwhile();
    work(object);
    for (std::thread &helper : helpers)
        helper.join();
    for (const std::string &reason : why) {
        if (reason.empty()) continue;
        object.refuse("the debug information of " + object.debug_file() + " is split (-gsplit-dwarf), and its part " +
                      reason + ", or compile with -gno-split-dwarf");
        return nullptr;
    }
    for (size_t i = 1; i < tables.size(); ++i) {
        tables[0]->append(*tables[i]);
        tables[i].reset();
    }
    return std::move(tables[0]);
}

// With the units that these import, and so on.
UnitIds closure(const Object &object, const UnitIds &imports) {
    UnitIds all = imports;
    std::vector<uint64_t> left(imports.begin(), imports.end());
    while (!left.empty()) {
        Dwarf_Die unit, child, imported;
        const bool some = object.die_at(left.back(), unit) && dwarf_child(&unit, &child) == 0;
        left.pop_back();
        if (!some) continue;
        do {
            if (!imported_unit(&child, imported)) continue;
            const uint64_t id = object.id_of(&imported);
            if (all.insert(id).second) left.push_back(id);
        } while (dwarf_siblingof(&child, &child) == 0);
    }
    return all;
}

// ---- facts that only all units together have

// A program that was optimized as a whole has functions that its units do not know to be inlined.
void add_inlined(IndexTables &tables, const Object &object) {
    std::unordered_set<uint64_t> known;
    for (const FunctionEntry &function : tables.functions())
        if (function.flags & kInlined) known.insert(function.die);
    std::unordered_map<uint64_t, uint32_t> units;
    for (uint32_t i = 0; i < tables.units().size(); ++i)
        units.emplace(tables.units()[i].die, i);
    for (const InlineEntry &instance : tables.inlines()) {
        Dwarf_Die die, unit;
        if (!known.insert(instance.origin).second || !object.die_at(instance.origin, die) ||
            dwarf_tag(&die) != DW_TAG_subprogram || !dwarf_diecu(&die, &unit, nullptr, nullptr))
            continue;
        const auto number = units.find(object.id_of(&unit));
        const Attributes a = attributes_of(&die);
        if (number == units.end() || !a.name) continue;
        FunctionEntry entry = tables.function_entry(instance.origin, a, number->second, file_elsewhere(tables, a));
        entry.flags |= kInlined;
        Dwarf_Die declared = a.declared;
        tables.add(IndexTables::Elsewhere{object.id_of(&declared), tables.add(entry), false});
    }
}

// Finds the scopes, and of variables the units, of names that are declared in other units than defined: between the
// parts of a program that was optimized as a whole, and where dwz moved a declaration.
void find_scopes(IndexTables &tables, const Object &object) {
    std::sort(tables.elsewhere().begin(), tables.elsewhere().end(),
              [](const IndexTables::Elsewhere &a, const IndexTables::Elsewhere &b) { return a.declared < b.declared; });
    std::unique_ptr<UnitScopes> scopes;
    uint64_t scopes_of = 0;
    std::unordered_map<uint64_t, uint32_t> units;
    for (uint32_t i = 0; i < tables.units().size(); ++i)
        units.emplace(tables.units()[i].die, i);
    for (const IndexTables::Elsewhere &entry : tables.elsewhere()) {
        Dwarf_Die die, unit;
        if (!object.die_at(entry.declared, die) || !dwarf_diecu(&die, &unit, nullptr, nullptr)) continue;
        // DIEs that dwz has moved to a unit of its own still belong to the unit that imports it.
        const auto home = units.find(object.id_of(&unit));
        if (entry.is_variable && home != units.end() && dwarf_tag(&unit) == DW_TAG_compile_unit)
            tables.set_home(entry.position, home->second);
        if (!has_scopes(language_of(&unit))) continue;
        if (!scopes || scopes_of != object.id_of(&unit)) scopes = std::make_unique<UnitScopes>(unit);
        scopes_of = object.id_of(&unit);
        uint32_t scope = 0;
        for (std::string_view name : scopes->of(dwarf_dieoffset(&die)))
            scope = tables.add_scope(scope, name);
        tables.set_scope(entry.is_variable, entry.position, scope);
    }
}

// Marks facts about functions' code that only symbols show. Debug information gives a part that was split off the name
// of the whole.
void mark_symbols(IndexTables &tables, const Object &object) {
    const std::span<const FunctionSymbol> symbols = object.symbols().functions();
    for (FunctionEntry &function : tables.functions()) {
        if (!(function.flags & kOutOfLine)) continue;
        const std::string_view own = tables.text(function.linkage_name ? function.linkage_name : function.name);
        auto at = std::lower_bound(symbols.begin(), symbols.end(), function.entry,
                                   [](const FunctionSymbol &symbol, uint64_t a) { return symbol.address < a; });
        bool changed = at == symbols.end() || at->address != function.entry;
        for (; at != symbols.end() && at->address == function.entry; ++at) {
            changed |= is_changed_copy(at->name);
            if (is_split_off(at->name)) function.flags |= kPart;
            if (at->exported && at->name == own) function.flags |= kExported;
        }
        if (!changed) function.flags |= kUnchanged;
    }
}

}  // namespace

std::string build_index(const Object &object, std::string_view identity, const IndexPlan &plan) {
    KernelLayout layout;
    const std::unique_ptr<IndexTables> tables =
        read_units(object, plan, nullptr, [&] { layout = kernel_layout(object); });
    if (!tables) return {};
    if (object.supplement()) {
        const UnitIds wanted = closure(object, tables->imports());
        const std::unique_ptr<IndexTables> more = read_units(object, plan, &wanted, [] {});
        if (!more) return {};
        tables->append(*more);
    }
    add_inlined(*tables, object);
    find_scopes(*tables, object);
    mark_symbols(*tables, object);
    return tables->write(identity, layout, object.supplement() != nullptr);
}

}  // namespace tapir::dwarf
