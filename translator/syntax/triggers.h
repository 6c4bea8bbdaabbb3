// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * @trigger, @after and @recall. A trigger becomes a statement of the plain language, with functions of
 * tapsets/trigger.stp:
 *
 *     @trigger(slow, took > 1000, "%d us", took, for="5s", limit="10/h")
 *
 *     if (__trigger_held(HASH, took > 1000, 5000000000) && __trigger_fires(HASH, "slow", 10, 3600000000000)) {
 *         (the record of the trigger)
 *         (the events that were recalled)
 *         (the block behind the trigger)
 *         __after_slow = 1        where the file has @after(slow)
 *     }
 */
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ast/ast.h"
#include "base/diagnostics.h"
#include "syntax/token.h"

namespace tapir::syntax {

// The arguments behind a trigger's name.
struct TriggerParts {
    std::vector<ast::ExprPtr> values;  // the condition, the format, what it prints; "thread = ID" and "cpu = NUMBER"
    ast::ExprPtr held, limit;          // for=, limit=
    ast::StmtPtr more;                 // the block behind it, or null
    unsigned depth = 0;
};

// Makes a trigger of the file. `text`: the statement as written.
std::unique_ptr<ast::If> make_trigger(ast::File &file, Diagnostics &diagnostics, const Token *keyword,
                                      const Token *name, TriggerParts parts, std::string text);
ast::ExprPtr make_after(ast::File &file, const Token *keyword, const Token *name);
// Has the file's triggers set what its @after ask for, and reports those that name no trigger. At the file's end.
void connect_triggers(ast::File &file, Diagnostics &diagnostics);

std::unique_ptr<ast::Print> make_recall(ast::File &file, Diagnostics &diagnostics, const Token *keyword,
                                        const Token *name, const Token *events, std::vector<ast::ExprPtr> values);

}  // namespace tapir::syntax
