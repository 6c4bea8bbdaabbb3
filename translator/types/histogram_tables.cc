// SPDX-License-Identifier: GPL-2.0-or-later
// print(@hist_log(array, "ns")) of a whole array: a loop over its elements, each of which becomes a row of a table.
#include "ast/walk.h"
#include "types/finish.h"

namespace tapir::types {

using ast::ExprPtr;
using ast::Type;

namespace {

using Locals = std::vector<std::unique_ptr<ast::Variable>>;

std::unique_ptr<ast::VarRef> name_of(ast::Variable &variable, const SourceRef &at) {
    auto ref = std::make_unique<ast::VarRef>(at, variable.name);
    ref->variable = &variable;
    ref->type = variable.type;
    return ref;
}

// The array that the statement prints histograms of; null: it does not.
ast::Variable *printed_array(const ast::Stmt &s) {
    if (s.kind != ast::StmtKind::Expr) return nullptr;
    const ast::Expr &e = *static_cast<const ast::ExprStmt &>(s).expr;
    if (e.kind != ast::ExprKind::Print) return nullptr;
    const auto &print = static_cast<const ast::Print &>(e);
    if (print.args.size() != 1 || print.args[0]->kind != ast::ExprKind::Hist) return nullptr;
    const auto &hist = static_cast<const ast::Hist &>(*print.args[0]);
    if (!hist.unit || hist.stat->kind != ast::ExprKind::VarRef) return nullptr;
    ast::Variable *variable = static_cast<const ast::VarRef &>(*hist.stat).variable;
    return variable && variable->arity > 0 ? variable : nullptr;
}

std::vector<ast::Variable *> add_keys(const ast::Variable &array, const SourceRef &at, Locals &locals) {
    std::vector<ast::Variable *> keys;
    for (size_t i = 0; i < static_cast<size_t>(array.arity); i++) {
        auto key = std::make_unique<ast::Variable>();
        key->name = key->unique_name = "key" + std::to_string(locals.size() + 1);
        key->at = key->type_from = at;
        key->type = array.key_types[i];
        key->arity = 0;
        key->is_read = key->is_written = true;
        keys.push_back(key.get());
        locals.push_back(std::move(key));
    }
    return keys;
}

ast::StmtPtr mark(const SourceRef &at, ast::Print::Table part) {
    auto print = std::make_unique<ast::Print>(at);
    print->name = "print";
    print->table = part;
    print->type = Type::Void;
    return std::make_unique<ast::ExprStmt>(at, std::move(print));
}

// begin of a table; foreach ([key1, ...] in array) print(@hist_log(array[key1, ...], unit)); end
void expand(ast::StmtPtr &slot, ast::Variable &array, Locals &locals) {
    auto &print = static_cast<ast::Print &>(*static_cast<ast::ExprStmt &>(*slot).expr);
    auto &hist = static_cast<ast::Hist &>(*print.args[0]);
    const SourceRef at = hist.at;
    const std::vector<ast::Variable *> keys = add_keys(array, at, locals);
    const bool newline = print.newline;
    auto loop = std::make_unique<ast::Foreach>(at);
    std::vector<ExprPtr> element;
    for (ast::Variable *key : keys) {
        loop->keys.push_back(name_of(*key, at));
        element.push_back(name_of(*key, at));
    }
    loop->array = name_of(array, at);
    hist.stat = std::make_unique<ast::Index>(at, name_of(array, at), std::move(element));
    print.table = ast::Print::Table::Row;
    print.newline = false;
    loop->body = std::move(slot);
    auto block = std::make_unique<ast::Block>(at);
    block->body.push_back(mark(at, ast::Print::Table::Begin));
    block->body.push_back(std::move(loop));
    block->body.push_back(mark(at, ast::Print::Table::End));
    static_cast<ast::Print &>(*static_cast<ast::ExprStmt &>(*block->body.back()).expr).newline = newline;
    slot = std::move(block);
}

bool expand_all(ast::Stmt &body, Locals &locals) {
    bool any = false;
    ast::each_slot(
        body, [](ExprPtr &) {},
        [&](ast::StmtPtr &slot) {
            if (ast::Variable *array = printed_array(*slot)) {
                expand(slot, *array, locals);
                any = true;
            } else {
                any |= expand_all(*slot, locals);
            }
        },
        [](ast::VarRef &) {});
    return any;
}

// Refuses the other uses, which are not statements of their own.
void refuse_others(const ast::Stmt &body, Diagnostics &diagnostics) {
    ast::each_expr(body, [&](const ast::Expr &e) {
        if (e.kind != ast::ExprKind::Hist) return;
        const ast::Expr &stat = *static_cast<const ast::Hist &>(e).stat;
        if (stat.kind != ast::ExprKind::VarRef) return;
        const ast::Variable *variable = static_cast<const ast::VarRef &>(stat).variable;
        if (variable && variable->arity > 0)
            diagnostics.report(Tag::InconsistentArity, stat.at,
                               "histograms of all elements are printed by a statement of its own");
    });
}

}  // namespace

bool expand_histogram_tables(resolve::Program &program, Diagnostics &diagnostics) {
    bool any = false;
    const auto expand_body = [&](ast::Stmt &body, Locals &locals) {
        any |= expand_all(body, locals);
        refuse_others(body, diagnostics);
    };
    for (auto &handler : program.handlers)
        expand_body(*handler->body, handler->locals);
    for (ast::Function *function : program.functions)
        if (function->body) expand_body(*function->body, function->locals);
    return any;
}

}  // namespace tapir::types
