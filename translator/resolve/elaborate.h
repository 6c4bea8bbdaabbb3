// SPDX-License-Identifier: GPL-2.0-or-later
// Pass 2, first half: from parsed files to a program in which every name has its declaration.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "ast/ast.h"
#include "base/diagnostics.h"
#include "library/library.h"
#include "machine/kernel_options.h"
#include "probes/kinds.h"
#include "resolve/program.h"
#include "resolve/reach.h"
#include "syscalls/calls.h"
#include "target/debug_info.h"
#include "target/kernel_symbols.h"

namespace tapir::resolve {

struct ElaborateOptions {
    bool guru = false;          // -g: embedded C and guru functions may be used by the script itself
    bool keep_unused = false;   // -u: unused globals and functions of the script stay in the program
    bool drop_unused = false;   // code without effect is dropped before it is checked
    bool skip_badvars = false;  // --skip-badvars: context variables that cannot be resolved are 0
    bool listing = false;       // -l/-L: a script without probes is not an error
    bool names_only = false;    // of places that a listing shows by one name, one is enough
    // Names from -G and --globals; the variables they name count as assigned.
    std::vector<std::string> assigned_globals;
    // Globals of options that the loader sets, and that the session's start may read.
    std::vector<std::string> loaded_options;
    // Globals of options that the script uses as literals only: they are not missed.
    std::vector<std::string> literal_options;
    const target::Symbols *symbols = nullptr;                  // null: names not known
    const target::DebugInfo *debug = nullptr;                  // null: no debug information
    std::function<const syscalls::Calls *()> calls = nullptr;  // of the kernel; null: not known
    machine::OptionValue option = nullptr;                     // of the kernel's configuration; null: not known
    probes::Prologue prologue = probes::Prologue::WhereNeeded;
    Reach reach;  // of the back end
};

// Expands aliases and wildcards, locates probes, resolves every name, adds the used parts of the library, and checks
// the rules of use. Reports to `diagnostics`; the result is only good for the next pass if no error was reported.
// `library` must outlive the program.
std::unique_ptr<Program> elaborate(std::vector<std::unique_ptr<ast::File>> user, library::Library &library,
                                   const ElaborateOptions &options, Diagnostics &diagnostics);

}  // namespace tapir::resolve
