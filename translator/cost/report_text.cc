// SPDX-License-Identifier: GPL-2.0-or-later
// The report for people, and for programs (docs/cost.schema.json).
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cost/cost_report.h"
#include "cost/number_text.h"

namespace tapir::cost {
namespace {

// Not sorted: members stand in the order of a reader.
using Members = nlohmann::ordered_json;

using Line = std::vector<std::string>;

// Columns, all but the last one to the right.
std::string aligned(const std::vector<Line> &lines) {
    std::vector<size_t> widths;
    for (const Line &line : lines) {
        widths.resize(std::max(widths.size(), line.size()));
        for (size_t i = 0; i < line.size(); ++i)
            widths[i] = std::max(widths[i], line[i].size());
    }
    std::string text;
    for (const Line &line : lines) {
        for (size_t i = 0; i < line.size(); ++i) {
            if (i) text += "  ";
            if (i + 1 < line.size()) text.append(widths[i] - line[i].size(), ' ');
            text += line[i];
        }
        text += '\n';
    }
    return text;
}

std::string range_text(const Range &range) {
    const std::string typical = number_text(range.typical);
    const std::string least = number_text(range.least), most = number_text(range.most);
    return least == most ? typical : typical + " (" + least + ".." + most + ")";
}

std::string share_text(double share) {
    const double percent = share * 100;
    return percent > 0 && percent < 0.1 ? "< 0.1 %" : number_text(percent) + " %";
}

std::string shown(const Row &row) {
    return row.way == Way::None ? "once" : std::string(name_of(row.way));
}

Members range_json(const Range &range) {
    const auto whole = [](double value) { return std::llround(value); };
    return {{"least", whole(range.least)}, {"typical", whole(range.typical)}, {"most", whole(range.most)}};
}

Members row_json(const Row &row, double ips) {
    Members object = {{"point", row.point}, {"points", row.points}, {"where", row.where}, {"way", shown(row)}};
    object["places"] = row.places;
    object["around"] = std::llround(row.around);
    object["handler"] = range_json(row.handler);
    object["per_hit"] = range_json(row.each());
    if (row.hits && row.way != Way::None) {
        object["hits_per_second"] = *row.hits;
        object["instructions_per_second"] = row.each().typical * *row.hits;
        object["cpu_share"] = row.each().typical * *row.hits / ips;
    }
    return object;
}

}  // namespace

std::string Report::text() const {
    const bool rated = has_rates();
    std::vector<Line> lines = {{"PLACES", "AROUND", "HANDLER", "A HIT"}};
    if (rated) lines[0].insert(lines[0].end(), {"HITS/S", "INSTRUCTIONS/S", "CPU"});
    lines[0].insert(lines[0].end(), {"WAY", "POINT"});
    for (const Row &row : rows) {
        Line line = {number_text(static_cast<double>(row.places)), number_text(row.around), range_text(row.handler),
                     number_text(row.each().typical)};
        const bool hit = row.hits && row.way != Way::None;
        const double sum = hit ? row.each().typical * *row.hits : 0;
        if (rated && hit)
            line.insert(line.end(), {number_text(*row.hits), number_text(sum), share_text(sum / assumptions.ips)});
        else if (rated)
            line.insert(line.end(), {"", "", ""});
        line.push_back(shown(row));
        line.push_back(row.point);
        lines.push_back(std::move(line));
    }
    std::string text = "Instructions, estimated:\n\n" + aligned(lines);
    if (rated) {
        const Range sum = per_second();
        text += "\nIn all " + number_text(sum.typical) + " instructions a second (" + number_text(sum.least) + " to " +
                number_text(sum.most) + "): " + share_text(sum.typical / assumptions.ips) + " of one CPU.\n";
    }
    for (const std::string &point : unused)
        text += "The script has no probe at '" + point + "', for which there is a rate.\n";
    return text + "\nAssumed (--assume): " + described(assumptions) + ".\n";
}

std::string Report::json(const std::string &script) const {
    Members object = {{"v", 1}, {"script", script}};
    object["assumed"] = {{"frames", assumptions.frames}, {"kernel_frames", assumptions.kernel_frames},
                         {"text", assumptions.text},     {"elements", assumptions.elements},
                         {"turns", assumptions.turns},   {"cpus", assumptions.cpus},
                         {"ips", assumptions.ips}};
    object["probes"] = Members::array();
    for (const Row &row : rows)
        object["probes"].push_back(row_json(row, assumptions.ips));
    if (has_rates()) {
        const Range sum = per_second();
        object["total"] = {{"instructions_per_second", range_json(sum)}, {"cpu_share", sum.typical / assumptions.ips}};
    }
    object["unused_rates"] = unused;
    return object.dump(2, ' ', false, Members::error_handler_t::replace) + "\n";
}

}  // namespace tapir::cost
