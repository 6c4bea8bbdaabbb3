// SPDX-License-Identifier: GPL-2.0-or-later
// The passes of the translator as values, and what they hand to each other.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "base/diagnostics.h"
#include "ir/ir.h"
#include "library/library.h"
#include "library/system_calls.h"
#include "options/options.h"
#include "resolve/elaborate.h"
#include "resolve/program.h"
#include "target/debug_info.h"
#include "target/kernel.h"
#include "target/kernel_symbols.h"

namespace tapir::driver {

// The results of a run so far. Later members point into earlier ones.
struct State {
    State(const Options &o, const Backend &b, Diagnostics &d) : options(o), backend(b), diagnostics(d) {}

    const Options &options;
    const Backend &backend;
    Diagnostics &diagnostics;

    std::optional<target::Kernel> kernel;
    std::vector<std::unique_ptr<SourceFile>> sources;
    std::vector<std::unique_ptr<SourceFile>> option_texts;      // that the script's options stand for
    std::vector<std::shared_ptr<const SourceFile>> used_files;  // of a script of stap++: as written
    std::vector<std::shared_ptr<const SourceFile>> used_texts;  // of its libraries: in the plain language
    std::vector<library::IndexedFile> tapset_files;             // taken by pass 1
    std::unique_ptr<library::SystemCalls> system_calls;
    std::set<size_t> used_args;
    std::unique_ptr<library::Library> library;
    target::Symbols symbols;
    std::unique_ptr<target::DebugInfo> debug;
    std::vector<std::unique_ptr<ast::File>> files;  // emptied by elaborate
    std::unique_ptr<resolve::Program> program;
    ir::Module module;
    std::string c_text;
    std::string module_path;
};

// One step. `run` leaves its errors in state.diagnostics; the driver stops after a step that reported any.
struct Pass {
    int number;        // as users count: 1 parse, 2 elaborate, 3 translate, 4 build
    const char *name;  // for --dump-after
    void (*run)(State &state);
    std::string (*dump)(State &state);     // null: nothing to show
    std::string (*summary)(State &state);  // what -v says of the whole numbered pass; on its last step only
};

// The steps in order.
std::span<const Pass> passes();

// The script's arguments and the facts that the preprocessor may ask about; state.kernel must be there.
syntax::ParseOptions parse_settings(State &state);
// Where the kernel's debug information may be; state.kernel must be there.
target::DebugSources debug_sources(const State &state);
// The settings of pass 2; sets up state.symbols, which they point to.
resolve::ElaborateOptions elaborate_settings(State &state);

// The directory that holds tapsets/, runtime/ and kmod/: <prefix>/share/tapir of an installed program, else the source
// tree it was built from.
std::string data_root();

// The names of the kernel's symbols, read when first asked for; state.kernel must be there.
target::Symbols kernel_symbols(const State &state);

// Where the tapset library is; state.kernel must be there.
library::IndexOptions tapset_settings(const State &state);
// Its files, and those that a script of stap++ uses.
std::vector<library::IndexedFile> tapset_files(const State &state, const library::IndexOptions &settings);

}  // namespace tapir::driver
