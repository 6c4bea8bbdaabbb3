// SPDX-License-Identifier: GPL-2.0-or-later
#include "exporter/exposition.h"

#include <cstdio>
#include <functional>
#include <set>
#include <utility>

#include "exporter/metric_names.h"

namespace tapir::exporter {

namespace {

using Labels = std::vector<std::pair<std::string, std::string>>;

std::string seconds(double value) {
    char text[64];
    std::snprintf(text, sizeof text, "%.9g", value);
    return text;
}

class Writer {
  public:
    explicit Writer(TextForm form) : form_(form) {}

    // Begins a family. False: there was one of the name.
    bool family(const std::string &name, const std::string &kind, const std::string &unit, const std::string &help) {
        if (!names_.insert(name).second) return false;
        name_ = name;
        kind_ = kind;
        const std::string shown = is_open() || kind != "counter" ? name : name + "_total";
        text_ += "# TYPE " + shown + " " + kind + "\n";
        if (is_open() && !unit.empty()) text_ += "# UNIT " + shown + " " + unit + "\n";
        text_ += "# HELP " + shown + " " + escaped(help, is_open()) + "\n";
        return true;
    }

    void sample(std::string_view suffix, const Labels &labels, const std::string &value) {
        text_ += name_;
        text_ += suffix;
        const char *before = "{";
        for (const auto &[label, text] : labels) {
            text_ += before + label + "=\"" + escaped(text, true) + "\"";
            before = ",";
        }
        text_ += (labels.empty() ? " " : "} ") + value + "\n";
    }

    // A number of a counter or gauge.
    void number(const Labels &labels, const std::string &value) {
        sample(kind_ == "counter" ? "_total" : "", labels, value);
    }

    // When the counts began, as seconds since the epoch. Prometheus' format has no place for it.
    void created(const Labels &labels, uint64_t ns) {
        if (!is_open() || !ns) return;
        char text[64];
        std::snprintf(text, sizeof text, "%llu.%03llu", static_cast<unsigned long long>(ns / 1000000000),
                      static_cast<unsigned long long>(ns / 1000000 % 1000));
        sample("_created", labels, text);
    }

    std::string finish() {
        if (is_open()) text_ += "# EOF\n";
        return std::move(text_);
    }

  private:
    bool is_open() const { return form_ == TextForm::OpenMetrics; }

    static std::string escaped(std::string_view text, bool quotes) {
        std::string out;
        for (char c : text) {
            if (c == '\\')
                out += "\\\\";
            else if (c == '\n')
                out += "\\n";
            else if (c == '"' && quotes)
                out += "\\\"";
            else
                out += c;
        }
        return out;
    }

    const TextForm form_;
    std::set<std::string> names_;
    std::string name_, kind_, text_;
};

void tell_histogram(Writer &writer, const Sample &sample, const std::vector<int64_t> &bounds, unsigned digits,
                    Labels labels, uint64_t started_ns) {
    uint64_t below = 0;
    auto bucket = sample.buckets.begin();
    labels.emplace_back("le", "");
    for (int64_t bound : bounds) {
        for (; bucket != sample.buckets.end() && bucket->first <= bound; ++bucket)
            below += bucket->second;
        labels.back().second = decimal(bound, digits);
        if (labels.back().second.find('.') == std::string::npos) labels.back().second += ".0";
        writer.sample("_bucket", labels, std::to_string(below));
    }
    labels.back().second = "+Inf";
    writer.sample("_bucket", labels, std::to_string(sample.count));
    labels.pop_back();
    writer.sample("_count", labels, std::to_string(sample.count));
    // A sum of positive and negative numbers is no counter.
    if (bounds.empty() || bounds.front() >= -1) writer.sample("_sum", labels, decimal(sample.sum, digits));
    writer.created(labels, started_ns);
}

void tell_metric(Writer &writer, const ScriptState &script, const Metric &metric) {
    const BaseUnit unit = base_unit(metric.unit);
    const std::vector<int64_t> bounds = bucket_bounds(metric);
    for (const auto &[values, sample] : metric.samples) {
        Labels labels;
        for (size_t i = 0; i < values.size(); i++)
            labels.emplace_back(metric.labels[i], values[i]);
        if (metric.kind == "histogram") {
            tell_histogram(writer, sample, bounds, unit.digits, labels, script.reading.started_ns);
            continue;
        }
        writer.number(labels, decimal(sample.value, unit.digits));
        if (metric.kind == "counter") writer.created(labels, script.reading.started_ns);
    }
}

uint64_t tell_scripts(Writer &writer, const std::vector<ScriptState> &scripts) {
    uint64_t twice = 0;
    for (const ScriptState &script : scripts)
        for (const auto &[name, metric] : script.reading.metrics) {
            const std::string family = family_name(script.name, metric);
            if (writer.family(family, metric.kind, base_unit(metric.unit).name, metric.help))
                tell_metric(writer, script, metric);
            else
                twice++;
        }
    return twice;
}

struct OwnFamily {
    const char *name, *kind, *unit, *help;
    std::function<void(const ScriptState &, const Labels &, Writer &)> tell;
};

uint64_t lost(uint64_t Accounting::*what, const ScriptState &script) {
    return script.of_earlier.*what + script.reading.account.*what;
}

double overhead_ratio(const ScriptState &script) {
    const Reading &reading = script.reading;
    if (reading.read_ns <= reading.begun_ns) return 0;
    return static_cast<double>(reading.account.overhead_ns) / static_cast<double>(reading.read_ns - reading.begun_ns);
}

const std::vector<OwnFamily> &own_families() {
    static const std::vector<OwnFamily> kFamilies = {
        {"tapir_script_up", "gauge", "", "Whether the script runs and has told its metrics this time",
         [](const ScriptState &s, const Labels &labels, Writer &w) { w.number(labels, s.is_up ? "1" : "0"); }},
        {"tapir_script_starts", "counter", "", "How often the script was started",
         [](const ScriptState &s, const Labels &labels, Writer &w) { w.number(labels, std::to_string(s.starts)); }},
        {"tapir_script_uptime_seconds", "gauge", "seconds", "How long the script has run since it was started last",
         [](const ScriptState &s, const Labels &labels, Writer &w) { w.number(labels, seconds(s.seconds_up)); }},
        {"tapir_hits", "counter", "", "Hits of the script's probes",
         [](const ScriptState &s, const Labels &labels, Writer &w) {
             w.number(labels, std::to_string(lost(&Accounting::hits, s)));
         }},
        {"tapir_lost", "counter", "", "Hits without a handler, and records of output that found no room",
         [](const ScriptState &s, Labels labels, Writer &w) {
             labels.emplace_back("what", "hits");
             w.number(labels, std::to_string(lost(&Accounting::lost_hits, s)));
             labels.back().second = "records";
             w.number(labels, std::to_string(lost(&Accounting::lost_records, s)));
         }},
        {"tapir_handler_errors", "counter", "", "Handlers that ended with an error",
         [](const ScriptState &s, const Labels &labels, Writer &w) {
             w.number(labels, std::to_string(lost(&Accounting::errors, s)));
         }},
        {"tapir_overhead_seconds", "counter", "seconds", "Time of processors that hits took: an estimate",
         [](const ScriptState &s, const Labels &labels, Writer &w) {
             w.number(labels, decimal(static_cast<int64_t>(lost(&Accounting::overhead_ns, s)), 9));
         }},
        {"tapir_overhead_ratio", "gauge", "ratio", "Share of one processor that hits took since the script's start",
         [](const ScriptState &s, const Labels &labels, Writer &w) { w.number(labels, seconds(overhead_ratio(s))); }},
        {"tapir_series_left_out", "gauge", "", "Elements of metrics that the limit of series had no room for",
         [](const ScriptState &s, const Labels &labels, Writer &w) { w.number(labels, std::to_string(s.left_out)); }},
    };
    return kFamilies;
}

}  // namespace

TextForm form_for(std::string_view accept) {
    return accept.find("application/openmetrics-text") == std::string_view::npos ? TextForm::Prometheus
                                                                                 : TextForm::OpenMetrics;
}

std::string_view content_type(TextForm form) {
    return form == TextForm::OpenMetrics ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
                                         : "text/plain; version=0.0.4; charset=utf-8";
}

std::string exposition(const std::vector<ScriptState> &scripts, TextForm form) {
    Writer writer(form);
    // These come first: no script takes their names away.
    for (const OwnFamily &family : own_families()) {
        writer.family(family.name, family.kind, family.unit, family.help);
        for (const ScriptState &script : scripts)
            family.tell(script, {{"script", script.name}}, writer);
    }
    const uint64_t twice = tell_scripts(writer, scripts);
    writer.family("tapir_families_left_out", "gauge", "", "Metrics whose name another script has taken");
    writer.number({}, std::to_string(twice));
    return writer.finish();
}

}  // namespace tapir::exporter
