// SPDX-License-Identifier: GPL-2.0-or-later
#include "syntax/operators.h"

#include <map>
#include <string>
#include <vector>

#include "grammar.hh"
#include "syntax/parser.h"

namespace tapir::syntax {

using T = Grammar::token;

namespace {

const std::map<std::string_view, int> &table() {
    static const std::map<std::string_view, int> operators = {
        {"@cast", T::AT_CAST},
        {"@var", T::AT_VAR},
        {"@entry", T::AT_ENTRY},
        {"@defined", T::AT_DEFINED},
        {"@probewrite", T::AT_PROBEWRITE},
        {"@const", T::AT_CONST},
        {"@enum", T::AT_ENUM},
        {"@enumname", T::AT_ENUMNAME},
        {"@interpreter", T::AT_INTERPRETER},
        {"@perf", T::AT_PERF},
        {"@kregister", T::AT_KREGISTER},
        {"@uregister", T::AT_UREGISTER},
        {"@kderef", T::AT_KDEREF},
        {"@uderef", T::AT_UDEREF},
        {"@table", T::AT_TABLE},
        {"@metric", T::AT_METRIC},
        {"@row", T::AT_ROW},
        {"@trigger", T::AT_TRIGGER},
        {"@after", T::AT_AFTER},
        {"@recall", T::AT_RECALL},
        {"@recall_cpu", T::AT_RECALL},
        {"@count", T::AT_STAT},
        {"@sum", T::AT_STAT},
        {"@min", T::AT_STAT},
        {"@max", T::AT_STAT},
        {"@avg", T::AT_STAT},
        {"@variance", T::AT_VARIANCE},
        {"@percentile", T::AT_PERCENTILE},
        {"@median", T::AT_MEDIAN},
        {"@hist_log", T::AT_HIST_LOG},
        {"@hist_linear", T::AT_HIST_LINEAR},
        {"@hist_loglinear", T::AT_HIST_LOGLINEAR},
    };
    return operators;
}

}  // namespace

std::optional<int> at_operator(std::string_view word) {
    auto found = table().find(word);
    if (found == table().end()) return std::nullopt;
    return found->second;
}

const std::vector<std::string> &at_operator_names() {
    static const std::vector<std::string> names = [] {
        std::vector<std::string> result;
        for (const auto &[name, kind] : table())
            result.emplace_back(name);
        return result;
    }();
    return names;
}

ast::StatOpKind stat_operator(std::string_view word) {
    static const std::map<std::string_view, ast::StatOpKind> operators = {
        {"@count", ast::StatOpKind::Count},
        {"@sum", ast::StatOpKind::Sum},
        {"@min", ast::StatOpKind::Min},
        {"@max", ast::StatOpKind::Max},
        {"@avg", ast::StatOpKind::Avg},
        {"@variance", ast::StatOpKind::Variance},
        {"@percentile", ast::StatOpKind::Percentile},
        {"@median", ast::StatOpKind::Median},
    };
    return operators.at(word);
}

}  // namespace tapir::syntax
