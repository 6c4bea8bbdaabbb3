// SPDX-License-Identifier: GPL-2.0-or-later
// Globals that a script fills and never reads are its results: print them at the end.
#include <string>

#include "types/finish.h"
#include "types/handler_maker.h"

namespace tapir::types {

namespace {

constexpr const char kReset[] = "__reset_";

bool is_of_script(const ast::Variable &global) {
    return global.at.file && global.at.file->origin() != Origin::Tapset && global.arity >= 0;
}

bool is_displayed(const ast::Variable &global) {
    return is_of_script(global) && !global.is_read && global.is_written;
}

}  // namespace

void add_autoprint(resolve::Program &program, bool refresh) {
    std::vector<ast::Variable *> displayed;
    for (ast::Variable *global : program.globals)
        if (is_displayed(*global)) displayed.push_back(global);
    if (displayed.empty()) return;
    HandlerMaker maker(program);
    for (ast::Variable *global : displayed)
        maker.at_end(*global);
    if (refresh) {
        maker.add_interval(displayed.front()->at);
        for (ast::Variable *global : displayed)
            maker.at_intervals(*global);
    }
    maker.finish();
}

void add_monitor(resolve::Program &program) {
    constexpr size_t kLongestName = 64 - sizeof kReset;  // TAPIR_NAME_MAX with its NUL
    program.is_monitored = true;
    std::vector<ast::Variable *> monitored;
    for (ast::Variable *global : program.globals)
        if (is_of_script(*global) && global->type != ast::Type::Unknown && !global->name.starts_with("__"))
            monitored.push_back(global);
    if (monitored.empty()) return;
    HandlerMaker maker(program);
    maker.add_interval(monitored.front()->at);
    for (ast::Variable *global : monitored) {
        global->is_monitored = true;
        if (global->is_written && !global->live && global->name.size() <= kLongestName)
            maker.resets_at_wish(*global, kReset);
        maker.at_intervals(*global, kMonitoredElements);
    }
    maker.finish();
}

}  // namespace tapir::types
