// SPDX-License-Identifier: GPL-2.0-or-later
// The contents of an index while it is made: tables that units are read into, that join, and that become a file.
#pragma once

#include <elfutils/libdw.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "dwarf/attributes.h"
#include "dwarf/index.h"
#include "dwarf/index_strings.h"

namespace tapir::dwarf {

// A source file of a unit that was compiled in `directory`; see Index::file().
std::string path_of(Dwarf_Files *files, size_t number, std::string_view directory);
// The directory that a unit was compiled in, or "".
const char *directory_of(Dwarf_Die *unit);

// Names of units of a supplement: of Object::id_of().
using UnitIds = std::unordered_set<uint64_t>;

class IndexTables {
  public:
    // A function or variable whose declaration, in another unit, says what scope and unit it is in.
    struct Elsewhere {
        uint64_t declared;  // Object::id_of()
        size_t position;    // in its table
        bool is_variable;
    };

    IndexTables() { files_.push_back(0); }

    StringRef add_string(std::string_view text) { return strings_.add(text); }
    StringRef add_pooled(const char *text) { return strings_.add_pooled(text); }
    uint32_t add_scope(uint32_t parent, std::string_view name) { return scopes_.add(parent, strings_.add(name)); }
    void set_inlined(uint32_t scope) { scopes_.set_inlined(scope); }
    // The number of a source file; 0 is "".
    uint32_t add_file(StringRef path);
    // Without entry and scope. `file` is the number of the file that a.file means.
    FunctionEntry function_entry(uint64_t die, const Attributes &a, uint32_t unit, uint32_t file);

    // These return the position of the new entry.
    size_t add(const UnitEntry &unit);
    size_t add(const FunctionEntry &function);
    size_t add(const VariableEntry &variable);
    void add_declared(const VariableEntry &variable);
    void add(const InlineEntry &instance) { inlines_.push_back(instance); }
    void add(const Elsewhere &entry) { elsewhere_.push_back(entry); }
    // If several definitions have one name and tag, keeps the first of each size.
    void add(const TypeEntry &type, int size);
    // If several have one name and value in a scope, keeps the first.
    void add(const EnumeratorEntry &enumerator);
    void add(const DeclaringEntry &entry) { declaring_.push_back(entry); }
    // A unit of the supplement that one of the object refers to.
    void add_import(uint64_t id) { imports_.insert(id); }
    // The source root is the longest directory that all sources have in common.
    void narrow_root(std::string_view source);
    void set_home(size_t variable, uint32_t unit) { variables_[variable].home = unit; }
    void set_scope(bool is_variable, size_t position, uint32_t scope) {
        (is_variable ? variables_[position].scope : functions_[position].scope) = scope;
    }

    const std::vector<UnitEntry> &units() const { return units_; }
    const std::vector<InlineEntry> &inlines() const { return inlines_; }
    std::vector<FunctionEntry> &functions() { return functions_; }
    std::string_view text(StringRef text) const { return strings_.text(text); }
    std::vector<Elsewhere> &elsewhere() { return elsewhere_; }
    const UnitIds &imports() const { return imports_; }

    // Appends the definitions of later units, as if they had been added here.
    void append(const IndexTables &later);

    // Sorts everything, and makes the file.
    std::string write(std::string_view identity, const KernelLayout &layout, bool supplemented);

  private:
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
    // The key of a type.
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

    struct NamedScope {
        StringRef name;
        uint32_t scope;
        friend bool operator==(const NamedScope &, const NamedScope &) = default;
        struct Hash {
            size_t operator()(const NamedScope &of) const {
                return (static_cast<uint64_t>(of.name) << 32 | of.scope) * 0x9e3779b97f4a7c15u;
            }
        };
    };

    template <typename Entry>
    void sort_by_name(std::vector<Entry> &entries);
    void sort_declaring();
    void sort();

    Strings strings_;
    ScopeTable scopes_;
    std::vector<UnitEntry> units_;
    std::vector<FunctionEntry> functions_;
    std::vector<InlineEntry> inlines_;
    std::vector<TypeEntry> types_;
    std::vector<int> type_sizes_;  // of types_, before they are sorted
    std::vector<VariableEntry> variables_;
    std::vector<VariableEntry> declared_;  // joins variables_ in the end, so that positions there stay
    std::vector<EnumeratorEntry> enumerators_;
    std::vector<DeclaringEntry> declaring_;
    std::vector<StringRef> files_;  // the first is ""
    std::vector<uint32_t> by_address_;
    std::vector<Elsewhere> elsewhere_;
    UnitIds imports_;
    std::unordered_map<StringRef, uint32_t> file_numbers_;
    std::unordered_set<NamedType, NamedType::Hash> kept_types_;
    std::unordered_set<NamedValue, NamedValue::Hash> kept_enumerators_;
    std::unordered_set<NamedScope, NamedScope::Hash> kept_declared_;
    std::string root_;
    bool root_known_ = false;
};

// The number of the file that a DIE with these attributes was declared in, in a unit that is not being read.
uint32_t file_elsewhere(IndexTables &tables, const Attributes &a);

}  // namespace tapir::dwarf
