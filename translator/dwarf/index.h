// SPDX-License-Identifier: GPL-2.0-or-later
// An index of an object's debug information, in a file that is made once and memory-mapped afterwards. It has the
// definitions at the top level of units, sorted by name: functions, types, variables, enumerators and source files, and
// where functions were inlined. Readers take everything below the top level (scopes, locals, lines) from the debug
// information itself, in the units that the index names.
//
// The file: a Header, then the arrays in the order of `Section`, then strings, each ending in a NUL. Native byte order:
// an index is never moved between machines. Readers check every number they take from it, so a damaged file gives wrong
// or missing names, never a crash. A file of another version, another object or a wrong length is made again.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dwarf/object.h"
#include "names/qualified_name.h"

namespace tapir::dwarf {

using StringRef = uint32_t;  // offset into the strings

// Every `die` and `origin` is an Object::id_of(). The index covers the object's units and the dwz units they import.

struct UnitEntry {
    uint64_t die;  // of the unit
    StringRef name, directory;
    uint32_t language;  // DW_LANG_*
    uint32_t unused;
};

// A scope: a namespace, class or function that contains entries. Scopes are numbered; 0 is the global one.
struct ScopeEntry {
    uint32_t parent;  // less than its own number
    StringRef name;
    uint32_t inlined;  // 1: its content is also in its parent, as of an inline namespace
};

enum FunctionFlags : uint32_t {
    kExternal = 1,
    kInlined = 2,    // the abstract DIE of a function that was inlined somewhere (or may be)
    kOutOfLine = 4,  // has code: `entry` is valid
    kPart = 8,       // that code is a piece which was split off, "f.part.0": a call of the function begins elsewhere
    // The symbols of `entry` exist, and none shows that the compiler changed the function's parameters.
    kUnchanged = 16,
    kExported = 32  // the function's own symbol, which other source files can call
};

struct FunctionEntry {
    uint64_t die;
    uint64_t entry;                // address of the first instruction, as linked; 0 without kOutOfLine
    StringRef name, linkage_name;  // the latter "" when it is the same
    uint32_t unit, file, line;     // file, line of the declaration; file 0 is unknown
    uint32_t flags;
    uint32_t scope;
    uint32_t unused;
};

// An inlined instance, if a call begins with it: where the compiler split a function and inlined both pieces, the
// first.
struct InlineEntry {
    uint64_t origin;  // DIE of the abstract function
    uint64_t die;     // of the instance
    uint64_t entry;   // address of its first instruction
    uint32_t unit;    // that the instance is in
    uint32_t unused;
};

struct TypeEntry {
    uint64_t die;
    StringRef name;
    uint32_t tag;  // DW_TAG_structure_type, ...
    uint32_t unit;
    uint32_t scope;
};

enum VariableFlags : uint32_t {
    kVariableExternal = 1,
    kVariableDeclared = 2  // only that: of many declarations of one name in a scope the first
};

struct VariableEntry {
    uint64_t die;
    StringRef name;
    uint32_t unit;
    uint32_t home;  // the unit that declares it, of a program that was optimized as a whole; else `unit`
    uint32_t flags;
    uint32_t scope;
    uint32_t unused;
};

struct EnumeratorEntry {
    uint64_t die;  // of the enumeration
    int64_t value;
    StringRef name;
    uint32_t unit;
    uint32_t scope;  // ends with the enumeration
    uint32_t unused;
};

// A unit of a language without scopes declares a function, or defines it, that other units can call: it may call it.
struct DeclaringEntry {
    StringRef name;
    uint32_t unit;
};

// Code that probes cannot be put into, and why.
enum class Unprobeable : uint8_t { Init, Kprobes, NoInstrumentation, Entry, Count };
struct CodeRange {
    uint64_t begin = 0, end = 0;
};
// The layout of a kernel by its symbols; zeros in other objects.
struct KernelLayout {
    uint64_t text = 0;  // _stext
    CodeRange unprobeable[static_cast<size_t>(Unprobeable::Count)];
};
KernelLayout kernel_layout(const Object &object);

class Index {
  public:
    // The index of `object`, from `directory`/index_name(), made when it is not there or does not fit. It is published
    // by renaming, so that runs in parallel see a whole file or none; when it cannot be written
    // (`directory` empty, disk full) it is used from memory. Nothing when the object has no debug information that can
    // be used (Object::debug_problem()).
    static std::unique_ptr<Index> open(const Object &object, const std::string &directory);
    // Reads an index file alone; nothing when it is not whole or not of this `identity`. For tests and fuzzers.
    static std::unique_ptr<Index> map(const std::string &path, std::string_view identity);
    ~Index();
    Index(const Index &) = delete;
    Index &operator=(const Index &) = delete;

    // All sorted by name, then DIE offset.
    std::span<const FunctionEntry> functions() const { return functions_; }
    std::span<const TypeEntry> types() const { return types_; }
    std::span<const VariableEntry> variables() const { return variables_; }
    std::span<const EnumeratorEntry> enumerators() const { return enumerators_; }
    std::span<const UnitEntry> units() const { return units_; }

    std::span<const FunctionEntry> functions(std::string_view name) const;
    // Instances of an abstract function, by address.
    std::span<const InlineEntry> instances(const FunctionEntry &function) const;
    // Finds types by "name" and tag: a structure matches without the prefix "struct " of scripts.
    std::span<const TypeEntry> types(std::string_view name) const;
    std::span<const VariableEntry> variables(std::string_view name) const;
    // The declaring entries, each unit once.
    std::span<const DeclaringEntry> declaring(std::string_view function) const;
    std::span<const EnumeratorEntry> enumerators(std::string_view name) const;
    // Those with this name, and those that have it with template arguments: "max", "max<int>"; not in order.
    std::vector<const FunctionEntry *> functions_of_base(std::string_view base) const;
    std::vector<const TypeEntry *> types_of_base(std::string_view base) const;
    // The function whose entry is the nearest at or below the address, or null. For addresses of code.
    const FunctionEntry *function_at(uint64_t address) const;
    // Those whose entry it is.
    std::vector<const FunctionEntry *> functions_starting_at(uint64_t address) const;

    // "" for a reference that is out of range.
    std::string_view text(StringRef ref) const;
    // The names of a scope and those it is in, outermost first, then `name`. A damaged index gives any names.
    std::vector<std::string_view> parts(uint32_t scope, StringRef name) const;
    // The mask of the parts that are inline namespaces, as NamePattern::matches() takes it.
    uint64_t inlined_parts(uint32_t scope) const;
    bool matches(const NamePattern &pattern, uint32_t scope, StringRef name, NamePattern::Mode mode) const {
        return pattern.matches(parts(scope, name), mode, inlined_parts(scope));
    }
    // Is anything in a scope?
    bool has_scopes() const { return scopes_.size() > 1; }
    // "ns::Class::method"
    std::string qualified_name(uint32_t scope, StringRef name) const;
    // Returns the path of a source file as the compiler knew it: absolute, or relative to the compiler's directory if
    // it was given only relative paths (reproducible builds). "" for 0.
    std::string_view file(uint32_t number) const;
    // The directory that the sources were compiled in, with its slash: what listings leave out of paths. "" if the
    // units have no common one.
    std::string_view source_root() const { return text(root_); }
    // Address of a kernel's _stext as linked, 0 for other objects: kernels are loaded as a whole, so all their
    // addresses keep their distance from it.
    uint64_t kernel_text() const { return layout_.text; }
    // Returns why the kernel refuses probes at this address, as far as sections show; nothing if it may take them.
    std::optional<Unprobeable> unprobeable(uint64_t address) const;
    // Was it made by this open()?
    bool built() const { return built_; }
    uint64_t bytes() const { return bytes_; }

  private:
    Index() = default;
    bool attach(std::span<const char> content, std::string_view identity);

    std::span<const UnitEntry> units_;
    std::span<const ScopeEntry> scopes_;
    std::span<const FunctionEntry> functions_;
    std::span<const InlineEntry> inlines_;  // by origin, then entry
    std::span<const TypeEntry> types_;
    std::span<const VariableEntry> variables_;
    std::span<const EnumeratorEntry> enumerators_;
    std::span<const DeclaringEntry> declaring_;  // by name, then unit
    std::span<const StringRef> files_;
    std::span<const uint32_t> by_address_;  // positions in functions_ of those with code, by entry
    std::string_view strings_;
    StringRef root_ = 0;
    KernelLayout layout_;
    void *mapping_ = nullptr;
    uint64_t bytes_ = 0;
    std::string memory_;
    bool built_ = false, supplemented_ = false;
};

// How an index is made: the units are read in so many threads, in portions of so many bytes of .debug_info. The content
// does not depend on it.
struct IndexPlan {
    unsigned threads = 0;  // 0: one for each processor
    uint64_t portion = uint64_t{16} << 20;
};

// The whole content of the index file of an object that has debug information. `identity` says which object it is of.
// "" when parts cannot be read: then Object::debug_problem() says why.
std::string build_index(const Object &object, std::string_view identity, const IndexPlan &plan = {});

// Identifies the debug information of an object: its build-id, or its path, and the file that it was read from, by
// size, time and sections.
std::string index_identity(const Object &object);
// The file of its index.
std::string index_name(const Object &object);

}  // namespace tapir::dwarf
