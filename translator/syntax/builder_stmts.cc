// SPDX-License-Identifier: GPL-2.0-or-later
// Statements.
#include <algorithm>

#include "grammar.hh"
#include "syntax/builder.h"
#include "syntax/operators.h"

namespace tapir::syntax {

using T = Grammar::token;

StmtNode Builder::grow(ast::StmtPtr stmt, unsigned depth_below) {
    if (depth_below < max_depth) return {std::move(stmt), depth_below + 1};
    too_deep(stmt->at);
    return {std::make_unique<ast::NullStmt>(stmt->at), 1};
}

StmtList Builder::append(StmtList list, StmtNode stmt) {
    list.depth = std::max(list.depth, stmt.depth);
    // In a list a lone ";" separates; it is a statement only where one is required.
    if (stmt.stmt->kind != ast::StmtKind::Null) list.items.push_back(std::move(stmt.stmt));
    return list;
}

StmtNode Builder::block(const Token *at, StmtList list) {
    auto block = std::make_unique<ast::Block>(at->ref);
    block->body = std::move(list.items);
    return grow(std::move(block), list.depth);
}

StmtNode Builder::null_statement(const Token *at) {
    return grow(std::make_unique<ast::NullStmt>(at->ref), 0);
}

StmtNode Builder::expression(ExprNode expr) {
    SourceRef at = expr.expr->at;
    return grow(std::make_unique<ast::ExprStmt>(at, std::move(expr.expr)), expr.depth);
}

StmtNode Builder::embedded_statement(const Token *code) {
    require_privilege(code, Tag::EmbeddedCodeUnprivileged, "embedded code");
    return grow(std::make_unique<ast::EmbeddedCStmt>(code->ref, code->value), 0);
}

StmtNode Builder::if_statement(const Token *at, ExprNode cond, StmtNode then_stmt, StmtNode else_stmt) {
    auto stmt = std::make_unique<ast::If>(at->ref);
    stmt->cond = std::move(cond.expr);
    stmt->then_stmt = std::move(then_stmt.stmt);
    stmt->else_stmt = std::move(else_stmt.stmt);
    return grow(std::move(stmt), std::max({cond.depth, then_stmt.depth, else_stmt.depth}));
}

StmtNode Builder::for_statement(const Token *at, ExprNode init, ExprNode cond, ExprNode step, StmtNode body) {
    auto stmt = std::make_unique<ast::For>(at->ref);
    stmt->init = std::move(init.expr);
    stmt->cond = std::move(cond.expr);
    stmt->step = std::move(step.expr);
    stmt->body = std::move(body.stmt);
    return grow(std::move(stmt), std::max({init.depth, cond.depth, step.depth, body.depth}));
}

StmtNode Builder::while_statement(const Token *at, ExprNode cond, StmtNode body) {
    auto stmt = std::make_unique<ast::While>(at->ref);
    stmt->cond = std::move(cond.expr);
    stmt->body = std::move(body.stmt);
    return grow(std::move(stmt), std::max(cond.depth, body.depth));
}

StmtNode Builder::foreach_statement(const Token *at, ForeachKeys keys, ForeachArray array, StmtNode body,
                                    ExprNode limit) {
    auto stmt = std::make_unique<ast::Foreach>(at->ref);
    auto sort = [&](const SortMark &mark, int column) {
        if (mark.direction == ast::Foreach::Sort::None) return;
        if (stmt->sort != ast::Foreach::Sort::None) report(Tag::MultipleSorts, mark.ref, "multiple sort directives");
        stmt->sort = mark.direction;
        stmt->sort_column = column;
        stmt->sort_at = mark.ref;
    };
    for (size_t i = 0; i < keys.keys.size(); i++) {
        sort(keys.keys[i].sort, static_cast<int>(i) + 1);
        stmt->keys.push_back(std::move(keys.keys[i].name));
    }
    sort(keys.value_sort, 0);
    sort(array.sort, 0);
    stmt->value = std::move(keys.value);
    stmt->array = std::move(array.array.expr);
    stmt->slice = std::move(array.slice.items);
    if (array.stat) stmt->sort_stat = stat_operator(array.stat->ref.text);
    stmt->limit = std::move(limit.expr);
    stmt->body = std::move(body.stmt);
    return grow(std::move(stmt), std::max({array.array.depth, array.slice.depth, limit.depth, body.depth}));
}

StmtNode Builder::return_statement(const Token *at, ExprNode value) {
    returns_.push_back(at->ref);
    auto stmt = std::make_unique<ast::Return>(at->ref);
    stmt->value = std::move(value.expr);
    return grow(std::move(stmt), value.depth);
}

StmtNode Builder::delete_statement(const Token *at, ExprNode target) {
    return grow(std::make_unique<ast::Delete>(at->ref, std::move(target.expr)), target.depth);
}

StmtNode Builder::next_statement(const Token *at) {
    return grow(std::make_unique<ast::Next>(at->ref), 0);
}
StmtNode Builder::break_statement(const Token *at) {
    return grow(std::make_unique<ast::Break>(at->ref), 0);
}
StmtNode Builder::continue_statement(const Token *at) {
    return grow(std::make_unique<ast::Continue>(at->ref), 0);
}

StmtNode Builder::try_statement(const Token *at, StmtNode body, const Token *error, StmtNode handler) {
    auto stmt = std::make_unique<ast::Try>(at->ref);
    stmt->body = std::move(body.stmt);
    if (error) stmt->error = std::make_unique<ast::VarRef>(error->ref, std::string(error->ref.text));
    stmt->handler = std::move(handler.stmt);
    return grow(std::move(stmt), std::max(body.depth, handler.depth));
}

TriggerParts Builder::trigger_part(TriggerParts parts, ExprNode value) {
    parts.depth = std::max(parts.depth, value.depth);
    parts.values.push_back(std::move(value.expr));
    return parts;
}

TriggerParts Builder::trigger_held(const Token *at, TriggerParts parts, ExprNode time) {
    if (parts.held) report(Tag::TriggerArgument, at->ref, "a trigger has one for=");
    parts.depth = std::max(parts.depth, time.depth);
    parts.held = std::move(time.expr);
    return parts;
}

TriggerParts Builder::trigger_limit(const Token *at, TriggerParts parts, ExprNode limit) {
    if (parts.limit) report(Tag::TriggerArgument, at->ref, "a trigger has one limit=");
    parts.depth = std::max(parts.depth, limit.depth);
    parts.limit = std::move(limit.expr);
    return parts;
}

StmtNode Builder::trigger(const Token *keyword, const Token *name, TriggerParts parts, const Token *end,
                          StmtNode more) {
    std::string text;
    bool inside = false;
    for (size_t i = item_begin_; i < tokens_.size(); i++) {
        inside |= &tokens_[i] == keyword;
        if (inside) text += (text.empty() ? "" : " ") + std::string(tokens_[i].ref.text);
        if (&tokens_[i] == end) break;
    }
    // The condition and the arguments stand in calls below the statement.
    const unsigned depth = std::max(parts.depth + 3, more.depth + 1);
    parts.more = std::move(more.stmt);
    return grow(make_trigger(file_, diagnostics_, keyword, name, std::move(parts), std::move(text)), depth);
}

ForeachKey Builder::foreach_key(const Token *name, SortMark sort) {
    return {std::make_unique<ast::VarRef>(name->ref, std::string(name->ref.text)), sort};
}

ForeachKeys Builder::foreach_keys(ForeachKey key) {
    return foreach_keys(ForeachKeys{}, std::move(key));
}

ForeachKeys Builder::foreach_keys(ForeachKeys keys, ForeachKey key) {
    keys.keys.push_back(std::move(key));
    return keys;
}

ForeachKeys Builder::foreach_value(const Token *name, SortMark sort, ForeachKeys keys) {
    keys.value_sort = sort;
    keys.value = std::make_unique<ast::VarRef>(name->ref, std::string(name->ref.text));
    return keys;
}

SortMark Builder::sort_mark(const Token *mark) const {
    return {mark->kind == T::PLUS ? ast::Foreach::Sort::Ascending : ast::Foreach::Sort::Descending, mark->ref};
}

ForeachArray Builder::foreach_array(ExprNode array, ExprList slice, const Token *stat, SortMark sort) {
    return {std::move(array), std::move(slice), stat, sort};
}

}  // namespace tapir::syntax
