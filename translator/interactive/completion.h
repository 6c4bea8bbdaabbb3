// SPDX-License-Identifier: GPL-2.0-or-later
// The words that can stand where the cursor is.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "interactive/definitions.h"
#include "interactive/editor.h"

namespace tapir::interactive {

// Returns the lines that another run of this program prints, as with --dump-functions.
using List = std::function<std::string(const std::vector<std::string> &arguments)>;

class Completion {
  public:
    // `list` is asked when a word is completed for the first time.
    Completion(const Definitions &definitions, List list) : definitions_(definitions), list_(std::move(list)) {}

    // `before` are the earlier lines of the entry, `line` the text in front of the cursor.
    Candidates complete(const std::string &before, std::string_view line);

  private:
    void ask();
    std::vector<std::string> names() const;
    std::vector<std::string> points() const;
    const std::vector<std::string> &variables(const std::string &point);

    const Definitions &definitions_;
    const List list_;
    bool asked_ = false;
    std::set<std::string> functions_, points_;
    std::map<std::string, std::vector<std::string>> variables_;  // by point
};

}  // namespace tapir::interactive
