// SPDX-License-Identifier: GPL-2.0-or-later
#include "live/monitor_tables.h"

#include <algorithm>

#include "live/measure.h"

namespace tapir::live {

namespace {

constexpr size_t kMostStates = 10000;   // probes, and globals
constexpr size_t kMostElements = 20;    // of an array
constexpr size_t kLongestValue = 1000;  // bytes of a global's values in its row

Value cell(uint64_t n) {
    return {false, static_cast<int64_t>(n), {}};
}

Value cell(std::string t) {
    return {true, 0, std::move(t)};
}

uint64_t skips_of(const ProbeState &probe) {
    uint64_t sum = probe.missed;
    for (const auto &reason : probe.skipped)
        sum += reason.second;
    return sum;
}

std::string reasons_of(const ProbeState &probe) {
    std::string reasons;
    const auto add = [&](const std::string &reason, uint64_t count) {
        if (count) reasons += (reasons.empty() ? "" : ", ") + reason + " " + whole(count);
    };
    for (const auto &[reason, count] : probe.skipped)
        add(reason, count);
    add("missed", probe.missed);
    return reasons;
}

// Without a measured handler there are no times.
Value measured(const ProbeState &probe, uint64_t ns) {
    return probe.timed ? cell(ns) : cell("");
}

Row row_of(const ProbeState &probe) {
    return {cell(probe.index),
            cell(probe.point),
            cell(probe.on ? "on" : "off"),
            cell(probe.hits),
            cell(skips_of(probe)),
            measured(probe, probe.timed ? probe.sum / probe.timed : 0),
            measured(probe, probe.least),
            measured(probe, probe.most),
            cell(reasons_of(probe)),
            cell(probe.where)};
}

std::string note_of(const ProbeState &probe) {
    const std::string reasons = reasons_of(probe);
    std::string note = probe.where + ": " + whole(probe.attached) + (probe.attached == 1 ? " place" : " places");
    note += reasons.empty() ? ", no hit skipped" : ", skipped: " + reasons;
    if (probe.errors) note += ", errors " + whole(probe.errors);
    return note + ", " + whole(probe.timed) + " timed";
}

std::string kind_of(const GlobalState &global) {
    if (!global.is_array) return global.kind;
    return "array of " + (global.of == "statistic" ? "statistics" : global.of + "s");
}

std::string note_of(const GlobalState &global) {
    return global.name + ": " + kind_of(global) +
           (global.is_array ? ", room for " + whole(global.most) + " elements" : "") +
           (global.resets ? "" : ", the script does not write to it");
}

}  // namespace

std::string MonitorTables::Values::text() const {
    std::string all;
    for (const auto &[key, value] : elements) {
        if (all.size() > kLongestValue) break;
        if (!all.empty()) all += "  ";
        all += !state.is_array ? value : state.of == "statistic" ? key + " (" + value + ")" : key + "=" + value;
    }
    return all;
}

MonitorTables::MonitorTables() {
    const auto text_column = [](const char *name, size_t least, bool goes_first) {
        Column column{name, ColumnKind::Text, "", least, goes_first};
        return column;
    };
    const auto time_column = [](const char *name) { return Column{name, ColumnKind::Number, "ns"}; };
    probes_table_.name = "probes";
    probes_table_.source = Table::Source::Probes;
    probes_table_.columns = {{"#", ColumnKind::Id, ""},
                             text_column("PROBE", 18, false),
                             text_column("STATE", 5, false),
                             {"HITS", ColumnKind::Number, ""},
                             {"SKIPS", ColumnKind::Number, ""},
                             time_column("AVG"),
                             time_column("MIN"),
                             time_column("MAX"),
                             text_column("REASONS", 8, true),
                             text_column("WHERE", 8, true)};
    probes_table_.columns.back().is_found = false;  // each has the name of the script
    globals_table_.name = "globals";
    globals_table_.source = Table::Source::Globals;
    globals_table_.columns = {text_column("GLOBAL", 12, false),
                              text_column("TYPE", 6, false),
                              {"SIZE", ColumnKind::Number, ""},
                              text_column("VALUE", 8, false)};
    globals_table_.columns.back().is_list = true;
}

// A switch is in sight at once.
void MonitorTables::take(const ProbeState &probe) {
    if (probe_states_.size() >= kMostStates && !probe_states_.contains(probe.index)) return;
    probe_states_[probe.index] = probe;
    for (Row &row : probes_table_.rows) {
        if (row[kProbeIndex].number != static_cast<int64_t>(probe.index)) continue;
        if (row[kProbeOn].text != (probe.on ? "on" : "off")) probes_table_.time++;  // it changed
        row[kProbeOn].text = probe.on ? "on" : "off";
    }
}

void MonitorTables::take(const GlobalState &global) {
    const auto [place, is_new] = places_.try_emplace(global.name, globals_.size());
    if (is_new && globals_.size() < kMostStates) globals_.emplace_back();
    if (place->second < globals_.size()) globals_[place->second].state = global;
}

void MonitorTables::begin(const std::string &global) {
    const auto place = places_.find(global);
    if (place != places_.end() && place->second < globals_.size()) globals_[place->second].elements.clear();
}

void MonitorTables::add(const std::string &global, const std::string &key, std::string value) {
    const auto place = places_.find(global);
    if (place == places_.end() || place->second >= globals_.size()) return;
    auto &elements = globals_[place->second].elements;
    const auto known =
        std::find_if(elements.begin(), elements.end(), [&key](const auto &element) { return element.first == key; });
    if (known != elements.end())
        known->second = std::move(value);
    else if (elements.size() < kMostElements)
        elements.emplace_back(key, std::move(value));
}

void MonitorTables::complete(uint64_t now) {
    size_t off = 0;
    uint64_t timed = 0, hits = 0;
    probes_table_.rows.clear();
    probes_table_.notes.clear();
    for (const auto &[index, probe] : probe_states_) {
        probes_table_.rows.push_back(row_of(probe));
        probes_table_.notes.push_back(note_of(probe));
        off += !probe.on;
        timed += probe.timed;
        hits += probe.hits;
    }
    probes_table_.title = "probes: " + whole(probe_states_.size());
    if (off) probes_table_.title += ", " + whole(off) + " off";
    if (timed && timed < hits) probes_table_.title += "; times of " + whole(timed) + " of " + whole(hits) + " hits";
    globals_table_.rows.clear();
    globals_table_.notes.clear();
    for (const Values &global : globals_) {
        const GlobalState &state = global.state;
        const std::string values = global.text();
        globals_table_.rows.push_back(
            {cell(state.name), cell(kind_of(state)), state.is_array ? cell(state.elements) : cell(""), cell(values)});
        globals_table_.notes.push_back(note_of(state));
    }
    globals_table_.title = "globals: " + whole(globals_.size());
    for (Table *table : {&probes_table_, &globals_table_}) {
        table->block++;
        table->time = now;
    }
}

}  // namespace tapir::live
