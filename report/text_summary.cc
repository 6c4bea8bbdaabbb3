// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <utility>

#include "common/plain_text.h"
#include "common/quoting.h"
#include "report/call_tree.h"
#include "report/heaviest_paths.h"
#include "report/picture.h"

namespace tapir::report {

namespace {

constexpr size_t kShown = 25, kPathsShown = 10;
// What has this much of everything and nothing itself only leads to the rest.
constexpr double kLeadsOn = 0.98;

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

std::string share(const Picture &picture, int64_t value) {
    return percent_text(100 * static_cast<double>(value) / static_cast<double>(picture.profile.total));
}

void add_paths(std::string &out, const Picture &picture) {
    append(out, "%18s %8s  heaviest paths, the innermost function first\n", picture.profile.unit.c_str(), "");
    for (const Path &path : heaviest_paths(picture, kPathsShown))
        append(out, "%18lld %8s  %s\n", static_cast<long long>(path.value), share(picture, path.value).c_str(),
               path.text.c_str());
}

// Of measured times, who asks for what takes so long is the question; of waits, the kernel's functions that take the
// processor away are the same for all.
void add_functions(std::string &out, const Picture &picture) {
    const bool waits = is_of_waits(picture), by_total = waits || picture.profile.unit.ends_with("seconds");
    const std::vector<FrameTotals> totals = frame_totals(picture.profile, picture.frames);
    const auto is_shown = [&](uint32_t frame) {
        if (!totals[frame].total) return false;
        if (!waits) return true;
        const FrameText &text = picture.frames[frame];
        const bool leads_on = !totals[frame].self && static_cast<double>(totals[frame].total) >
                                                         kLeadsOn * static_cast<double>(picture.profile.total);
        return text.origin != Origin::Kernel && text.origin != Origin::Mark && text.resolved && !leads_on;
    };
    std::vector<uint32_t> order;
    for (uint32_t frame = 0; frame < totals.size(); frame++)
        if (is_shown(frame)) order.push_back(frame);
    std::sort(order.begin(), order.end(), [&totals, by_total](uint32_t a, uint32_t b) {
        if (by_total) return totals[a].total > totals[b].total;
        return std::pair(totals[a].self, totals[a].total) > std::pair(totals[b].self, totals[b].total);
    });
    if (order.size() > kShown) order.resize(kShown);
    if (order.empty()) return;
    append(out, "%18s %8s %18s %8s  function (%s)\n", "self", "", "with callees", "", picture.profile.unit.c_str());
    for (const uint32_t number : order) {
        const FrameTotals &frame = totals[number];
        const FrameText &text = picture.frames[number];
        append(out, "%18lld %8s %18lld %8s  ", static_cast<long long>(frame.self), share(picture, frame.self).c_str(),
               static_cast<long long>(frame.total), share(picture, frame.total).c_str());
        out += text.name + (text.object.empty() || !text.resolved ? "" : " [" + text.object + "]") + "\n";
    }
}

}  // namespace

std::string render_text(const Picture &picture, capture::Capture &capture) {
    std::string out;
    // As the script printed it: what shows it to a terminal is the same as for staprun. It is kept once.
    for (capture::Text &text : capture.texts)
        out += std::exchange(text.bytes, std::string());
    if (!out.empty() && out.back() != '\n') out += "\n";
    for (const capture::Table &table : capture.tables)
        add_table(out, table);
    if (capture.samples.empty()) return out;
    out += picture.profile.title + "\n";
    for (const std::string &line : quality_lines(picture.profile))
        out += "  " + line + "\n";
    if (!picture.profile.total) return out;
    add_paths(out, picture);
    add_functions(out, picture);
    return out;
}

}  // namespace tapir::report
