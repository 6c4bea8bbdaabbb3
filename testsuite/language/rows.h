// SPDX-License-Identifier: GPL-2.0-or-later
// rows.tsv: the features of the language and the tests that hold each.
#pragma once

#include <set>
#include <string>
#include <vector>

namespace tapir::language {

struct Row {
    std::string section, feature;
    std::vector<std::string> tests;
    std::string reason;  // why there is no test yet: "- REASON"
};

struct Rows {
    std::vector<Row> rows;
    std::vector<std::string> mistakes;  // lines that are not three columns, features listed twice
};

Rows read_rows(const std::string &text);

// The table of docs/language-reference.md: "| section | feature | yes | `test` `test` |" or "| ... | no | reason |".
Rows read_reference(const std::string &page);

// Answers whether a test of this name is there: native/NAME golden/PATH vm/PATH unit/SUITE.TEST doc/HEADING.
class TestNames {
  public:
    // `root` is the source tree. Reads the test programs and the page once.
    explicit TestNames(const std::string &root);
    bool has(const std::string &test) const;

  private:
    std::string root_;
    std::set<std::string> units_;        // SUITE.NAME of all gtest programs
    std::vector<std::string> headings_;  // that have an example
};

}  // namespace tapir::language
