// SPDX-License-Identifier: GPL-2.0-or-later
// Requests of the probe points on code, and the places that debug information has for them.
#pragma once

#include <string>
#include <vector>

#include "probes/kinds.h"

namespace tapir::probes {

struct CodeRequest {
    enum Suffix : uint8_t { kAny, kCall, kReturn, kInline, kExported, kCallee, kLabel, kNearest, kAbsolute };

    const ast::ProbePoint &point;
    const ast::PointComponent &function;               // function(...) or statement(...)
    const ast::PointComponent *suffix_part = nullptr;  // what `suffix` was read from
    std::string module;                                // "" is the kernel
    Suffix suffix = kAny;
    bool calls_only = false;  // of callees: not those that are inlined
    bool statement = false;
    bool kprobe = false;

    bool by_address() const { return function.arg->kind == ast::ExprKind::Number; }
    // Do symbols say all that it needs to know? Source files apart.
    bool symbols_do() const;
};

// The point has one of the forms of code; see function.cc.
CodeRequest read_code_request(const ast::ProbePoint &point);
// Reads a point whose function or statement is component `at`.
CodeRequest read_code_request(const ast::ProbePoint &point, size_t at);

// "0xffffffff81000000"
std::string code_address_text(uint64_t address);

// Reports that nothing has the name of a component, with similar names.
void report_no_match(const ast::PointComponent &component, const ResolveContext &context,
                     const std::vector<std::string> &similar);

// Functions of these objects whose names are near a misspelt one.
std::vector<std::string> similar_functions(std::string_view name,
                                           const std::vector<const target::DebugObject *> &objects);

// The same among `names`, which have scopes: this name in other scopes, else near names in any.
std::vector<std::string> similar_qualified(std::string_view name, const std::vector<std::string> &names);

// The places in an object that a request names, in order; empty after a report. An object without debug information is
// asked for its symbols.
std::vector<FunctionSite> find_code_sites(const CodeRequest &request, const target::DebugObject &object,
                                          const ResolveContext &context);

// Groups sites so that an attachment can have each group: of one caller, or none, and with one way to identify calls.
std::vector<std::vector<FunctionSite>> in_groups(std::vector<FunctionSite> sites);

// The text between the quote after "function(" and a callee's label, and behind the label: its caller is part of its
// point. Empty for other sites.
struct CalleePoint {
    std::string before, behind;
};
CalleePoint callee_point(const CodeRequest &request, const FunctionSite &site);

// Writes the members of a tapir_function_arg that say where the attachment is.
void write_code_sites(const Attach &attach, Arg &out);

}  // namespace tapir::probes
