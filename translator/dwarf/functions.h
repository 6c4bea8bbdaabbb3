// SPDX-License-Identifier: GPL-2.0-or-later
// Finding functions and statements by the patterns of probe points.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "dwarf/scopes.h"

namespace tapir::dwarf {

// "function", "function@file", "function@file:line", ":first-last", ":*", ":first,second-third", "+n"; function and
// file may have wildcards. An "@" in a function's name is written "\@". A file matches with the whole path or any tail
// of it that starts after a slash.
struct FunctionPattern {
    std::string function;  // as named_functions() takes it
    std::string file;      // "" any
    enum class Lines : uint8_t { None, Absolute, Relative, All, Listed } lines = Lines::None;
    int64_t first = 0;                                // Absolute: the line; Relative: counted from the declaration
    std::vector<std::pair<int64_t, int64_t>> ranges;  // Listed
};

// Nothing and a reason in `error` when the text has none of the forms.
std::optional<FunctionPattern> parse_function_pattern(std::string_view text, std::string &error);

bool file_matches(std::string_view path, std::string_view pattern);

// Entries of the index whose names and files match, with or without code.
std::vector<const FunctionEntry *> matching_functions(const Object &object, const Index &index,
                                                      const FunctionPattern &pattern);

struct FindOptions {
    bool calls = true;     // functions with code
    bool inlines = false;  // inlined instances
    bool exported_only = false;
    bool parts = false;  // pieces of functions that were split off, too; else each call begins at one of the sites
    // Functions that debug information says nothing of, by their symbols; they have no `function` and no file.
    bool undescribed = false;
};

// Functions that match, sorted by name, then address; each address once. `pattern.lines`, when given, must contain the
// line of the declaration or, for Absolute where none is declared there, a line within the function (the probe still
// goes to the function's entry). Symbols are further names of the functions that begin where they are. `index` may be
// null.
std::vector<CodeSite> find_functions(const Object &object, const Index *index, const FunctionPattern &pattern,
                                     const FindOptions &options);
inline std::vector<CodeSite> find_functions(const Object &object, const Index &index, const FunctionPattern &pattern,
                                            const FindOptions &options) {
    return find_functions(object, &index, pattern, options);
}

// Statements (rows of the line table that are marked so) that match: one site per line and function that has code for
// it, the lowest address. For Absolute and Relative lines without code, `nearest` gets the nearest lines that have
// some.
struct FoundStatements {
    std::vector<CodeSite> sites;
    std::vector<int64_t> nearest;
};
FoundStatements find_statements(const Object &object, const Index &index, const FunctionPattern &pattern);

// Lines of the function at `site` whose statements begin where a variable of it can be read, in order.
std::set<int> readable_lines(const Object &object, const Index &index, const CodeSite &site,
                             const ScopeVariable &variable);

// Labels of the functions that match.
std::vector<CodeSite> find_labels(const Object &object, const Index &index, const FunctionPattern &pattern,
                                  std::string_view label);

// Finds callees of `callers` whose names match, at most `depth` calls away: inlined instances, at their first
// instruction, and calls, at the call instruction. Calls through pointers are unknown.
std::vector<CodeSite> find_callees(const Object &object, const Index &index, const std::vector<CodeSite> &callers,
                                   std::string_view name, int64_t depth);

// The place of an address: in the function whose code it belongs to, or in none that is known.
CodeSite site_at(const Object &object, const Index &index, uint64_t address);
// Likewise, but of code that was inlined the instance that it belongs to.
CodeSite innermost_site_at(const Object &object, const Index &index, uint64_t address);

// Path of a source file as listings show it: without the source root.
std::string_view shown_file(const Index &index, uint32_t file);

}  // namespace tapir::dwarf
