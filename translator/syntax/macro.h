// SPDX-License-Identifier: GPL-2.0-or-later
// Token macros: @define NAME(a, b) %( body %).
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "syntax/token.h"

namespace tapir::syntax {

struct Macro {
    std::string name;  // without "@"
    SourceRef at;
    bool has_params = false;
    std::vector<std::string> params;
    std::vector<Token> body;
    bool library = false;  // its body sees library macros only
};

// The macros of the tapset library, visible in every file.
class MacroTable {
  public:
    // Called once for each name that is looked up and not known; may parse a macro file into this table.
    using Loader = std::function<void(const std::string &name)>;
    void set_loader(Loader loader) { loader_ = std::move(loader); }
    // Names that the loader would find.
    void set_all_names(std::function<std::vector<std::string>()> names) { all_names_ = std::move(names); }
    using Filter = std::function<bool(const std::string &name)>;

    // Null when there is none. Results stay valid as long as the table.
    const Macro *find(const std::string &name) const;
    // While it is set, macros that it does not accept are not added, without a complaint.
    void set_filter(Filter filter) { filter_ = std::move(filter); }

    // Whether it is here, without asking the loader.
    bool has(const std::string &name) const { return macros_.count(name) != 0; }
    // False when the name is taken; the table then keeps the first.
    bool add(Macro macro);
    // For "similar:" lists: of those that are here, and of those that the loader would find.
    std::vector<std::string> names() const;

  private:
    std::map<std::string, Macro> macros_;
    Loader loader_;
    Filter filter_;
    std::function<std::vector<std::string>()> all_names_;
    mutable std::set<std::string> asked_;
};

}  // namespace tapir::syntax
