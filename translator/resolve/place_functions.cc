// SPDX-License-Identifier: GPL-2.0-or-later
#include "resolve/place_functions.h"

#include <algorithm>
#include <unordered_map>

#include "ast/walk.h"
#include "resolve/cause.h"
#include "resolve/missing.h"
#include "resolve/overloads.h"

namespace tapir::resolve {

using ast::ExprKind;

namespace {

class Finder {
  public:
    Finder(const TargetPlace &place, const SourceRef &probe, const std::string &point, const PlaceContext &context)
        : place_(place), probe_(probe), point_(point), context_(context) {}

    PlaceFunctions run(const std::vector<PlaceBody> &bodies) {
        for (const PlaceBody &body : bodies) {
            const auto look = [&](ast::Expr &e) { call(e, *body.file, PlaceFunctions::kByProbe, set_.calls); };
            if (body.stmt) ast::each_expr(*body.stmt, look);
            if (body.expr) ast::each_expr(*body.expr, look);
        }
        for (size_t i = 0; i < set_.functions.size(); ++i)
            settle(i);
        for (PlaceFunctions::Function &function : set_.functions)
            if (function.resolved->body) take_saved(*function.resolved->body);
        return std::move(set_);
    }

  private:
    // Notes a call of functions that need the place.
    void call(ast::Expr &e, const ast::File &file, size_t caller, std::vector<PlaceFunctions::Call> &calls) {
        if (e.kind != ExprKind::Call) return;
        auto &call = static_cast<ast::Call &>(e);
        if (!call.candidates.empty()) return;  // made by the translator
        const std::vector<ast::Function *> tried =
            overloads(context_.declarations.functions(call.name, file), call.args.size(), context_.declarations);
        const auto needs_place = [&](const ast::Function *f) { return context_.needs.of(*f) == Needs::Place; };
        if (std::none_of(tried.begin(), tried.end(), needs_place)) return;
        // All that one call tries get the same arguments.
        PlaceFunctions::Call found{&call, {}};
        for (const ast::Function *function : tried) {
            if (function->pragmas.guru && !context_.guru && !file.privileged)
                context_.diagnostics.report(Tag::GuruNeeded, call.at,
                                            "function may not be used unless -g is specified");
            const auto [at, is_new] = index_.try_emplace(function, set_.functions.size());
            if (is_new) set_.functions.push_back({function, another(*function), {}, call.at, caller});
            found.candidates.push_back(at->second);
        }
        calls.push_back(std::move(found));
    }

    // Resolves a function's body here and follows its calls.
    void settle(size_t index) {
        const ast::Function &written = *set_.functions[index].written;
        if (!written.body) return;
        const ast::File &file = *written.seen_from();
        const ast::Stmt *text = context_.needs.written(written);
        ast::StmtPtr body = ast::clone(text ? *text : *written.body);
        TargetPlace place = place_;
        place.file = &file;
        place.guru = context_.guru || file.privileged;
        place.is_local = [&](const std::string &name) {
            const auto is_it = [&](const ast::Param &parameter) { return parameter.name == name; };
            return std::any_of(written.params.begin(), written.params.end(), is_it) ||
                   !context_.declarations.global(name, file);
        };
        const size_t mark = context_.diagnostics.mark();
        const auto is_callable = [&](const ast::Call &call) {
            return tapir::resolve::is_callable(call, file, context_.declarations);
        };
        resolve_context(body, {place, nullptr, context_.skip_bad, context_.put_off, is_callable}, context_.diagnostics);
        for (size_t i = mark; i < context_.diagnostics.mark(); ++i)
            for (const auto &[step, at] : way(index))
                add_cause(*context_.diagnostics.all()[i], step, at);
        ast::each_expr(*body, [&](ast::Expr &e) {
            if (auto *missing = as_missing(e)) missing->problem.causes = way(index);
        });
        std::vector<PlaceFunctions::Call> calls;
        ast::each_expr(*body, [&](ast::Expr &e) { call(e, file, index, calls); });
        set_.functions[index].calls = std::move(calls);
        set_.functions[index].resolved->body = std::move(body);
    }

    // How the probe gets to a function, from the inside out.
    std::vector<std::pair<std::string, SourceRef>> way(size_t index) const {
        constexpr size_t kMostSteps = 8;
        std::vector<std::pair<std::string, SourceRef>> found;
        for (size_t steps = 0; index != PlaceFunctions::kByProbe; ++steps) {
            const PlaceFunctions::Function &function = set_.functions[index];
            if (steps < kMostSteps || function.caller == PlaceFunctions::kByProbe)
                found.emplace_back("function '" + function.written->name + "' is called here", function.called_at);
            index = function.caller;
        }
        found.emplace_back("for the probe " + point_, probe_);
        return found;
    }

    // Values of the entry become parameters.
    void take_saved(ast::Stmt &body) {
        ast::each_expr(body, [&](ast::Expr &e) {
            if (e.kind != ExprKind::VarRef) return;
            auto &ref = static_cast<ast::VarRef &>(e);
            if (!ref.variable || ref.variable->scope != ast::Variable::Scope::Saved) return;
            if (std::find(set_.saved.begin(), set_.saved.end(), ref.variable) == set_.saved.end())
                set_.saved.push_back(ref.variable);
            ref.variable = nullptr;
        });
    }

    const TargetPlace &place_;
    const SourceRef &probe_;
    const std::string &point_;
    const PlaceContext &context_;
    PlaceFunctions set_;
    std::unordered_map<const ast::Function *, size_t> index_;
};

std::string pointer_text(const void *pointer) {
    return std::to_string(reinterpret_cast<uintptr_t>(pointer)) + "\n";
}

}  // namespace

std::string PlaceFunctions::text() const {
    std::string text;
    for (const Function &function : functions) {
        text += pointer_text(function.written);
        if (!function.resolved->body) continue;
        text += ast::print(*function.resolved->body);
        ast::each_expr(static_cast<const ast::Stmt &>(*function.resolved->body), [&](const ast::Expr &e) {
            if (e.target_type) text += pointer_text(e.target_type);
        });
    }
    for (const ast::Variable *variable : saved)
        text += variable->name + "\n" + pointer_text(variable->target_type);
    return text;
}

PlaceFunctions functions_at(const std::vector<PlaceBody> &bodies, const TargetPlace &place, const SourceRef &probe,
                            const std::string &point, const PlaceContext &context) {
    return Finder(place, probe, point, context).run(bodies);
}

void PlacedFunctions::bind(PlaceFunctions &set, const std::string &module) {
    if (set.functions.empty()) return;
    const auto [known, is_new] = known_.try_emplace(set.text() + module);
    std::vector<ast::Function *> &made = known->second;
    if (is_new) {
        for (PlaceFunctions::Function &function : set.functions) {
            for (const ast::Variable *variable : set.saved) {
                ast::Param &parameter = function.resolved->params.emplace_back();
                parameter.name = variable->name;
                parameter.at = variable->at;
            }
            made.push_back(&instances_.add(*function.written, std::move(function.resolved), module));
        }
    }
    const auto bind_calls = [&](std::vector<PlaceFunctions::Call> &calls, bool in_handler) {
        for (PlaceFunctions::Call &call : calls) {
            for (const size_t candidate : call.candidates)
                call.call->candidates.push_back(made[candidate]);
            for (ast::Variable *variable : set.saved) {
                auto value = std::make_unique<ast::VarRef>(call.call->at, variable->name);
                if (in_handler) value->variable = variable;
                call.call->args.push_back(std::move(value));
            }
        }
    };
    bind_calls(set.calls, true);
    if (!is_new) return;
    for (PlaceFunctions::Function &function : set.functions)
        bind_calls(function.calls, false);
}

}  // namespace tapir::resolve
