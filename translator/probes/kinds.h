// SPDX-License-Identifier: GPL-2.0-or-later
// The translator's side of probe kinds: one ops struct per kind, in the order of tapir/kinds.def.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ast/ast.h"
#include "base/diagnostics.h"
#include "machine/kernel_options.h"
#include "probes/arg.h"
#include "probes/attach.h"
#include "syscalls/calls.h"
#include "target/debug_info.h"
#include "target/kernel_symbols.h"

namespace tapir::probes {

// Says whether probes at entries of functions are put behind the instructions that set up the functions' frames: never,
// only where the function's variables are not available earlier, or always.
enum class Prologue : uint8_t { Never, WhereNeeded, Always };

struct ResolveContext {
    const target::Symbols &symbols;
    Diagnostics &diagnostics;
    const target::DebugInfo &debug;
    std::function<const syscalls::Calls *()> calls = nullptr;  // read when a point names some; null: not known
    machine::OptionValue option = nullptr;                     // of the kernel's configuration; null: not known
    Prologue prologue = Prologue::WhereNeeded;
    bool names_only = false;  // of places with the same label, one is enough
};

// One way of writing a probe point, components separated by dots: "timer.ms(number).randomize(number)",
// "kernel.function(string).call". A form known to users but not built yet has `refused`, the reason given to them.
struct Form {
    std::string_view text;
    std::string_view refused = {};
};

struct KindOps {
    std::span<const Form> forms = {};  // empty: the kind's points are written in forms of another one
    // Locates a point that has exactly one of `forms`, all components literal, and appends the places found. On failure
    // it reports the reason (unless the point is optional, which is not the kind's concern) and appends nothing.
    void (*resolve)(const ast::ProbePoint &point, size_t form, const ResolveContext &context,
                    std::vector<Attach> &out) = nullptr;
    // Is a form hit by a process that stands still, dead in a core file? Null: none is.
    bool (*stands_still)(size_t form) = nullptr;
    // Writes the kind's argument. Null: it has none.
    void (*write_arg)(const Attach &attach, Arg &out) = nullptr;
};

// A row of tapir/kinds.def: a kind, or further ways of writing points.
struct ListedKind {
    std::string_view name;
    const KindOps *ops;
};

// All rows, in the order in which listings show them.
std::span<const ListedKind> kinds();

// Finds the kind of a point without wildcards in component names and resolves it. False when no form matches; nothing
// is reported then.
bool resolve(const ast::ProbePoint &point, const ResolveContext &context, std::vector<Attach> &out);

// Would a point that resolve() takes be hit by a process that stands still? The point is "begin", for one.
bool stands_still(const ast::ProbePoint &point);

// Returns the argument of the attachment's kind; without a type if the kind has none.
Arg arg_of(const Attach &attach);

// True when resolve() would find a kind.
bool is_known(const ast::ProbePoint &point);

// Forms whose component names a point with wildcards ("timer.*", "**") could mean, as points with concrete component
// names; only forms whose arguments agree.
std::vector<ast::ProbePoint> expand_names(const ast::ProbePoint &point);

// The forms that can be used, as written in the tables: "timer.ms(number)".
std::vector<std::string> form_texts();

// Returns the components that the forms allow after the first `depth` components of a point: "s(number)".
std::vector<std::string> alternatives(const ast::ProbePoint &point, size_t depth);

}  // namespace tapir::probes
