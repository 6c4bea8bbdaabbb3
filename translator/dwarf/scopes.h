// SPDX-License-Identifier: GPL-2.0-or-later
// Places in code, and the variables that are visible there.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "dwarf/dwarf_types.h"
#include "dwarf/index.h"
#include "dwarf/location.h"

namespace tapir::dwarf {

// A place where a probe can be put.
struct CodeSite {
    uint64_t pc = 0;        // as linked
    uint64_t call = 0;      // not 0: the probe goes to this call instruction, where arguments are as at `pc`
    uint64_t function = 0;  // DIE of the subprogram with code, or of the inlined instance; 0: only a symbol is known
    uint32_t unit = 0;      // in Index::units()
    bool at_entry = false;  // pc is the first instruction of a subprogram (not of an inlined instance)
    bool inlined = false;
    bool movable = false;                         // an entry whose probe may go behind the function's prologue instead
    bool jump = false;                            // the instruction at `call` jumps: the stack is as at `pc`
    std::string name;                             // of the function, with its scopes
    std::string shown;                            // its text in a listing; "" is `name`
    std::string label;                            // where the site is one
    uint32_t file = 0, line = 0;                  // of its declaration, or of the statement
    std::shared_ptr<const CodeSite> caller = {};  // of a callee: the function whose calls were looked for
    // For a frame of a stack: the FramePlaces of the object.
    std::shared_ptr<const std::map<uint64_t, std::set<uint64_t>>> frames = {};
};

struct ScopeVariable {
    std::string name;
    uint64_t die = 0;
    bool parameter = false;
    bool global = false;  // of the unit, not of a function
    bool result = false;  // a parameter of the debug information that stands for a result, as Go has them
};

// Returns parameters and locals visible at a site, innermost first, without hidden ones. Behind them are those that the
// compiler has replaced by constants and left out of copies of the function.
std::vector<ScopeVariable> variables_at(const Object &object, const CodeSite &site);

// Finds the variable that a name means at a site: one of these, else a variable of the unit.
std::optional<ScopeVariable> find_variable(const Object &object, const Index &index, const CodeSite &site,
                                           std::string_view name);

// Finds a static variable in one of the functions of a unit, the first of the name; nothing if no function has it.
std::optional<ScopeVariable> find_function_static(const Object &object, const Index &index, uint32_t unit,
                                                  std::string_view name);

// Parameters of the function at the site, in order, also those without a name ("").
std::vector<ScopeVariable> parameters_of(const Object &object, const CodeSite &site);

// The function that a site is in; null in an inlined instance, or if another function with the same code stands for it.
const FunctionEntry *function_of(const Index &index, const CodeSite &site);

// The possible callers of the function whose entry a site is. They decide how it is called.
enum class Callers : uint8_t {
    Unknown,  // it may be another function that a compiler made of the one in the sources
    Unsure,   // its own file; the compiler may have left out parameters that it does not describe
    Own,      // parameters are passed in their places; of those that it does not use that may be any value
    Any,      // other files may, which know nothing but its declaration, and its own passes no less
};
Callers callers_of(const Object &object, const Index &index, const CodeSite &site);

// Was a unit of the index compiled without optimization? Then functions are called as they are written.
bool is_unoptimized(const Object &object, const Index &index, uint32_t unit);

// How a language's compilers pass arguments, as far as it is known.
enum class CallRules : uint8_t { Unknown, C, Rust };
CallRules call_rules(const Index &index, const CodeSite &site);

// The compiler of a site's unit. LLVM passes integers of 16 bytes as in the ABI since its version 18.
enum class Compiler : uint8_t { Other, Gcc, LlvmBefore18, Llvm };
Compiler compiler_of(const Object &object, const Index &index, const CodeSite &site);

// Is a variable described by a register alone? GCC writes that of the whole function if it has not followed its
// variables (-fno-var-tracking, very large functions), though it is there only some of the time.
bool is_register_of_gcc(const Object &object, const Index &index, const CodeSite &site, const ScopeVariable &variable);

// Returns where the debug information has a variable once the function has begun to run, by its expression.
ctypes::Place place_in_body(const Object &object, const CodeSite &site, const ScopeVariable &variable);

// The same place behind the instructions that set up the function's frame (after_prologue()).
std::optional<CodeSite> behind_prologue(const Object &object, const CodeSite &site, bool unoptimized);

// The type of a variable found above.
ctypes::Type type_of_variable(const Object &object, const Types &types, const ScopeVariable &variable);

// Where it is at the site.
ctypes::Place place_of_variable(const Object &object, const Index &index, const CodeSite &site,
                                const ScopeVariable &variable);

// Types::measure() of a type at the site.
ctypes::Place measure_at(const Object &object, const Index &index, const Types &types, const CodeSite &site,
                         ctypes::TypeId type);

// Returns the type that the function at the site returns; void has id 0.
ctypes::Type return_type(const Object &object, const Types &types, const CodeSite &site);

}  // namespace tapir::dwarf
