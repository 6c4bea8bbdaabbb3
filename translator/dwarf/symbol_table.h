// SPDX-License-Identifier: GPL-2.0-or-later
// The symbols of an ELF object: those of its .symtab, of its .dynsym, and of the .symtab that was stripped off into a
// separate file, together. Each table adds symbols that the others lack. If none has the functions of a Go program,
// those of Go's runtime are used.
#pragma once

#include <elfutils/libdwfl.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "dwarf/go_program.h"
#include "names/qualified_name.h"

namespace tapir::dwarf {

// An address in a relocatable or shared object, by a name that stays valid wherever the object is loaded.
struct SymbolOffset {
    std::string symbol;
    uint64_t offset = 0;
};

// Defined here. Names lack the version of "fopen@@GLIBC_2.2.5" and live as long as the object.
struct FunctionSymbol {
    std::string_view name;
    uint64_t address = 0, size = 0;
    bool exported = false;  // other source files can call it
    bool chooses = false;   // it is code that is called once, to choose the function of this name (STT_GNU_IFUNC)
};

// Likewise of a variable that is at one address for all threads.
struct DataSymbol {
    std::string_view name;
    uint64_t address = 0, size = 0;  // size 0: not known
    bool exported = false;
};

class SymbolTable {
  public:
    // `go` is of the same file, and must outlive this.
    SymbolTable(Dwfl_Module *module, const GoProgram &go);

    // Sorted by address. If a place has several names, the most useful one comes first.
    std::span<const FunctionSymbol> functions() const { return functions_; }
    std::vector<const FunctionSymbol *> functions_named(std::string_view name) const;
    // Are there some that C++ or Rust has given their names?
    bool has_mangled() const { return !mangled_.empty(); }
    // Among those, at least the ones whose source name ends with this part, template arguments apart. The mangled name
    // has the identifier in it, if there is one.
    std::vector<const FunctionSymbol *> mangled_with(std::string_view base, std::string_view identifier) const;

    // A name as debug information would have it, with the demangler's parameters; for other symbols their name.
    struct SourceName {
        std::string text;  // "ns::f(int)"
        QualifiedName name;
        std::string joined;  // "ns::f"
    };
    const SourceName &source_name(const FunctionSymbol &function) const;

    // The function at or below an address, not past its end when the symbol has a size.
    std::optional<SymbolOffset> symbol_at(uint64_t address) const;
    // The names of the functions at this very address.
    std::vector<std::string_view> functions_at(uint64_t address) const;
    // The name of the function that the code at an address chooses; "": it chooses none.
    std::string_view chosen_at(uint64_t address) const;
    // An address in the same section, named by a symbol that is the only one of its name.
    std::optional<SymbolOffset> anchor_of(uint64_t address) const;
    std::optional<uint64_t> address_of(std::string_view name) const;
    // Nothing when several places have the name.
    std::optional<uint64_t> only_address_of(std::string_view name) const;
    // Returns the address of a variable that other source files can name.
    std::optional<uint64_t> variable_address(std::string_view name) const;
    // All variables, by address.
    std::vector<DataSymbol> variables() const;

  private:
    struct Symbol {
        uint64_t address, size;
        uint32_t section;
        uint8_t type, binding;  // STT_*, STB_*
        std::string_view name;
        uint32_t function = 0;  // of functions: position in functions_
        bool is_function() const;
    };
    class Reader;
    // An index by names; made when first asked for. Positions are those in by_address_, kNone ends a list.
    struct Names {
        std::vector<uint32_t> first, next;  // of a hash value; of the same hash value after a position
    };
    static constexpr uint32_t kNone = UINT32_MAX;

    std::span<const Symbol> at(uint64_t address) const;
    // The next symbol of a name, by address: after the one at a position, or the first.
    uint32_t next_named(std::string_view name, uint32_t after = kNone) const;

    std::vector<Symbol> by_address_;
    std::vector<FunctionSymbol> functions_;
    std::vector<uint32_t> mangled_;  // positions in functions_
    mutable Names names_;
    mutable std::unordered_multimap<std::string_view, uint32_t> by_base_;  // made when first asked for
    mutable std::unordered_map<uint32_t, SourceName> source_names_;
    mutable unsigned searches_ = 0;
};

}  // namespace tapir::dwarf
