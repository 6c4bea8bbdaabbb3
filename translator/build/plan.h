// SPDX-License-Identifier: GPL-2.0-or-later
// How one script is compiled and linked for one kernel: kbuild's own commands with the places of files left open.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "build/saved_command.h"

namespace tapir::build {

// Names used inside a template directory. The placeholder is as long as a module's name may be (struct module has 56
// bytes for it), so that every name fits in its place.
inline constexpr std::string_view kPlaceholder = "stap_placeholder_for_the_name_of_the_module_of_a_script";
static_assert(kPlaceholder.size() == 55);

struct Plan {
    // "" when the commands below can be used; else why only a whole kbuild run will do.
    std::string unsupported;

    std::string cwd;                       // where the commands run
    std::vector<std::string> environment;  // NAME=VALUE that kbuild exports to them

    // Words that stand for files: kSource, kObject (the script's), kModule (what a link writes).
    Words compile;         // the script as emitted: sees tapir/*.h only
    Words compile_kernel;  // with the kernel's include paths, for scripts with embedded C
    Words objtool;         // empty if the kernel needs none
    bool objtool_on_composite = false;
    Words combine;                 // only with objtool_on_composite: links all objects before objtool runs
    Words finish;                  // links the module file
    bool symbol_versions = false;  // imports have to bear a CRC (section __versions)

    static constexpr std::string_view kSource = "@SOURCE@";
    static constexpr std::string_view kObject = "@OBJECT@";
    static constexpr std::string_view kComposite = "@COMPOSITE@";
    static constexpr std::string_view kModule = "@MODULE@";
};

// The files and outputs of kbuild's template build.
struct Leftovers {
    std::string script_cmd;     // .script.o.cmd
    std::string composite_cmd;  // .PLACEHOLDER.o.cmd
    std::string module_cmd;     // .PLACEHOLDER.ko.cmd
    std::string mod_object;     // .mod.o itself
    std::string log;            // output of make V=1
    std::string environment;    // output of env(1) in a recipe
    std::string build_dir;      // the kernel's
    std::string made_in;        // directory of the template build
    std::string kept_in;        // directory it will be found in
};

// Never fails: a form it does not know gives a plan that says so in `unsupported`.
Plan derive_plan(const Leftovers &leftovers);

std::string serialize(const Plan &plan);
std::optional<Plan> parse_plan(std::string_view text);

// The command with the places filled in: pairs of place and file.
Words fill(const Words &command, const std::vector<std::pair<std::string_view, std::string>> &places);

}  // namespace tapir::build
