// SPDX-License-Identifier: GPL-2.0-or-later
#include "push/otlp_metrics.h"

#include <cstdlib>
#include <utility>
#include <vector>

#include "common/protobuf_writer.h"
#include "exporter/metric_names.h"

namespace tapir::push {

namespace {

using exporter::Metric;
using exporter::Reading;
using exporter::Sample;

// Fields of the messages, by their names in opentelemetry/proto.
namespace request {
constexpr unsigned kResourceMetrics = 1;
}
namespace resource_metrics {
constexpr unsigned kResource = 1, kScopeMetrics = 2;
}
namespace scope_metrics {
constexpr unsigned kScope = 1, kMetrics = 2;
}
namespace metric_field {
constexpr unsigned kName = 1, kDescription = 2, kUnit = 3, kGauge = 5, kSum = 7, kHistogram = 9;
}
namespace data {
constexpr unsigned kPoints = 1, kTemporality = 2, kMonotonic = 3, kCumulative = 2;
}
namespace point {
constexpr unsigned kStart = 2, kTime = 3, kDouble = 4, kInteger = 6, kAttributes = 7;
}
namespace histogram_point {
constexpr unsigned kStart = 2, kTime = 3, kCount = 4, kSum = 5, kBuckets = 6, kBounds = 7, kAttributes = 9;
}

using Labels = std::vector<std::pair<std::string, std::string>>;

ProtobufMessage attribute(const std::string &key, const std::string &value) {
    ProtobufMessage text, out;
    text.bytes(1, value);
    out.bytes(1, key);
    out.message(2, text);
    return out;
}

// Units of UCUM, as OpenTelemetry wants them.
std::string ucum(const std::string &unit, const std::string &kind) {
    const std::string base = exporter::base_unit(unit).name;
    if (base == "seconds") return "s";
    if (base == "bytes") return "By";
    if (base == "ratio") return "1";
    // A collector would take the gauge of a bare number for a ratio.
    if (base.empty()) return kind == "counter" ? "1" : "";
    return "{" + base + "}";
}

double shifted(int64_t number, unsigned digits) {
    return std::strtod(exporter::decimal(number, digits).c_str(), nullptr);
}

class Writer {
  public:
    Writer(const Reading &reading, const Tally &tally, const MetricsSource &source)
        : reading_(reading), tally_(tally), source_(source) {}
    std::string write();

  private:
    // The head of a metric.
    static ProtobufMessage begin(const std::string &name, const std::string &help, const std::string &unit) {
        ProtobufMessage out;
        out.bytes(metric_field::kName, name);
        out.bytes(metric_field::kDescription, help);
        out.bytes(metric_field::kUnit, unit);
        return out;
    }
    ProtobufMessage number_point(const Labels &labels, int64_t value, unsigned digits, bool has_start) const;
    ProtobufMessage histogram_point(const Labels &labels, const Sample &sample, const std::vector<int64_t> &bounds,
                                    unsigned digits) const;
    // Points become the data of a metric, which is added.
    void add(ProtobufMessage head, const std::string &kind, const std::vector<ProtobufMessage> &points);
    void add_script_metric(const Metric &metric);
    void add_own(const std::string &name, const std::string &kind, const std::string &help,
                 const std::vector<std::pair<Labels, uint64_t>> &values, unsigned digits = 0);
    void add_accounting();
    ProtobufMessage resource() const;

    const Reading &reading_;
    const Tally &tally_;
    const MetricsSource &source_;
    ProtobufMessage metrics_;
};

ProtobufMessage Writer::number_point(const Labels &labels, int64_t value, unsigned digits, bool has_start) const {
    ProtobufMessage out;
    if (has_start) out.fixed(point::kStart, reading_.started_ns);
    out.fixed(point::kTime, source_.now_ns);
    if (digits)
        out.floating(point::kDouble, shifted(value, digits));
    else
        out.fixed(point::kInteger, static_cast<uint64_t>(value));
    for (const auto &[key, text] : labels)
        out.message(point::kAttributes, attribute(key, text));
    return out;
}

ProtobufMessage Writer::histogram_point(const Labels &labels, const Sample &sample, const std::vector<int64_t> &bounds,
                                        unsigned digits) const {
    ProtobufMessage out, counts, limits;
    out.fixed(histogram_point::kStart, reading_.started_ns);
    out.fixed(histogram_point::kTime, source_.now_ns);
    out.fixed(histogram_point::kCount, sample.count);
    // A sum of positive and negative numbers does not only grow.
    if (bounds.empty() || bounds.front() >= -1) out.floating(histogram_point::kSum, shifted(sample.sum, digits));
    uint64_t told = 0;
    auto bucket = sample.buckets.begin();
    for (const int64_t bound : bounds) {
        uint64_t count = 0;
        for (; bucket != sample.buckets.end() && bucket->first <= bound; ++bucket)
            count += bucket->second;
        counts.eight_bytes(count);
        told += count;
        limits.eight_bytes(std::bit_cast<uint64_t>(shifted(bound, digits)));
    }
    counts.eight_bytes(sample.count - told);
    out.bytes(histogram_point::kBuckets, counts.text());
    if (!bounds.empty()) out.bytes(histogram_point::kBounds, limits.text());
    for (const auto &[key, text] : labels)
        out.message(histogram_point::kAttributes, attribute(key, text));
    return out;
}

void Writer::add(ProtobufMessage head, const std::string &kind, const std::vector<ProtobufMessage> &points) {
    ProtobufMessage content;
    for (const ProtobufMessage &each : points)
        content.message(data::kPoints, each);
    if (kind != "gauge") content.number(data::kTemporality, data::kCumulative);
    if (kind == "counter") content.number(data::kMonotonic, 1);
    head.message(kind == "gauge"     ? metric_field::kGauge
                 : kind == "counter" ? metric_field::kSum
                                     : metric_field::kHistogram,
                 content);
    metrics_.message(scope_metrics::kMetrics, head);
}

void Writer::add_script_metric(const Metric &metric) {
    const unsigned digits = exporter::base_unit(metric.unit).digits;
    const std::vector<int64_t> bounds = exporter::bucket_bounds(metric);
    std::vector<ProtobufMessage> points;
    for (const auto &[values, sample] : metric.samples) {
        Labels labels;
        for (size_t i = 0; i < values.size(); i++)
            labels.emplace_back(metric.labels[i], values[i]);
        points.push_back(metric.kind == "histogram"
                             ? histogram_point(labels, sample, bounds, digits)
                             : number_point(labels, sample.value, digits, metric.kind == "counter"));
    }
    std::string name = metric.name;
    constexpr std::string_view kTotal = "_total";
    if (metric.kind == "counter" && name.ends_with(kTotal)) name.resize(name.size() - kTotal.size());
    add(begin("tapir." + source_.script + "." + name, metric.help, ucum(metric.unit, metric.kind)), metric.kind,
        points);
}

void Writer::add_own(const std::string &name, const std::string &kind, const std::string &help,
                     const std::vector<std::pair<Labels, uint64_t>> &values, unsigned digits) {
    std::vector<ProtobufMessage> points;
    for (const auto &[given, value] : values) {
        Labels labels = {{"script", source_.script}};
        labels.insert(labels.end(), given.begin(), given.end());
        points.push_back(number_point(labels, static_cast<int64_t>(value), digits, kind == "counter"));
    }
    if (points.empty()) return;
    add(begin("tapir." + name, help, digits ? "s" : kind == "counter" ? "1" : ""), kind, points);
}

void Writer::add_accounting() {
    const exporter::Accounting &account = reading_.account;
    add_own("hits", "counter", "Hits of the script's probes", {{{}, account.hits}});
    add_own("lost", "counter", "Hits without a handler, and records of output that found no room",
            {{{{"what", "hits"}}, account.lost_hits}, {{{"what", "records"}}, account.lost_records}});
    add_own("handler_errors", "counter", "Handlers that ended with an error", {{{}, account.errors}});
    add_own("overhead", "counter", "Time of processors that hits took: an estimate", {{{}, account.overhead_ns}}, 9);
    uint64_t left_out = 0;
    for (const auto &[name, metric] : reading_.metrics)
        left_out += metric.left_out;
    add_own("series_left_out", "gauge", "Elements of metrics that the limit of series had no room for",
            {{{}, left_out}});
    add_own("push.delivered", "counter", "Items that the collector has accepted", {{{}, tally_.delivered}});
    add_own("push.retries", "counter", "Attempts that failed and are repeated", {{{}, tally_.retries}});
    add_own("push.waiting", "gauge", "Items in the queue", {{{}, tally_.waiting}});
    std::vector<std::pair<Labels, uint64_t>> dropped;
    for (const auto &[why, count] : tally_.dropped)
        dropped.push_back({{{"why", why}}, count});
    add_own("push.dropped", "counter", "Items that no collector has got", dropped);
    add_own("push.rejected_points", "counter", "Points that the collector took out of items which it accepted",
            {{{}, tally_.rejected_points}});
}

ProtobufMessage Writer::resource() const {
    std::map<std::string, std::string> all = source_.attributes;
    all.try_emplace("service.name", "tapir");
    all.try_emplace("host.name", reading_.host);
    all.try_emplace("service.instance.id", all["host.name"]);
    all.try_emplace("os.type", "linux");
    all.try_emplace("os.version", reading_.kernel);
    ProtobufMessage out;
    for (const auto &[key, value] : all)
        out.message(1, attribute(key, value));
    return out;
}

std::string Writer::write() {
    ProtobufMessage scope, scopes, resources, whole;
    scope.bytes(1, "tapir");
    scope.bytes(2, source_.version);
    scopes.message(scope_metrics::kScope, scope);
    for (const auto &[name, metric] : reading_.metrics)
        add_script_metric(metric);
    add_accounting();
    std::string content = scopes.text() + metrics_.text();
    resources.message(resource_metrics::kResource, resource());
    resources.bytes(resource_metrics::kScopeMetrics, content);
    whole.message(request::kResourceMetrics, resources);
    return whole.text();
}

}  // namespace

std::string otlp_metrics(const Reading &reading, const Tally &tally, const MetricsSource &source) {
    return Writer(reading, tally, source).write();
}

}  // namespace tapir::push
