// SPDX-License-Identifier: GPL-2.0-or-later
#include "options/live_options.h"

#include <charconv>
#include <string_view>

namespace tapir::driver {

namespace {

constexpr uint64_t kUsualMs = 1000, kLeastMs = 100, kMostMs = 3600000;
constexpr uint32_t kUsualRows = 20, kMostRows = 10000;

// Milliseconds of "2", "0.5s", "500ms", "1m"; 0: it is none of them.
uint64_t milliseconds(std::string_view text) {
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc()) return 0;
    const std::string_view unit = text.substr(static_cast<size_t>(end - text.data()));
    const double scale = unit.empty() || unit == "s" ? 1000 : unit == "ms" ? 1 : unit == "m" ? 60000 : 0;
    const double ms = number * scale;
    return ms >= static_cast<double>(kLeastMs) && ms <= static_cast<double>(kMostMs) ? static_cast<uint64_t>(ms) : 0;
}

std::string take_interval(const std::string &value, const char *option, LiveOptions &live) {
    live.refresh_ms = value == "default" ? kUsualMs : milliseconds(value);
    if (live.refresh_ms) return {};
    return "Invalid interval '" + value + "' for " + option + " (should be 0.1 to 3600 seconds, such as 2 or 500ms).";
}

}  // namespace

std::string take_refresh(const std::string &value, LiveOptions &live) {
    return take_interval(value, "--refresh", live);
}

std::string take_monitor(const std::string &value, LiveOptions &live) {
    live.monitor = true;
    return take_interval(value, "--monitor", live);
}

std::string take_top(const std::string &value, LiveOptions &live) {
    if (!live.refresh_ms) live.refresh_ms = kUsualMs;
    live.top = kUsualRows;
    if (value == "default") return {};
    const char *const last = value.data() + value.size();
    const auto [end, error] = std::from_chars(value.data(), last, live.top);
    if (error == std::errc() && end == last && live.top >= 1 && live.top <= kMostRows) return {};
    return "Invalid number of rows '" + value + "' for --top (should be 1-" + std::to_string(kMostRows) + ").";
}

std::string take_push(const std::string &value, LiveOptions &live) {
    live.push = value;
    live.metrics = true;
    return value.empty() ? "The URL of --push is empty." : "";
}

std::vector<std::string> live_conflicts(const Options &o) {
    std::vector<std::string> found;
    if (o.live.metrics && o.format != "json" && o.live.push.empty())
        found.emplace_back("Metrics (--metrics) are for programs: add --format=json. stap-exporter reads them.");
    if (!o.live.takes_commands()) return found;
    const auto refuse = [&](bool given, const std::string &what, const std::string &why) {
        if (given)
            found.push_back((o.live.on() ? "Tables that are shown while the script runs (" +
                                               std::string(o.live.monitor ? "--monitor" : "--refresh, --top") + ") "
                             : o.live.push.empty() ? "Metrics (--metrics) "
                                                   : "Metrics that are pushed (--push) ") +
                            what + ": " + why);
    };
    refuse(o.looks_at_still(), "cannot be had with --core and --snapshot", "what stands still does not change.");
    refuse(!o.remote.empty(), "cannot be had with --remote", "each host has a clock of its own. Run stap on the host.");
    refuse(o.load_and_detach, "cannot be had with -F", "nothing shows them; 'stap-live -A NAME' does.");
    refuse(o.bulk, "cannot be had with -b", "they are in the order of all CPUs.");
    if (!o.live.push.empty()) {
        refuse(o.live.on(), "cannot be had with --push", "one program reads the records. Run the script twice.");
        refuse(o.format == "csv", "have no CSV", "use --format=json.");
        refuse(!o.output.empty(), "cannot be had with -o FILE", "redirect the output.");
    }
    if (!o.live.on()) return found;
    refuse(o.format == "csv", "have no CSV", "use --format=json.");
    refuse(!o.output.empty() && o.format != "json", "go to standard output, not to -o FILE",
           "leave it out, or redirect the output.");
    return found;
}

}  // namespace tapir::driver
