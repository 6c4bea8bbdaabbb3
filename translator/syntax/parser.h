// SPDX-License-Identifier: GPL-2.0-or-later
// Pass 1: text to syntax tree.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ast/ast.h"
#include "base/diagnostics.h"
#include "syntax/macro.h"

namespace tapir::syntax {

// Facts for %( %) conditionals. The strings compare as the user writes them: "6.1.0", "6.1.0-56-amd64", "x86_64".
struct PreprocessorFacts {
    std::string kernel_v;
    std::string kernel_vr;
    std::string arch;
    std::string systemtap_v = "5.6";  // the language level, which --compatible sets
    std::string systemtap_privilege = "stapdev";
    std::string runtime = "kernel";
    bool guru_mode = false;
    // The value of a CONFIG_ option of the target kernel ("y", "m", "250"); nothing when it is not set.
    std::function<std::optional<std::string>(const std::string &name)> config;
};

// A value that stands where the script names one of its options.
struct LiteralValue {
    bool is_number = false;
    int64_t number = 0;
    std::string text;
    std::string option = {};  // the global that has the number when the session starts; "": the number itself
};

// By line and column of the name.
using LiteralValues = std::map<std::pair<uint32_t, uint32_t>, LiteralValue>;

struct ParseOptions {
    std::vector<std::string> args;       // what $1, @1 stand for
    bool guru = false;                   // -g
    bool privileged = false;             // a tapset: embedded C and guru operators are allowed
    int64_t array_size_max = INT32_MAX;  // --array-size-max: the size of an array, without privilege
    bool check_version = false;          // --check-version: warn of what depends on the language level
    PreprocessorFacts facts;
    LiteralValues literals = {};  // of the user's script
    // Macros without parameters that stand for a text, @NAME; the texts must outlive the tree.
    std::map<std::string, const SourceFile *> pasted = {};
    const MacroTable *library_macros = nullptr;  // may be null
    std::set<size_t> *used_args = nullptr;       // may be null; gets the indexes (from 1) of args that are mentioned
};

// Parses one file. Errors are reported and parsing goes on at the next top-level item: the result holds the items
// without errors and is never null. `file` must outlive the result. Nothing is printed or thrown.
std::unique_ptr<ast::File> parse(const SourceFile &file, const ParseOptions &options, Diagnostics &diagnostics);

// Reads a library macro file (.stpm), which holds @define and conditionals only, into `table`.
void parse_macros(const SourceFile &file, const ParseOptions &options, MacroTable &table, Diagnostics &diagnostics);

// Names of the operators that begin with "@", with the sign.
const std::vector<std::string> &at_operator_names();

}  // namespace tapir::syntax
