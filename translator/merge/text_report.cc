// SPDX-License-Identifier: GPL-2.0-or-later
// The report of a merge for people: first what is odd about hosts, then what all of them tell together.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "common/quoting.h"
#include "merge/host_merge.h"
#include "merge/sheet.h"

namespace tapir::merge {
namespace {

constexpr size_t kMostRows = 50;   // of a table
constexpr size_t kMostHosts = 30;  // with remarks
constexpr size_t kMostOutliers = 20;
constexpr uint32_t kBar = 40;  // columns

class TextReport {
  public:
    TextReport(const Merge &merge, int fd) : merge_(merge), hosts_(merge.hosts()) { tapir_screen_read(&screen_, fd); }

    std::string render();

  private:
    std::string number(Wide number, const std::string &unit = "") const { return number_text(screen_, number, unit); }
    std::string times(double times) const;
    void add(const Sheet &sheet) { out_ += sheet.text() + "\n"; }
    void tell_rest(size_t all, size_t shown, uint64_t beyond);
    std::string remark(uint32_t host) const;
    void add_head();
    void add_outliers();
    void add_table(const Table &table);
    void add_global(const Global &global);
    void add_histogram(const Histogram &histogram);
    void add_buckets(const Histogram &histogram, const HistogramRow &row);
    void add_texts(const Rows<TextRow> &texts, const char *title);
    void add_triggers();
    void add_quality();

    const Merge &merge_;
    const Hosts &hosts_;
    tapir_screen screen_ = {};
    std::string out_;
};

std::string TextReport::times(double times) const {
    return (times < 0 ? "-" : "") + number(static_cast<Wide>(std::min(std::fabs(times), 1e15)));
}

void TextReport::tell_rest(size_t all, size_t shown, uint64_t beyond) {
    if (all > shown) out_ += "... " + number(static_cast<Wide>(all - shown)) + " more; --format=json has all\n";
    if (beyond)
        out_ += "... " + number(static_cast<Wide>(beyond)) +
                " rows of other keys had no room here; they are added up in one row of --format=json\n";
    if (all > shown || beyond) out_ += "\n";
}

std::string key_text(const Key &key) {
    return key.is_text ? printable(key.text) : std::to_string(key.number);
}

std::string keys_text(const std::vector<Key> &keys) {
    std::string text;
    for (const Key &key : keys)
        text += (text.empty() ? "" : ",") + (key.is_text ? "\"" + printable(key.text) + "\"" : key_text(key));
    return keys.empty() ? "" : "[" + text + "]";
}

// The indices of rows by a number of each, the largest first.
template <typename Row, typename Size>
std::vector<size_t> order_of(const std::vector<Row> &rows, Size size) {
    std::vector<size_t> order(rows.size());
    for (size_t i = 0; i < order.size(); ++i)
        order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return size(rows[a]) > size(rows[b]); });
    return order;
}

// ---- hosts

std::string TextReport::remark(uint32_t host) const {
    const HostState &state = hosts_[host];
    std::string text;
    const auto say = [&](const std::string &part) { text += (text.empty() || part.empty() ? "" : "; ") + part; };
    if (!state.problem.empty()) say("failed: " + printable(state.problem));
    if (!state.note.empty()) say("left out: " + printable(state.note));
    if (!state.ended && state.records) say("cut off, what it told by then counts");
    if (state.problem.empty() && state.status) say("its script ended with status " + std::to_string(state.status));
    say(hosts_.clock_text(host));
    if (state.bad)
        say(number(static_cast<Wide>(state.bad)) + (state.bad == 1 ? " line is" : " lines are") +
            " left out: " + printable(state.complaint));
    return text;
}

void TextReport::add_head() {
    std::vector<std::pair<uint32_t, std::string>> remarks;
    size_t failed = 0, silent = 0;
    for (uint32_t host = 0; host < hosts_.size(); ++host) {
        if (std::string text = remark(host); !text.empty()) remarks.emplace_back(host, std::move(text));
        failed += !hosts_[host].problem.empty();
        silent += !hosts_[host].records;
    }
    const size_t told = hosts_.size() - silent;
    out_ += number(static_cast<Wide>(told)) + " of " + number(static_cast<Wide>(hosts_.size())) +
            (hosts_.size() == 1 ? " host" : " hosts") + " in this report, " +
            (failed ? number(static_cast<Wide>(failed)) + " failed" : "none failed") + "\n\n";
    if (remarks.empty()) return;
    // Sentences are not cut, so this is no sheet.
    size_t width = 0;
    for (size_t i = 0; i < std::min(remarks.size(), kMostHosts); ++i)
        width = std::max(width, printable_width(hosts_.name(remarks[i].first)));
    for (size_t i = 0; i < std::min(remarks.size(), kMostHosts); ++i) {
        const std::string &name = hosts_.name(remarks[i].first);
        out_ +=
            "  " + printable(name) + std::string(width - printable_width(name), ' ') + "  " + remarks[i].second + "\n";
    }
    out_ += "\n";
    tell_rest(remarks.size(), kMostHosts, 0);
}

void TextReport::add_outliers() {
    const std::vector<Merge::Outlier> found = merge_.outliers();
    if (found.empty()) return;
    out_ += "Far from the other hosts:\n";
    Sheet sheet(screen_);
    sheet.column(TAPIR_COLUMN_NAME, "host");
    sheet.column(TAPIR_COLUMN_NAME, "figure");
    sheet.column(TAPIR_COLUMN_NUMBER, "value");
    sheet.column(TAPIR_COLUMN_NUMBER, "median");
    sheet.column(TAPIR_COLUMN_NUMBER, "deviations");
    for (size_t i = 0; i < std::min(found.size(), kMostOutliers); ++i) {
        const Spread &figure = *found[i].figure;
        sheet.cell(hosts_.name(found[i].far.host));
        sheet.cell(figure.name());
        sheet.number(static_cast<Wide>(found[i].far.value), figure.unit());
        sheet.number(static_cast<Wide>(found[i].far.median), figure.unit());
        sheet.cell(times(found[i].far.times));
    }
    add(sheet);
    tell_rest(found.size(), kMostOutliers, 0);
}

// ---- tables

void TextReport::add_table(const Table &table) {
    const std::vector<TableRow> &rows = table.rows.rows();
    if (rows.empty()) return;
    Sheet sheet(screen_);
    size_t main = table.columns.size();
    for (size_t i = 0; i < table.columns.size(); ++i) {
        const Column &column = table.columns[i];
        const bool is_key = column.meaning == Meaning::Key, is_text = column.unit == "name" || column.unit == "text";
        sheet.column(is_text  ? TAPIR_COLUMN_NAME
                     : is_key ? TAPIR_COLUMN_NUMBER
                              : TAPIR_COLUMN_EXTRA,
                     column.meaning == Meaning::Bound ? column.name + " <=" : column.name);
        if (!is_key && (main == table.columns.size() ||
                        (table.columns[main].meaning != Meaning::Sum && column.meaning == Meaning::Sum)))
            main = i;
    }
    sheet.column(TAPIR_COLUMN_EXTRA, "hosts");
    if (main < table.columns.size()) sheet.column(TAPIR_COLUMN_NAME, "most at");
    const auto size = [&](const TableRow &row) {
        if (main == table.columns.size() || !row.figures[main].any) return Wide{-1};
        return row.figures[main].value(table.columns[main].meaning);
    };
    const std::vector<size_t> order = order_of(rows, size);
    for (size_t i = 0; i < std::min(order.size(), kMostRows); ++i) {
        const TableRow &row = rows[order[i]];
        size_t key = 0;
        for (size_t k = 0; k < table.columns.size(); ++k) {
            const Column &column = table.columns[k];
            if (column.meaning == Meaning::Key)
                sheet.cell(key_text(row.keys[key++]));
            else if (row.figures[k].any)
                sheet.number(row.figures[k].value(column.meaning), column.unit);
            else
                sheet.cell("-");
        }
        sheet.number(row.hosts.count(), "");
        if (main == table.columns.size()) continue;
        sheet.cell(row.figures[main].any ? hosts_.name(row.figures[main].most_host) : "-");
    }
    out_ += "Table " + printable(table.name) + ":\n";
    add(sheet);
    tell_rest(order.size(), kMostRows, table.rows.beyond());
}

// ---- globals

void TextReport::add_global(const Global &global) {
    const std::vector<ValueRow> &rows = global.rows.rows();
    if (rows.empty()) return;
    const bool statistics = rows.front().is_statistic, texts = rows.front().is_text;
    Sheet sheet(screen_);
    sheet.column(TAPIR_COLUMN_NAME, "global");
    for (const char *head : {"count", "average", "least", "most"})
        if (statistics) sheet.column(TAPIR_COLUMN_EXTRA, head);
    if (!texts) sheet.column(TAPIR_COLUMN_NUMBER, statistics ? "sum" : "value");
    sheet.column(TAPIR_COLUMN_EXTRA, "hosts");
    sheet.column(TAPIR_COLUMN_NAME, texts ? "" : "most at");
    const std::vector<size_t> order =
        order_of(rows, [](const ValueRow &row) { return row.is_text ? Wide{row.hosts.count()} : row.figure.sum; });
    for (size_t i = 0; i < std::min(order.size(), kMostRows); ++i) {
        const ValueRow &row = rows[order[i]];
        const Figure &figure = row.figure;
        const bool any = figure.any && row.is_statistic == statistics && row.is_text == texts;
        sheet.cell(printable(global.name) + keys_text(row.keys));
        if (statistics) {
            sheet.number(figure.weight, "");
            any ? sheet.number(figure.sum / figure.weight, "") : sheet.cell("-");
            any ? sheet.number(figure.least, "") : sheet.cell("-");
            any ? sheet.number(figure.most, "") : sheet.cell("-");
        }
        if (!texts) any ? sheet.number(figure.sum, "") : sheet.cell("-");
        sheet.number(row.hosts.count(), "");
        sheet.cell(any && !texts ? hosts_.name(figure.most_host) : "");
    }
    add(sheet);
    tell_rest(order.size(), kMostRows, global.rows.beyond());
}

// ---- histograms

void TextReport::add_buckets(const Histogram &histogram, const HistogramRow &row) {
    out_ += printable(histogram.name) + keys_text(row.keys) +
            (histogram.subject.empty() ? "" : ", of " + printable(histogram.subject)) + ": " + number(row.count) +
            ", average " + number(row.sum / row.count, histogram.unit);
    if (row.has_ends) out_ += ", " + number(row.min, histogram.unit) + " to " + number(row.max, histogram.unit);
    out_ += "; " + number(row.hosts.count()) + (row.hosts.count() == 1 ? " host\n" : " hosts\n");
    Wide most = 1;
    for (const auto &[least, bucket] : row.buckets)
        most = std::max(most, bucket.count);
    Sheet sheet(screen_);
    sheet.column(TAPIR_COLUMN_NUMBER, "from");
    sheet.column(TAPIR_COLUMN_NUMBER, "count");
    sheet.column(TAPIR_COLUMN_SHAPE, "");
    for (const auto &[least, bucket] : row.buckets) {
        std::string bar(kBar * 4, '\0');
        const Wide part = most > INT64_MAX ? bucket.count / (most / INT64_MAX + 1) : bucket.count;
        tapir_bar(bar.data(), screen_.utf8, kBar, static_cast<uint64_t>(part), static_cast<uint64_t>(clipped(most)));
        least == INT64_MIN ? sheet.cell("below") : sheet.number(least, histogram.unit);
        sheet.number(bucket.count, "");
        sheet.cell(bar.c_str());
    }
    add(sheet);
}

void TextReport::add_histogram(const Histogram &histogram) {
    const std::vector<HistogramRow> &rows = histogram.rows.rows();
    const std::vector<size_t> order = order_of(rows, [](const HistogramRow &row) { return row.count; });
    constexpr size_t kMostDrawn = 10;
    for (size_t i = 0; i < std::min(order.size(), kMostDrawn); ++i)
        add_buckets(histogram, rows[order[i]]);
    tell_rest(order.size(), kMostDrawn, histogram.rows.beyond());
}

// ---- texts

void TextReport::add_texts(const Rows<TextRow> &texts, const char *title) {
    if (texts.rows().empty() && !texts.beyond()) return;
    out_ += std::string(title) + ", by hosts:\n";
    size_t shown = 0;
    for (const TextRow &row : texts.rows()) {
        if (shown++ == kMostRows) break;
        std::string count = number(row.hosts.count());
        if (count.size() < 6) count.insert(0, 6 - count.size(), ' ');
        out_ += count + "  " + printable(row.keys[0].text) + "\n";
    }
    out_ += "\n";
    tell_rest(texts.rows().size(), kMostRows, texts.beyond());
}

void TextReport::add_triggers() {
    for (const Spread &trigger : merge_.tables().triggers()) {
        double sum = 0;
        size_t count = 0;
        for (uint32_t host = 0; host < hosts_.size(); ++host) {
            const double value = trigger.value(host);
            if (std::isnan(value)) continue;
            sum += value;
            ++count;
        }
        out_ += printable(trigger.name()) + ": " + number(static_cast<Wide>(sum)) + " times on " +
                number(static_cast<Wide>(count)) + (count == 1 ? " host\n\n" : " hosts\n\n");
    }
}

// ---- quality

void TextReport::add_quality() {
    constexpr size_t kNamed = 5;
    const Tables &tables = merge_.tables();
    for (size_t i = 0; i < kQualityCount; ++i) {
        if (!is_loss(i) || !hosts_.quality(i)) continue;
        std::vector<uint32_t> lossy;
        for (uint32_t host = 0; host < hosts_.size(); ++host)
            if (hosts_.quality(i, host)) lossy.push_back(host);
        std::stable_sort(lossy.begin(), lossy.end(),
                         [&](uint32_t a, uint32_t b) { return hosts_.quality(i, a) > hosts_.quality(i, b); });
        std::string title = kQualities[i];
        std::replace(title.begin(), title.end(), '_', ' ');
        out_ += title + ": " + number(hosts_.quality(i)) + " on " + number(static_cast<Wide>(lossy.size())) +
                (lossy.size() == 1 ? " host:" : " hosts:");
        for (size_t k = 0; k < std::min(lossy.size(), kNamed); ++k)
            out_ += (k ? ", " : " ") + printable(hosts_.name(lossy[k])) + " " + number(hosts_.quality(i, lossy[k]));
        out_ += lossy.size() > kNamed ? ", ...\n" : "\n";
    }
    const uint32_t whole = hosts_.judged() - hosts_.incomplete();
    out_ += number(whole) + " of " + number(static_cast<Wide>(hosts_.size())) +
            " hosts tell that nothing is lost, left out, cut or wrong\n";
    if (tables.nameless())
        out_ += number(static_cast<Wide>(tables.nameless())) + " records of further tables and globals had no room\n";
    if (merge_.samples().beyond())
        out_ += number(static_cast<Wide>(merge_.samples().beyond())) + " samples are of stacks that had no room\n";
}

std::string TextReport::render() {
    add_head();
    add_outliers();
    const Tables &tables = merge_.tables();
    for (const Table &table : tables.tables())
        add_table(table);
    for (const Global &global : tables.globals())
        add_global(global);
    for (const Histogram &histogram : tables.histograms())
        add_histogram(histogram);
    add_triggers();
    add_texts(tables.prints(), "Lines that scripts printed");
    add_texts(tables.messages(), "Messages");
    add_quality();
    return std::move(out_);
}

}  // namespace

std::string render_text(const Merge &merge, int fd) {
    return TextReport(merge, fd).render();
}

}  // namespace tapir::merge
