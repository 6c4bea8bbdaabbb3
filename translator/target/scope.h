// SPDX-License-Identifier: GPL-2.0-or-later
// The names for a script at the place of a probe: variables, parameters, the function's result, types.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ctypes/place.h"
#include "ctypes/type.h"
#include "target/thread_local.h"

namespace tapir::target {

struct Variable {
    std::string name;
    ctypes::Type type;
    ctypes::Place place;
    bool parameter = false;
    bool global = false;  // of the whole unit or program
};

inline std::optional<Variable> find_variable(const std::vector<Variable> &variables, std::string_view name) {
    const auto found = std::find_if(variables.begin(), variables.end(), [&](const auto &v) { return v.name == name; });
    return found != variables.end() ? std::optional(*found) : std::nullopt;
}

// An address as the object was linked, by a symbol that is found again where the object is loaded.
struct Anchor {
    std::string module;  // "" is the kernel itself
    std::string symbol;
    int64_t offset = 0;
};

// An object that a script was translated for: the script must not run with another build of it.
struct BuiltObject {
    std::string module;    // "" is the kernel itself
    std::string build_id;  // lower-case hexadecimal
    friend bool operator==(const BuiltObject &, const BuiltObject &) = default;
};

// Likewise a program or library. Without a build-id and with size 0, any file at the path will do.
struct BuiltProgram {
    std::string path;
    std::string build_id;    // lower-case hexadecimal; "" when it has none
    uint64_t size = 0;       // bytes of the file
    uint64_t text_bias = 0;  // address of its code, as linked, minus the code's offset in the file, which is
    uint64_t text_offset = 0;
    friend bool operator==(const BuiltProgram &, const BuiltProgram &) = default;
};

// A variable that functions of the tapset library read and write.
struct FunctionVariable {
    std::string name;
    std::string read, write, append;  // the functions; append does ".="; "" for an operation that is impossible
    bool guarded = false;             // written with -g only
};

class Scope {
  public:
    virtual ~Scope() = default;

    // Parameters first, then locals from the inside out; variables of the unit are not among them.
    virtual std::vector<Variable> variables() const = 0;
    // The variables for -L: these, and other variables with names here, except those of the unit.
    virtual std::vector<Variable> listed() const { return variables(); }
    // Finds a variable by name, also one of the unit.
    virtual std::optional<Variable> find(std::string_view name) const = 0;
    // Finds the variable of @var: "name" as find, else in the whole object; "name@file" in the unit with that source
    // file.
    virtual std::optional<Variable> find_global(std::string_view name) const { return find(name); }
    // Returns a variable that is not an object of the probed program: functions of the tapset library read and write
    // it. Null for others.
    virtual const FunctionVariable *by_function(std::string_view) const { return nullptr; }
    // Returns the type of the function's result (void: id 0), for return probes; nothing outside of functions, or if it
    // is unknown.
    virtual std::optional<ctypes::Type> result() const = 0;
    // Where a function can have several results, or has them elsewhere than functions of C: all of them, in order, with
    // the places that they have when it has just returned. result() is the type of the first one.
    virtual std::vector<Variable> results() const { return {}; }
    // A type by name, first as this place sees it.
    virtual std::optional<ctypes::Type> find_type(std::string_view name) const = 0;
    // Computes parts of a type that are not constant (TypeInfo::computed): the elements of an array, the bytes of
    // another type, as a Value. For a member (ComputedPart::id): its address, as Memory. Or Absent.
    virtual ctypes::Place measure(const ctypes::Type &) const {
        return ctypes::absent("it is known only where it is declared");
    }
    // The value of an enumerator.
    virtual std::optional<int64_t> find_enumerator(std::string_view name) const = 0;
    // Resolves TermOp::Relocated; nothing when no symbol is near.
    virtual std::optional<Anchor> anchor(uint64_t linked_address) const = 0;
    // Resolves TermOp::ThreadLocal, together with an anchor.
    virtual ThreadBlock thread_block() const { return {.why = "it is thread-local, which nothing here can be"}; }
    // "DWARF of PATH", "BTF of the kernel": where all this comes from, for messages and -v.
    virtual std::string source() const = 0;
    // Returns why locals, lines or types may be missing and how to get them; "" if this source has all there is.
    virtual std::string missing() const { return {}; }
    // $$name: of marks, tracepoints and PLT entries; "" for others.
    virtual std::string probe_name() const { return {}; }
    // $$provider: of marks.
    virtual std::optional<std::string> probe_provider() const { return std::nullopt; }
    // $$system of tracepoints, "" if it is not known; nothing for others.
    virtual std::optional<std::string> probe_system() const { return std::nullopt; }
    // Where a variable that cannot be read here can be, for messages: "lines of fs/open.c where it can be read: 12-14,
    // 20";
    // "" when that is not known.
    virtual std::string readable_at(std::string_view) const { return {}; }
    // Was something asked for that is there only when the function's first instructions have set up its frame? Then how
    // many bytes behind its entry that is, if the probe may go there.
    virtual std::optional<uint64_t> behind_prologue() const { return std::nullopt; }
    // Then all is as it is there.
    virtual void move_behind_prologue() const {}
    // The object whose types and variables these are: the path of a program, the name of a kernel module, "" the
    // kernel.
    virtual std::string module() const { return {}; }
    // Is the object user-space code, whose memory is read as the current task sees it?
    virtual bool user() const { return false; }
};

}  // namespace tapir::target
