// SPDX-License-Identifier: GPL-2.0-or-later
// Handlers that the translator adds to a program: they print globals at the end, at intervals, or when they are asked.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "resolve/program.h"

namespace tapir::types {

// Adds handlers to a program, which belong to one file.
class HandlerMaker {
  public:
    explicit HandlerMaker(resolve::Program &program) : program_(program), file_(std::make_unique<ast::File>()) {}

    // Prints it in an end probe.
    void at_end(ast::Variable &global);
    // Prints it each time that the number says which add_interval() declares; or its `most` largest elements.
    void at_intervals(ast::Variable &global, int most = 0);
    // Gives it its first value again when the loader sets the number `wish` + NAME to 1.
    void resets_at_wish(ast::Variable &global, const std::string &wish);
    // Prints it as a metric at the end, and when the loader sets the number `wish` + NAME to 1.
    void as_metric(ast::Variable &global, const ast::Metric &metric, const ast::HistShape &shape,
                   const std::string &wish);

    // Declares the number that the loader sets: the interval of handlers.
    void add_interval(const SourceRef &at);

    void finish();

  private:
    ast::Variable &add_number(const SourceRef &at, std::string name, int64_t first);
    std::unique_ptr<resolve::Handler> at_wish(ast::Variable &global, const std::string &name);
    void add(std::unique_ptr<resolve::Handler> handler, ast::Variable &global);

    resolve::Program &program_;
    std::unique_ptr<ast::File> file_;
};

}  // namespace tapir::types
