// SPDX-License-Identifier: GPL-2.0-or-later
// The output of pass 2 when it is the last one, and the listings made from it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "library/library.h"
#include "resolve/elaborate.h"
#include "resolve/program.h"

namespace tapir::types {

// The program with its types, in the sections of -p2; with `bodies` (-v) the code too.
std::string print_program(const resolve::Program &program, bool bodies);

// -l and -L: the points that a script "probe PATTERN {}" means, sorted, without repetitions. With `variables` each is
// followed by those that all its expansions provide (" name:type"). With `instances` each place in the code has a line,
// which names it. Empty: nothing matches; `why_none`, unless null, gets the reason, if there is one beside the name.
std::vector<std::string> list_probes(std::unique_ptr<ast::File> script, library::Library &library,
                                     const resolve::ElaborateOptions &options, bool variables, bool instances = false,
                                     std::string *why_none = nullptr);

// --dump-functions: one line per library function, sorted; names with a leading underscore and all pragmas only if
// `verbose`.
std::vector<std::string> dump_functions(library::Library &library, bool verbose);

// --dump-probe-aliases: "alias = point?, point!" per alias, sorted, those of the target's system calls among them;
// names with a leading underscore, and those that wildcards do not mean, only if `verbose`.
std::vector<std::string> dump_aliases(library::Library &library, bool verbose);

}  // namespace tapir::types
