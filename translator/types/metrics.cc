// SPDX-License-Identifier: GPL-2.0-or-later
// Metrics (@metric): whether their globals fit, and handlers that tell their values.
#include <algorithm>
#include <string>

#include "ast/walk.h"
#include "base/help.h"
#include "base/name_patterns.h"
#include "common/quoting.h"
#include "types/finish.h"
#include "types/handler_maker.h"

namespace tapir::types {

using ast::Metric;
using ast::Type;

namespace {

constexpr const char kWish[] = "__metric_";

ast::Variable *global_of(const ast::File &file, const Metric &metric) {
    const auto found = std::ranges::find_if(file.globals, [&](const auto &g) { return g->name == metric.name; });
    return found == file.globals.end() ? nullptr : found->get();
}

bool is_used(const resolve::Program &program, const ast::Variable *global) {
    return std::ranges::find(program.globals, global) != program.globals.end();
}

std::string what_is(const ast::Variable &global) {
    const std::string of_array = global.arity > 0 ? "an array of " : "";
    if (global.type == Type::Stat) return of_array.empty() ? "a statistic" : of_array + "statistics";
    if (global.type == Type::String) return of_array.empty() ? "a text" : of_array + "texts";
    return of_array.empty() ? "a number" : of_array + "numbers";
}

class MetricChecks {
  public:
    MetricChecks(const resolve::Program &program, Diagnostics &diagnostics)
        : program_(program), diagnostics_(diagnostics) {}

    void check(const ast::File &file, const Metric &metric) {
        const ast::Variable *global = global_of(file, metric);
        if (!global) return report(metric, "no global '" + metric.name + "' is declared" + similar(file, metric));
        if (!is_used(program_, global) || global->arity < 0)
            return report(metric, "no probe uses the global '" + metric.name + "', which is to be a metric");
        check_kind(metric, *global);
        const auto keys = static_cast<size_t>(global->arity);
        if (keys == metric.labels.size()) return;
        std::string declared = count_of(keys, "key"), given = count_of(metric.labels.size(), "label");
        report(metric, "'" + metric.name + "' has " + declared + ", and this metric has " + given,
               keys ? "give each key a label, behind the unit: @metric(" + metric.name + ", " +
                          std::string(metric_kind_name(metric.kind)) + ", \"HELP\", \"UNIT\", \"LABEL\")"
                    : "labels are for the keys of an array");
    }

  private:
    static std::string count_of(size_t n, const char *noun) {
        return (n ? std::to_string(n) : "no") + " " + noun + (n == 1 ? "" : "s");
    }

    static std::string similar(const ast::File &file, const Metric &metric) {
        std::vector<std::string> names;
        for (const auto &global : file.globals)
            names.push_back(global->name);
        return similar_text(similar_names(metric.name, names));
    }

    void report(const Metric &metric, const std::string &text, const std::string &help = "") {
        add_help(diagnostics_.report(Tag::MetricGlobal, metric.name_at, text), help);
    }

    void check_kind(const Metric &metric, const ast::Variable &global) {
        const std::string is = "'" + metric.name + "' is " + what_is(global) + ", ";
        const bool is_histogram = metric.kind == Metric::Kind::Histogram;
        if (is_histogram && global.type != Type::Stat)
            report(metric, is + "and a histogram needs a statistic", "add samples with '" + metric.name + " <<< n'");
        else if (global.type == Type::String)
            report(metric, is + "and the value of a metric is a number", "make the text a key of an array");
        else if (global.type == Type::Stat && metric.kind == Metric::Kind::Gauge)
            report(metric, is + "and the value of a gauge is a number",
                   "a statistic is a histogram, or a counter: the sum of its samples");
    }

    const resolve::Program &program_;
    Diagnostics &diagnostics_;
};

// The first histogram that the script has of the statistic; else that of powers of two.
ast::HistShape shape_of(const resolve::Program &program, const ast::Variable &global) {
    std::optional<ast::HistShape> found;
    const auto look = [&](const ast::Stmt &body) {
        ast::each_expr(body, [&](const ast::Expr &e) {
            if (found || e.kind != ast::ExprKind::Hist) return;
            const auto &hist = static_cast<const ast::Hist &>(e);
            const ast::Expr *base = hist.stat.get();
            if (base->kind == ast::ExprKind::Index) base = static_cast<const ast::Index &>(*base).base.get();
            if (base->kind == ast::ExprKind::VarRef && static_cast<const ast::VarRef &>(*base).variable == &global)
                found = hist.shape;
        });
    };
    for (const auto &handler : program.handlers)
        look(*handler->body);
    for (const ast::Function *function : program.functions)
        if (function->body) look(*function->body);
    return found.value_or(ast::HistShape{});
}

}  // namespace

void check_metrics(const resolve::Program &program, Diagnostics &diagnostics) {
    MetricChecks checks(program, diagnostics);
    for (const auto &file : program.files)
        for (const Metric &metric : file->metrics)
            checks.check(*file, metric);
}

void add_metrics(resolve::Program &program) {
    HandlerMaker maker(program);
    for (const auto &file : program.files)
        for (const Metric &metric : file->metrics)
            if (ast::Variable *global = global_of(*file, metric))
                maker.as_metric(*global, metric, shape_of(program, *global), kWish);
    maker.finish();
}

}  // namespace tapir::types
