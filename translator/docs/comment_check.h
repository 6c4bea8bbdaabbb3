// SPDX-License-Identifier: GPL-2.0-or-later
// Finds the doc comment of a declaration and says what is wrong with it.
#pragma once

#include <string>
#include <vector>

#include "docs/catalogue.h"
#include "docs/commented_text.h"

namespace tapir::docs {

// The form of a doc comment, for messages: a line for the name, one for each of `items`.
std::string form_of(const std::string &name, const std::vector<std::string> &items, bool macro_file = false);

class CommentCheck {
  public:
    explicit CommentCheck(std::vector<Problem> &problems) : problems_(problems) {}

    void problem(const std::string &path, uint32_t line, std::string text);

    // The comment about `name`, whose declaration begins at `start`; null after a report, if there has to be one.
    const Comment *comment_for(Text &text, Kind kind, const std::string &name, const std::string &shown, size_t start,
                               uint32_t line, bool needed, const std::string &form);
    // Every name has its line, and no other has one.
    void check_items(const Text &text, const Comment &comment, const std::string &what, const char *item,
                     const std::vector<std::string> &names);
    void not_described(const Text &text, const Comment &comment, const std::string &item, const std::string &of_what,
                       const std::vector<std::string> &missing, const std::string &also = "");
    void check_summary(const Text &text, const Comment &comment, const std::string &what);
    // Comments that stand before nothing they could describe.
    void leftovers(const Text &text);

  private:
    std::vector<Problem> &problems_;
};

}  // namespace tapir::docs
