// SPDX-License-Identifier: GPL-2.0-or-later
// Finds the functions that the names in probe points mean.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "dwarf/index.h"
#include "dwarf/object.h"

namespace tapir::dwarf {

enum class SymbolUse : uint8_t {
    Never,
    IfNothing,  // debug information has no such name
    Always
};

struct NamedFunctions {
    std::vector<const FunctionEntry *> entries;   // with or without code
    std::vector<const FunctionSymbol *> symbols;  // by address; also those of functions that have an entry
    bool empty() const { return entries.empty() && symbols.empty(); }
};

// Finds functions by a NamePattern or a linkage name. The whole name of a function means that function, even if it
// contains wildcards. `index` may be null.
NamedFunctions named_functions(const Object &object, const Index *index, const std::string &text, SymbolUse use);

// Finds the name by which a listing shows a function. named_functions() then finds that function and no other, except
// those that the place in the sources tells apart. The name has "::" in front, or its parameters, if it would be
// ambiguous alone. parse_function_pattern() accepts the text; it takes the first "@" for the end of a name.
class TellingNames {
  public:
    // Both outlive this; `index` may be null.
    TellingNames(const Object &object, const Index *index) : object_(object), index_(index) {}

    std::string of(const FunctionEntry &entry);
    std::string of(const FunctionSymbol &symbol);

  private:
    // Facts about the names that have one BareName.
    struct Alike {
        uint64_t arguments = 0;
        bool mixed = false;      // some have template arguments where others have none
        bool described = false;  // by debug information
    };
    const Alike *find_clear(std::span<const std::string_view> parts, uint64_t inlined);
    void collect();
    Alike &collect(std::span<const std::string_view> parts, uint64_t inlined);
    bool tells(const FunctionEntry &entry, const std::string &name) const;
    bool tells(const FunctionSymbol &symbol, const std::string &name) const;

    const Object &object_;
    const Index *index_;
    unsigned asked_ = 0;
    std::unordered_map<std::string, Alike> alike_;  // by BareName
    std::unordered_set<std::string> ends_;          // of these, without as many scopes as one likes
    // For symbols: joined name -> name with parameters; "": several.
    std::unordered_map<std::string, std::string> texts_;
    // Those of functions that are also there with "const" or the like behind their parameters, which they would match.
    std::unordered_set<std::string> qualified_;
};

// Returns the functions that the program may choose when it starts, as far as symbols show: "strlen" may be
// "__strlen_avx2". Sorted.
std::vector<std::string> choices_of(const Object &object, std::string_view chosen);

}  // namespace tapir::dwarf
