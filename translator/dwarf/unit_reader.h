// SPDX-License-Identifier: GPL-2.0-or-later
// Reads units of debug information into the tables of an index.
#pragma once

#include <elfutils/libdw.h>

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "dwarf/attributes.h"
#include "dwarf/index_tables.h"

namespace tapir::dwarf {

// For one thread, as a Dwarf is.
class UnitReader {
  public:
    // Both outlive this.
    UnitReader(const Object &object, IndexTables &tables) : object_(object), tables_(tables) {}

    // `skeleton` is that of a unit in a .dwo file, or null.
    void add_unit(Dwarf_Die *die, Dwarf_Die *skeleton = nullptr);

  private:
    // A function or variable whose declaration, in the same unit, says what scope it is in.
    struct Within {
        Dwarf_Off declared;
        size_t position;
        bool is_variable;
    };
    struct Namespace {
        uint32_t scope, outer;
    };
    // A function, as the scope of the content of its blocks.
    struct Function {
        Dwarf_Die *die;
        uint32_t scope;
        int nesting;
    };

    // Returns the id of a DIE of the unit.
    uint64_t id_of(Dwarf_Die *die) const { return dwarf_dieoffset(die) | where_; }
    uint32_t file_of(const Attributes &a, Dwarf_CU *unit);
    uint32_t enter(uint32_t scope, Dwarf_Die *die);
    void note(Dwarf_Die *die, uint32_t scope);
    void take_scope(const Attributes &a, Dwarf_Die *die, size_t position, bool is_variable);
    bool is_rest(Dwarf_Die *die, Dwarf_Die *origin, uint64_t id) const;

    void add_files(Dwarf_Die *die, std::string_view directory);
    void add_children(Dwarf_Die *parent, int nesting, uint32_t scope);
    void add_child(Dwarf_Die *child, int tag, int nesting, uint32_t scope);
    void add_namespace(Dwarf_Die *die, int nesting, uint32_t outer);
    void add_using(Dwarf_Die *die, uint32_t scope);
    void add_import(Dwarf_Die *unit, int nesting);
    void add_function(Dwarf_Die *die, int nesting, uint32_t scope);
    void add_blocks(Dwarf_Die *block, const Function &function, int nesting);
    uint64_t add_instance(Dwarf_Die *die);
    void add_variable(Dwarf_Die *die, uint32_t scope);
    uint32_t add_type(Dwarf_Die *die, int tag, uint32_t scope);
    void add_enumerators(Dwarf_Die *die, uint32_t outer);

    const Object &object_;
    IndexTables &tables_;
    std::unordered_map<uint64_t, std::vector<StringRef>> imported_;  // unit's id -> functions it declares
    // For the unit being read:
    bool has_scopes_ = false;
    std::unordered_map<Dwarf_Off, uint32_t> declared_;  // declarations that are in scopes
    std::unordered_map<Dwarf_Off, Namespace> namespaces_;
    std::vector<Within> within_;
    std::vector<uint64_t> enclosing_;   // functions whose code, or inlined instance, the DIE is in: ids
    std::vector<uint32_t> unit_files_;  // number in its line table -> number in the index
    uint32_t unit_ = 0;
    uint64_t where_ = 0;  // what ids of its DIEs have set
};

}  // namespace tapir::dwarf
