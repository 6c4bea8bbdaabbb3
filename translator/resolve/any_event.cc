// SPDX-License-Identifier: GPL-2.0-or-later
#include "resolve/any_event.h"

#include <set>
#include <string>

#include "ast/walk.h"

namespace tapir::resolve {

namespace {

using ast::ExprKind;

class Reading {
  public:
    explicit Reading(const std::vector<ast::File *> &script) : script_(script) {}

    void read(const ast::Stmt &body) {
        ast::each_expr(body, [this](const ast::Expr &e) {
            if (e.kind == ExprKind::Target || e.kind == ExprKind::Entry || e.kind == ExprKind::Register)
                asks_place = true;
            if (e.kind == ExprKind::Call) call(static_cast<const ast::Call &>(e).name);
        });
    }

    bool exits = false;
    bool names_target = false;
    bool asks_place = false;

  private:
    void call(const std::string &name) {
        if (!seen_.insert(name).second) return;
        bool own = false;
        for (const ast::File *file : script_) {
            for (const auto &function : file->functions) {
                if (function->name != name) continue;
                own = true;
                if (function->body) read(*function->body);
            }
        }
        if (own) return;
        exits |= name == "exit";
        names_target |= name == "target";
    }

    const std::vector<ast::File *> &script_;
    std::set<std::string> seen_;
};

}  // namespace

bool takes_any_event(const ast::Stmt &body, const std::vector<ast::File *> &script) {
    Reading reading(script);
    reading.read(body);
    return reading.exits && reading.names_target && !reading.asks_place;
}

}  // namespace tapir::resolve
