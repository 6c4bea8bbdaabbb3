// SPDX-License-Identifier: GPL-2.0-or-later
#include "merge/hosts.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>

namespace tapir::merge {
namespace {

using nlohmann::json;

// A natural number of a record; 0 where there is none. Times since the epoch fit until the year 2262.
int64_t natural(const json &object, const char *name) {
    const auto found = object.find(name);
    if (found == object.end() || !found->is_number_integer()) return 0;
    if (found->is_number_unsigned() && found->get<uint64_t>() > static_cast<uint64_t>(INT64_MAX)) return INT64_MAX;
    return std::max<int64_t>(found->get<int64_t>(), 0);
}

bool read_clock(const json &record, int64_t &monotonic, int64_t &realtime) {
    const auto found = record.find("clock");
    if (found == record.end() || !found->is_object()) return false;
    monotonic = natural(*found, "monotonic");
    realtime = natural(*found, "realtime");
    return realtime > 0;
}

std::string seconds_of(int64_t ns) {
    // Tenths where these matter.
    const uint64_t tenths = static_cast<uint64_t>(std::llabs(ns / 100000000));
    const std::string whole = std::to_string(tenths / 10);
    return (tenths < 1000 && tenths % 10 ? whole + "." + std::to_string(tenths % 10) : whole) + " s";
}

}  // namespace

bool is_loss(size_t quality) {
    for (const char *good : {"hits", "walks", "complete_walks"})
        if (std::strcmp(kQualities[quality], good) == 0) return false;
    return true;
}

// The host read its clock after its script was started, and before its record arrived.
void Hosts::add_meta(uint32_t host, const json &record, int64_t now) {
    Clock clock;
    if (!read_clock(record, clock.monotonic, clock.realtime)) return;
    if (begun_.empty()) begun_.resize(size());
    begun_[host] = clock;
    HostState &state = states_[host];
    if (state.launched) state.ahead = Ahead{clock.realtime - now, clock.realtime - state.launched};
}

// The end came later than it was written: that narrows how far the clock may be behind, unless it was set meanwhile.
void Hosts::add_end(uint32_t host, const json &record, int64_t now) {
    HostState &state = states_[host];
    state.ended = true;
    state.status = natural(record, "status");
    Clock clock;
    if (!read_clock(record, clock.monotonic, clock.realtime) || begun_.empty() || !begun_[host].realtime) return;
    const int64_t set = (clock.realtime - clock.monotonic) - (begun_[host].realtime - begun_[host].monotonic);
    if (std::llabs(set) >= kClockNs)
        state.set_ns = set;
    else if (state.ahead)
        state.ahead->least = std::min(std::max(state.ahead->least, clock.realtime - now), state.ahead->most);
}

void Hosts::add_quality(uint32_t host, const json &record) {
    if (qualities_.empty()) qualities_.resize(size());
    std::vector<uint64_t> &numbers = qualities_[host];
    if (numbers.empty()) {
        ++judged_;
        const auto complete = record.find("complete");
        if (complete == record.end() || *complete != true) ++incomplete_;
    }
    numbers.assign(kQualityCount, 0);
    for (size_t i = 0; i < kQualityCount; ++i)
        numbers[i] = static_cast<uint64_t>(natural(record, kQualities[i]));
}

uint64_t Hosts::quality(size_t number, uint32_t host) const {
    return qualities_.empty() || qualities_[host].empty() ? 0 : qualities_[host][number];
}

Wide Hosts::quality(size_t number) const {
    Wide sum = 0;
    for (uint32_t host = 0; host < size(); ++host)
        sum += quality(number, host);
    return sum;
}

std::string Hosts::clock_text(uint32_t host) const {
    const HostState &state = states_[host];
    std::string text;
    if (state.ahead && std::llabs(state.ahead->surely()) >= kClockNs)
        text = "its clock is " + seconds_of(state.ahead->surely()) + (state.ahead->surely() > 0 ? " ahead" : " behind");
    if (state.set_ns)
        text += (text.empty() ? "its clock" : ", and") + std::string(" was set ") + seconds_of(state.set_ns) +
                (state.set_ns > 0 ? " forward" : " back") + " while the script ran";
    if (state.backwards) text += (text.empty() ? "" : "; ") + std::string("times of its records go backwards");
    return text;
}

std::vector<bool> Hosts::counting() const {
    std::vector<bool> counts;
    for (const HostState &state : states_)
        counts.push_back(state.counts());
    return counts;
}

}  // namespace tapir::merge
