// SPDX-License-Identifier: GPL-2.0-or-later
#include "syntax/metrics.h"

#include <algorithm>
#include <cctype>

#include "base/help.h"
#include "common/quoting.h"
#include "syntax/unit_of_subject.h"

namespace tapir::syntax {

namespace {

constexpr size_t kLongestHelp = 128, kLongestMetricUnit = 32, kLongestLabel = 64, kLongestMetric = 54;

// Samples of counters and histograms have the metric's name with these.
constexpr std::string_view kReserved[] = {"_bucket", "_sum", "_count", "_created", "_info"};

bool is_word(std::string_view text) {
    return !text.empty() && !std::isdigit(static_cast<unsigned char>(text[0])) &&
           std::ranges::all_of(text, [](unsigned char c) { return std::isalnum(c) || c == '_'; });
}

std::optional<ast::Metric::Kind> kind_of(std::string_view word) {
    using Kind = ast::Metric::Kind;
    for (Kind kind : {Kind::Counter, Kind::Gauge, Kind::Histogram})
        if (word == ast::metric_kind_name(kind)) return kind;
    return std::nullopt;
}

std::string complaint_about_name(const ast::File &file, const std::string &name) {
    if (name.size() > kLongestMetric) return "the name of a metric has 54 bytes at most";
    for (std::string_view end : kReserved)
        if (name.ends_with(end))
            return "the name of a metric cannot end with '" + std::string(end) +
                   "', which samples of histograms and counters have";
    const bool twice = std::ranges::any_of(file.metrics, [&](const auto &other) { return other.name == name; });
    return twice ? "there is a metric '" + name + "' already" : "";
}

std::string complaint_about_help(std::string_view help) {
    if (help.empty()) return "a metric needs a text that says what it is";
    if (help.size() > kLongestHelp) return "the text of a metric has 128 bytes at most";
    while (!help.empty()) {
        const size_t length = printable_length(help);
        if (!length || help[0] == '\t') return "this text has characters that no line can have";
        help.remove_prefix(length);
    }
    return {};
}

// A unit becomes a part of names, but for "%", which is a ratio there.
std::string complaint_about_metric_unit(const std::string &unit) {
    if (unit.empty() || unit == "%" || unit == "µs") return {};
    if (unit.size() > kLongestMetricUnit) return "the unit of a metric has 32 bytes at most";
    return is_word(unit) ? "" : "'" + unit + "' is not a unit of a metric: a unit is a word, '%' or nothing";
}

std::string complaint_about_label(const std::string &label, const std::vector<std::string> &before) {
    if (label.size() > kLongestLabel) return "the name of a label has 64 bytes at most";
    if (!is_word(label) || label.starts_with("__"))
        return "'" + label + "' cannot be the name of a label: letters, digits and '_'";
    if (label == "le" || label == "quantile" || label == "script" || label == "job" || label == "instance")
        return "'" + label + "' is a label that monitoring systems set by themselves";
    const bool twice = std::ranges::find(before, label) != before.end();
    return twice ? "the metric has a label '" + label + "' already" : "";
}

}  // namespace

void declare_metric(ast::File &file, Diagnostics &diagnostics, const Token *keyword,
                    const std::array<const Token *, 4> &parts, const std::vector<const Token *> &labels) {
    const auto [name, kind, help, unit] = parts;
    const auto report = [&](const Token *at, const std::string &complaint, const char *advice = nullptr) {
        if (complaint.empty()) return;
        Diagnostic &diagnostic = diagnostics.report(Tag::MetricDeclaration, at->ref, complaint);
        if (advice) add_help(diagnostic, advice);
    };
    ast::Metric metric;
    metric.at = keyword->ref;
    metric.name_at = name->ref;
    metric.name = name->ref.text;
    report(name, complaint_about_name(file, metric.name));
    if (const auto known = kind_of(kind->ref.text))
        metric.kind = *known;
    else
        report(kind, "a metric is no '" + std::string(kind->ref.text) + "'", "it is a counter, a gauge or a histogram");
    metric.help = help->value;
    report(help, complaint_about_help(metric.help));
    metric.unit = unit->value;
    report(unit, complaint_about_metric_unit(metric.unit));
    for (const Token *label : labels) {
        report(label, complaint_about_label(label->value, metric.labels));
        metric.labels.push_back(label->value);
    }
    file.metrics.push_back(std::move(metric));
}

}  // namespace tapir::syntax
