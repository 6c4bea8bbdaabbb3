// SPDX-License-Identifier: GPL-2.0-or-later
// One walk over the DIEs at the top level of every unit (and inside namespaces, classes and enumerations): of the
// object itself, then of those units of its dwz supplement that it imports. Others there are of other objects.
#include <dwarf.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <thread>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/symbol_name.h"
#include "dwarf/attributes.h"
#include "dwarf/index.h"
#include "dwarf/index_format.h"
#include "dwarf/index_strings.h"
#include "dwarf/unit_scopes.h"

namespace tapir::dwarf {

namespace {

// Blocks and inlined functions within a function are entered no deeper.
constexpr int kMaxBlocks = 256;

struct NamedValue {
    StringRef name;
    uint32_t scope;
    int64_t value;
    friend bool operator==(const NamedValue &, const NamedValue &) = default;
    struct Hash {
        size_t operator()(const NamedValue &of) const {
            return (static_cast<uint64_t>(of.value) * 0x9e3779b97f4a7c15u) ^ (of.name * uint64_t{0x85ebca6b}) ^
                   (of.scope * uint64_t{0xc2b2ae35});
        }
    };
};

// What tells a type from others.
struct NamedType {
    StringRef name;
    uint32_t scope, tag;
    int size;
    friend bool operator==(const NamedType &, const NamedType &) = default;
    struct Hash {
        size_t operator()(const NamedType &of) const {
            return ((static_cast<uint64_t>(of.name) << 32 | of.scope) * 0x9e3779b97f4a7c15u) ^
                   (static_cast<uint64_t>(of.size) << 8 | (of.tag & 0xff));
        }
    };
};

const char *directory_of(Dwarf_Die *unit) {
    Dwarf_Attribute attribute;
    const char *directory = dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attribute));
    return directory ? directory : "";
}

// A source file of a unit that was compiled in `directory`; see Index::file().
std::string path_of(Dwarf_Files *files, size_t number, std::string_view directory) {
    const char *path = dwarf_filesrc(files, number, nullptr, nullptr);
    std::string full = path ? path : "";
    if (directory.empty()) return full;
    if (directory[0] == '/') {
        if (!full.empty() && full[0] != '/') full = std::string(directory) + "/" + full;
    } else if (full.size() > directory.size() && full.substr(0, directory.size()) == directory &&
               full[directory.size()] == '/') {
        full.erase(0, directory.size() + 1);  // libdw prefixes what the compiler was told
    }
    return full;
}

// Names of units of a supplement: die_id()s.
using UnitIds = std::unordered_set<uint64_t>;

// What some units define.
class Builder {
  public:
    // `dwarf` is the object's.
    explicit Builder(Dwarf *dwarf) : dwarf_(dwarf) { files_.push_back(0); }

    // The units of `from` whose numbers, in the order of the file, are in [first, last); of those, if `wanted` is
    // given, the ones in it.
    void add_units(Dwarf *from, size_t first, size_t last, const UnitIds *wanted) {
        Dwarf_CU *cu = nullptr;
        Dwarf_Die die;
        uint8_t type = 0;
        for (size_t number = 0; number < last && dwarf_get_units(from, cu, &cu, nullptr, &type, &die, nullptr) == 0;
             ++number)
            if (number >= first && (type == DW_UT_compile || type == DW_UT_partial || type == DW_UT_type) &&
                (!wanted || wanted->count(die_id(dwarf_, &die))))
                add_unit(&die);
    }

    // Units of the supplement that those of the object refer to.
    const UnitIds &imports() const { return imports_; }

    // What the units that follow define: as if they had been added here.
    void append(const Builder &later) {
        std::vector<StringRef> strings(later.strings_.bytes().size());
        for (size_t at = 0; at < strings.size(); at += later.strings_.text(static_cast<StringRef>(at)).size() + 1)
            strings[at] = strings_.add(later.strings_.text(static_cast<StringRef>(at)));
        std::vector<uint32_t> files;
        for (const StringRef path : later.files_)
            files.push_back(file_number(strings[path]));
        const auto first_unit = static_cast<uint32_t>(units_.size());
        for (UnitEntry unit : later.units_) {
            unit.name = strings[unit.name];
            unit.directory = strings[unit.directory];
            units_.push_back(unit);
        }
        std::vector<uint32_t> scopes = {0};
        for (size_t i = 1; i < later.scopes_.entries().size(); ++i) {
            const ScopeEntry &scope = later.scopes_.entries()[i];
            scopes.push_back(scopes_.add(scopes[scope.parent], strings[scope.name]));
        }
        for (Elsewhere entry : later.elsewhere_) {
            entry.position += entry.is_variable ? variables_.size() : functions_.size();
            elsewhere_.push_back(entry);
        }
        for (FunctionEntry function : later.functions_) {
            function.scope = scopes[function.scope];
            function.name = strings[function.name];
            function.linkage_name = strings[function.linkage_name];
            function.file = files[function.file];
            function.unit += first_unit;
            functions_.push_back(function);
        }
        const auto moved = [&](auto entry) {
            entry.name = strings[entry.name];
            entry.unit += first_unit;
            entry.scope = scopes[entry.scope];
            return entry;
        };
        for (InlineEntry instance : later.inlines_) {
            instance.unit += first_unit;
            inlines_.push_back(instance);
        }
        for (const VariableEntry &variable : later.variables_)
            variables_.push_back(moved(variable));
        for (size_t i = 0; i < later.types_.size(); ++i)
            keep_type(moved(later.types_[i]), later.type_sizes_[i]);
        for (const EnumeratorEntry &enumerator : later.enumerators_)
            keep_enumerator(moved(enumerator));
        imports_.insert(later.imports_.begin(), later.imports_.end());
        if (later.root_known_) narrow_root(later.root_);
    }

    // A program that was optimized as a whole has functions that its units do not know to be inlined.
    void add_inlined(const Object &object) {
        std::unordered_set<uint64_t> known;
        for (const FunctionEntry &function : functions_)
            if (function.flags & kInlined) known.insert(function.die);
        std::unordered_map<uint64_t, uint32_t> units;
        for (uint32_t i = 0; i < units_.size(); ++i)
            units.emplace(units_[i].die, i);
        for (const InlineEntry &instance : inlines_) {
            Dwarf_Die die, unit;
            if (!known.insert(instance.origin).second || !object.die_at(instance.origin, die) ||
                dwarf_tag(&die) != DW_TAG_subprogram || !dwarf_diecu(&die, &unit, nullptr, nullptr))
                continue;
            const auto number = units.find(object.id_of(&unit));
            const Attributes a = attributes_of(&die);
            if (number == units.end() || !a.name) continue;
            FunctionEntry entry = entry_of(instance.origin, a, number->second, file_of(a, nullptr));
            entry.flags |= kInlined;
            functions_.push_back(entry);
            Dwarf_Die declared = a.declared;
            elsewhere_.push_back({die_id(dwarf_, &declared), functions_.size() - 1, false});
        }
    }

    // Finds the scopes of what is declared in other units than defined: between the parts of a program that was
    // optimized as a whole, and where dwz moved a declaration.
    void find_scopes(const Object &object) {
        std::sort(elsewhere_.begin(), elsewhere_.end(),
                  [](const Elsewhere &a, const Elsewhere &b) { return a.declared < b.declared; });
        std::unique_ptr<UnitScopes> scopes;
        uint64_t scopes_of = 0;
        for (const Elsewhere &entry : elsewhere_) {
            Dwarf_Die die, unit;
            if (!object.die_at(entry.declared, die) || !dwarf_diecu(&die, &unit, nullptr, nullptr)) continue;
            if (!scopes || scopes_of != object.id_of(&unit)) scopes = std::make_unique<UnitScopes>(unit);
            scopes_of = object.id_of(&unit);
            uint32_t scope = 0;
            for (std::string_view name : scopes->of(dwarf_dieoffset(&die)))
                scope = scopes_.add(scope, strings_.add(name));
            (entry.is_variable ? variables_[entry.position].scope : functions_[entry.position].scope) = scope;
        }
    }

    // What was split off has the name of the whole in debug information; symbols tell.
    void mark_parts(const Object &object) {
        std::unordered_set<uint64_t> parts;
        for (const Object::FunctionSymbol &symbol : object.function_symbols())
            if (is_split_off(symbol.name)) parts.insert(symbol.address);
        if (parts.empty()) return;
        for (FunctionEntry &function : functions_)
            if ((function.flags & kOutOfLine) && parts.count(function.entry)) function.flags |= kPart;
    }

    std::string finish(std::string_view identity, const KernelLayout &layout, bool supplemented) {
        sort();
        return write(identity, layout, supplemented);
    }

  private:
    void add_unit(Dwarf_Die *die) {
        unit_ = static_cast<uint32_t>(units_.size());
        where_ = die_id(dwarf_, die) & (kInSupplement | kInTypeUnit);
        const char *directory = directory_of(die);
        const char *name = dwarf_diename(die);
        const uint64_t language = language_of(die);
        units_.push_back({id_of(die), strings_.add_pooled(name), strings_.add_pooled(directory),
                          static_cast<uint32_t>(language), 0});
        add_files(die, directory);
        if (name && *name == '/' && language != DW_LANG_Mips_Assembler) narrow_root(name);
        has_scopes_ = has_scopes(language);
        declared_.clear();
        within_.clear();
        add_children(die, 0, 0);
        for (const Within &entry : within_)
            if (const auto found = declared_.find(entry.declared); found != declared_.end())
                (entry.is_variable ? variables_[entry.position].scope : functions_[entry.position].scope) =
                    found->second;
    }

    // Of a DIE of the unit.
    uint64_t id_of(Dwarf_Die *die) const { return dwarf_dieoffset(die) | where_; }

    // The longest directory that all sources have in common.
    void narrow_root(std::string_view name) {
        if (!root_known_) {
            root_ = name.substr(0, name.rfind('/') + 1);
            root_known_ = true;
        }
        while (!root_.empty() && name.substr(0, root_.size()) != root_) {
            const size_t slash = root_.size() > 1 ? root_.rfind('/', root_.size() - 2) : std::string::npos;
            root_.resize(slash == std::string::npos ? 0 : slash + 1);
        }
    }

    void add_files(Dwarf_Die *die, std::string_view directory) {
        unit_files_.clear();
        Dwarf_Files *files = nullptr;
        size_t count = 0;
        if (dwarf_getsrcfiles(die, &files, &count) != 0) return;
        for (size_t i = 0; i < count; ++i)
            unit_files_.push_back(file_number(strings_.add(path_of(files, i, directory))));
    }

    // The file that a DIE of the unit, or one it refers to in another unit, was declared in.
    uint32_t file_of(const Attributes &a, Dwarf_CU *unit) {
        if (a.file_unit == unit) return a.file < unit_files_.size() ? unit_files_[a.file] : 0;
        Dwarf_Die die;
        Dwarf_Files *files = nullptr;
        size_t count = 0;
        if (!a.file_unit || !dwarf_cu_die(a.file_unit, &die, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr) ||
            dwarf_getsrcfiles(&die, &files, &count) != 0 || a.file >= count)
            return 0;
        return file_number(strings_.add(path_of(files, a.file, directory_of(&die))));
    }

    // 0 is "".
    uint32_t file_number(StringRef path) {
        if (path == 0) return 0;
        const auto [at, is_new] = file_numbers_.try_emplace(path, static_cast<uint32_t>(files_.size()));
        if (is_new) files_.push_back(path);
        return at->second;
    }

    uint32_t enter(uint32_t scope, Dwarf_Die *die) { return scopes_.add(scope, strings_.add(scope_name(die))); }

    void add_children(Dwarf_Die *parent, int nesting, uint32_t scope) {
        Dwarf_Die child;
        if (nesting > kMaxScopeDepth || dwarf_child(parent, &child) != 0) return;
        do {
            add_child(&child, dwarf_tag(&child), nesting, scope);
        } while (dwarf_siblingof(&child, &child) == 0);
    }

    void add_child(Dwarf_Die *child, int tag, int nesting, uint32_t scope) {
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
                add_children(child, nesting + 1, enter(scope, child));
                break;
            case DW_TAG_imported_unit:
                if (Dwarf_Die unit; imported_unit(child, unit)) add_import(&unit);
                break;
            default:
                break;
        }
    }

    void add_import(Dwarf_Die *unit) {
        const uint64_t id = die_id(dwarf_, unit);
        if (id & kInSupplement) imports_.insert(id);
    }

    static Dwarf_Off offset_of(Dwarf_Die die) { return dwarf_dieoffset(&die); }

    // What later DIEs may refer to as their declaration.
    void note(Dwarf_Die *die, uint32_t scope) {
        if (scope != 0) declared_[dwarf_dieoffset(die)] = scope;
    }

    // The entry at `position` is in the scope of its declaration.
    void take_scope(const Attributes &a, Dwarf_Die *die, size_t position, bool is_variable) {
        Dwarf_Die declared = a.declared, unit;
        if (!a.refers()) return;
        if (declared.cu == die->cu)
            within_.push_back({offset_of(declared), position, is_variable});
        else if (dwarf_diecu(&declared, &unit, nullptr, nullptr) && has_scopes(language_of(&unit)))
            elsewhere_.push_back({die_id(dwarf_, &declared), position, is_variable});
    }

    FunctionEntry entry_of(uint64_t die, const Attributes &a, uint32_t unit, uint32_t file) {
        FunctionEntry entry = {};
        entry.die = die;
        entry.name = strings_.add_pooled(a.name);
        entry.linkage_name =
            a.linkage_name && std::strcmp(a.linkage_name, a.name) != 0 ? strings_.add_pooled(a.linkage_name) : 0;
        entry.unit = unit;
        entry.file = file;
        entry.line = static_cast<uint32_t>(a.line);
        entry.flags = a.external ? static_cast<uint32_t>(kExternal) : 0;
        return entry;
    }

    void add_function(Dwarf_Die *die, int nesting, uint32_t scope) {
        const Attributes a = attributes_of(die);
        note(die, scope);
        if (!a.name || a.declaration) return;
        FunctionEntry entry = entry_of(id_of(die), a, unit_, file_of(a, die->cu));
        entry.scope = scope;
        if (const auto pc = a.low_pc || a.ranges ? entry_pc(die) : std::nullopt) {
            entry.entry = *pc;
            entry.flags |= kOutOfLine;
        } else if (a.inlined == DW_INL_inlined || a.inlined == DW_INL_declared_inlined) {
            entry.flags |= kInlined;
        } else {
            return;
        }
        functions_.push_back(entry);
        take_scope(a, die, functions_.size() - 1, false);
        if (!has_scopes_ && !(entry.flags & kOutOfLine)) return;
        Dwarf_Die whole = a.has_origin ? a.declared : *die;
        const std::vector<uint64_t> outer = std::exchange(enclosing_, {die_id(dwarf_, &whole)});
        add_blocks(die, {die, scope, nesting}, 0);
        enclosing_ = outer;
    }

    // A function, as the scope of what is in its blocks.
    struct Function {
        Dwarf_Die *die;
        uint32_t scope;
        int nesting;
    };

    // Inlined instances in the code of a function, also within each other; types, and functions within these.
    void add_blocks(Dwarf_Die *block, const Function &function, int nesting) {
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

    // Returns what it is an instance of; 0: not known.
    uint64_t add_instance(Dwarf_Die *die) {
        Dwarf_Attribute attribute;
        Dwarf_Die origin;
        if (!dwarf_attr(die, DW_AT_abstract_origin, &attribute) || !dwarf_formref_die(&attribute, &origin)) return 0;
        const uint64_t id = die_id(dwarf_, &origin);
        const auto pc = entry_pc(die);
        if (pc && !is_rest(die, &origin, id)) inlines_.push_back({id, id_of(die), *pc, unit_, 0});
        return id;
    }

    // The rest of a function that was split, inlined into the function's beginning. The call between them is of the
    // compiler's making and is where the function's name is declared; a call of the function by itself is elsewhere.
    bool is_rest(Dwarf_Die *die, Dwarf_Die *origin, uint64_t id) const {
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

    // A static member of a class that is a constant need not be defined elsewhere.
    void add_variable(Dwarf_Die *die, uint32_t scope) {
        const Attributes a = attributes_of(die);
        note(die, scope);
        if (!a.name || !(a.const_value || (a.location && !a.declaration))) return;
        variables_.push_back({id_of(die), strings_.add_pooled(a.name), unit_, a.external ? 1u : 0u, scope});
        take_scope(a, die, variables_.size() - 1, true);
    }

    // Of many definitions under one name and tag the first of each size is kept. Returns the scope that the type is in:
    // a nested class may be defined outside of the one that declares it.
    uint32_t add_type(Dwarf_Die *die, int tag, uint32_t scope) {
        const Attributes a = attributes_of(die);
        if (a.refers())
            if (const auto found = declared_.find(offset_of(a.declared)); found != declared_.end())
                scope = found->second;
        if (a.declaration) note(die, scope);
        if (!a.name || a.declaration) return scope;
        const StringRef name = strings_.add_pooled(a.name);
        keep_type({id_of(die), name, static_cast<uint32_t>(tag), unit_, scope},
                  tag == DW_TAG_typedef ? 0 : dwarf_bytesize(die));
        return scope;
    }

    void keep_type(const TypeEntry &type, int size) {
        if (!kept_types_.insert({type.name, type.scope, type.tag, size}).second) return;
        types_.push_back(type);
        type_sizes_.push_back(size);
    }

    void add_enumerators(Dwarf_Die *die, uint32_t outer) {
        Dwarf_Die child;
        if (dwarf_child(die, &child) != 0) return;
        const uint32_t scope = has_scopes_ ? enter(outer, die) : 0;
        do {
            if (dwarf_tag(&child) != DW_TAG_enumerator) continue;
            const char *name = dwarf_diename(&child);
            Dwarf_Attribute attribute;
            Dwarf_Sword value = 0;
            if (!name || !dwarf_attr(&child, DW_AT_const_value, &attribute) || dwarf_formsdata(&attribute, &value) != 0)
                continue;
            keep_enumerator({id_of(die), value, strings_.add_pooled(name), unit_, scope, 0});
        } while (dwarf_siblingof(&child, &child) == 0);
    }

    void keep_enumerator(const EnumeratorEntry &enumerator) {
        if (kept_enumerators_.insert({enumerator.name, enumerator.scope, enumerator.value}).second)
            enumerators_.push_back(enumerator);
    }

    template <typename Entry>
    void sort_by_name(std::vector<Entry> &entries) {
        std::sort(entries.begin(), entries.end(), [&](const Entry &a, const Entry &b) {
            const int order = a.name == b.name ? 0 : strings_.text(a.name).compare(strings_.text(b.name));
            return order ? order < 0 : a.die < b.die;
        });
    }

    void sort() {
        sort_by_name(functions_);
        std::sort(inlines_.begin(), inlines_.end(), [](const InlineEntry &a, const InlineEntry &b) {
            return std::tie(a.origin, a.entry, a.die) < std::tie(b.origin, b.entry, b.die);
        });
        sort_by_name(types_);
        sort_by_name(variables_);
        sort_by_name(enumerators_);
        for (uint32_t i = 0; i < functions_.size(); ++i)
            if (functions_[i].flags & kOutOfLine) by_address_.push_back(i);
        std::stable_sort(by_address_.begin(), by_address_.end(),
                         [&](uint32_t a, uint32_t b) { return functions_[a].entry < functions_[b].entry; });
    }

    template <typename Entry>
    static void append(std::string &out, IndexHeader &header, Section section, const std::vector<Entry> &entries) {
        out.resize((out.size() + 7) & ~size_t{7}, '\0');
        const auto *bytes = reinterpret_cast<const char *>(entries.data());
        header.sections[static_cast<uint32_t>(section)] = {out.size(), entries.size() * sizeof(Entry)};
        out.append(bytes, entries.size() * sizeof(Entry));
    }

    std::string write(std::string_view identity, const KernelLayout &layout, bool supplemented) {
        IndexHeader header = {};
        std::memcpy(header.magic, kIndexMagic, sizeof(header.magic));
        header.version = kIndexVersion;
        header.root = strings_.add(root_);
        header.supplemented = supplemented ? 1 : 0;
        header.layout = layout;
        identity = identity.substr(0, sizeof(header.identity) - 1);
        std::memcpy(header.identity, identity.data(), identity.size());
        std::string out(sizeof(header), '\0');
        append(out, header, Section::Units, units_);
        append(out, header, Section::Scopes, scopes_.entries());
        append(out, header, Section::Functions, functions_);
        append(out, header, Section::Inlines, inlines_);
        append(out, header, Section::Types, types_);
        append(out, header, Section::Variables, variables_);
        append(out, header, Section::Enumerators, enumerators_);
        append(out, header, Section::Files, files_);
        append(out, header, Section::ByAddress, by_address_);
        append(out, header, Section::Strings, strings_.bytes());
        header.length = out.size();
        std::memcpy(out.data(), &header, sizeof(header));
        return out;
    }

    // A function or variable whose declaration says what scope it is in.
    struct Within {
        Dwarf_Off declared;
        size_t position;
        bool is_variable;
    };
    struct Elsewhere {
        uint64_t declared;  // die_id()
        size_t position;
        bool is_variable;
    };

    Dwarf *dwarf_;
    Strings strings_;
    ScopeTable scopes_;
    bool has_scopes_ = false;                           // the unit being read
    std::unordered_map<Dwarf_Off, uint32_t> declared_;  // its declarations that are in scopes
    std::vector<Within> within_;                        // by declarations of the same unit
    std::vector<Elsewhere> elsewhere_;                  // by those of others
    std::vector<uint64_t> enclosing_;  // functions whose code, or inlined instance, the DIE being read is in: die_id()s
    uint32_t unit_ = 0;
    uint64_t where_ = 0;  // what ids of DIEs of the unit being read have set
    UnitIds imports_;
    std::vector<UnitEntry> units_;
    std::vector<FunctionEntry> functions_;
    std::vector<InlineEntry> inlines_;
    std::vector<TypeEntry> types_;
    std::vector<int> type_sizes_;  // of types_, before they are sorted
    std::vector<VariableEntry> variables_;
    std::vector<EnumeratorEntry> enumerators_;
    std::vector<StringRef> files_;  // the first is ""
    std::vector<uint32_t> by_address_;
    std::vector<uint32_t> unit_files_;  // of the unit being read: number in its line table -> number in files_
    std::unordered_map<StringRef, uint32_t> file_numbers_;
    std::unordered_set<NamedType, NamedType::Hash> kept_types_;
    std::unordered_set<NamedValue, NamedValue::Hash> kept_enumerators_;
    std::string root_;
    bool root_known_ = false;
};

// Numbers of the units at which portions begin, and their count at the end.
std::vector<size_t> portions(Dwarf *dwarf, uint64_t bytes) {
    std::vector<size_t> starts = {0};
    Dwarf_CU *cu = nullptr;
    Dwarf_Die die;
    uint64_t begin = 0;
    size_t number = 0;
    for (; dwarf_get_units(dwarf, cu, &cu, nullptr, nullptr, &die, nullptr) == 0; ++number) {
        const uint64_t at = dwarf_dieoffset(&die);
        if (at >= begin && at - begin < bytes) continue;
        if (number > 0) starts.push_back(number);
        begin = at;
    }
    starts.push_back(number);
    return starts;
}

// What the units of the object define, or, when `wanted` is given, those units of its supplement. Calls `meanwhile` in
// this thread once the others are at work.
template <typename Meanwhile>
std::unique_ptr<Builder> read_units(const Object &object, const IndexPlan &plan, const UnitIds *wanted,
                                    Meanwhile meanwhile) {
    const auto from = [wanted](const Object &of) { return wanted ? of.supplement() : of.dwarf(); };
    const std::vector<size_t> starts = portions(from(object), plan.portion);
    std::vector<std::unique_ptr<Builder>> builders(starts.size() - 1);
    std::atomic<size_t> next = 0;
    const auto work = [&](const Object &of) {
        for (size_t i; (i = next++) < builders.size();) {
            builders[i] = std::make_unique<Builder>(of.dwarf());
            builders[i]->add_units(from(of), starts[i], starts[i + 1], wanted);
        }
    };
    // A Dwarf is for one thread. One that cannot have its own leaves the work to the others.
    const unsigned threads = plan.threads ? plan.threads : std::thread::hardware_concurrency();
    std::vector<std::thread> helpers;
    for (size_t i = 1; i < std::min<size_t>(threads, builders.size()); ++i) {
        std::shared_ptr<Object> own = object.again();  // in this thread: opening sets a version in libelf
        if (own)
            helpers.emplace_back([own, &work, &from] {
                if (from(*own)) work(*own);
            });
    }
    meanwhile();
    work(object);
    for (std::thread &helper : helpers)
        helper.join();
    for (size_t i = 1; i < builders.size(); ++i) {
        builders[0]->append(*builders[i]);
        builders[i].reset();
    }
    return std::move(builders[0]);
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

}  // namespace

std::string build_index(const Object &object, std::string_view identity, const IndexPlan &plan) {
    KernelLayout layout;
    const std::unique_ptr<Builder> builder = read_units(object, plan, nullptr, [&] { layout = kernel_layout(object); });
    if (object.supplement()) {
        const UnitIds wanted = closure(object, builder->imports());
        builder->append(*read_units(object, plan, &wanted, [] {}));
    }
    builder->add_inlined(object);
    builder->find_scopes(object);
    builder->mark_parts(object);
    return builder->finish(identity, layout, object.supplement() != nullptr);
}

}  // namespace tapir::dwarf
