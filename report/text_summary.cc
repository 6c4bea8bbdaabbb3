// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <numeric>

#include "common/plain_text.h"
#include "common/quoting.h"
#include "report/call_tree.h"
#include "report/picture.h"

namespace tapir::report {

namespace {

constexpr size_t kShown = 25;

void add_table(std::string &out, const capture::Table &table) {
    std::vector<std::vector<std::string>> rows = table.rows;
    if (!table.columns.empty()) rows.insert(rows.begin(), table.columns);
    std::vector<size_t> widths;
    for (std::vector<std::string> &row : rows)
        for (size_t i = 0; i < row.size(); i++) {
            row[i] = clean(row[i]);
            if (i >= widths.size()) widths.push_back(0);
            widths[i] = std::max(widths[i], printable_width(row[i]));
        }
    out += clean(table.name) + "\n";
    for (const std::vector<std::string> &row : rows) {
        std::string line;
        for (size_t i = 0; i < row.size(); i++)
            line += "  " + row[i] + std::string(i + 1 < row.size() ? widths[i] - printable_width(row[i]) : 0, ' ');
        out += line + "\n";
    }
}

void add_functions(std::string &out, const Picture &picture) {
    const std::vector<FrameTotals> totals = frame_totals(picture.profile, picture.frames);
    std::vector<uint32_t> order(totals.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&totals](uint32_t a, uint32_t b) {
        return std::pair(totals[a].self, totals[a].total) > std::pair(totals[b].self, totals[b].total);
    });
    append(out, "%18s %8s %18s %8s  function (%s)\n", "self", "", "with callees", "", picture.profile.unit.c_str());
    const auto share = [&](int64_t value) {
        return percent_text(100 * static_cast<double>(value) / static_cast<double>(picture.profile.total));
    };
    for (size_t i = 0; i < order.size() && i < kShown && totals[order[i]].total; i++) {
        const FrameTotals &frame = totals[order[i]];
        const FrameText &text = picture.frames[order[i]];
        append(out, "%18lld %8s %18lld %8s  ", static_cast<long long>(frame.self), share(frame.self).c_str(),
               static_cast<long long>(frame.total), share(frame.total).c_str());
        out += text.name + (text.object.empty() || !text.resolved ? "" : " [" + text.object + "]") + "\n";
    }
}

}  // namespace

std::string render_text(const Picture &picture, const capture::Capture &capture) {
    std::string out;
    // As the script printed it: what shows it to a terminal is the same as for staprun.
    for (const capture::Text &text : capture.texts)
        out += text.bytes;
    if (!out.empty() && out.back() != '\n') out += "\n";
    for (const capture::Table &table : capture.tables)
        add_table(out, table);
    if (capture.samples.empty()) return out;
    out += picture.profile.title + "\n";
    for (const std::string &line : quality_lines(picture.profile))
        out += "  " + line + "\n";
    if (picture.profile.total) add_functions(out, picture);
    return out;
}

}  // namespace tapir::report
