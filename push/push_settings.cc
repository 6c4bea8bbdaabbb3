// SPDX-License-Identifier: GPL-2.0-or-later
#include "push/push_settings.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <sstream>

#include "common/files.h"
#include "common/plain_text.h"
#include "common/quoting.h"

namespace tapir::push {

namespace {

Fault wrong(int line, const std::string &why) {
    return {FaultTag::BadConfiguration, "line " + std::to_string(line) + ": " + why};
}

// Seconds, also with a fraction.
bool take_seconds(const std::string &value, double least, double most, std::chrono::milliseconds &out) {
    char *end = nullptr;
    const double seconds = std::strtod(value.c_str(), &end);
    if (end == value.c_str() || *end || !(seconds >= least && seconds <= most)) return false;
    out = std::chrono::milliseconds(static_cast<int64_t>(seconds * 1000 + 0.5));
    return true;
}

// Returns what is wrong with the value, or "".
std::string take_limit(const std::string &name, const std::string &value, PushSettings &out) {
    uint64_t number = 0;
    if (name == "queue-size") {
        if (!parse_unsigned(value, number) || number < 1 || number > 1'000'000) return "takes 1 to 1000000 megabytes";
        out.queue_bytes = number << 20;
    } else if (name == "series") {
        if (!parse_unsigned(value, number) || number < 1 || number > 1'000'000) return "takes 1 to 1000000";
        out.series = number;
    } else if (name == "timeout") {
        if (!parse_unsigned(value, number) || number < 1 || number > 600) return "takes 1 to 600 seconds";
        out.timeout = std::chrono::seconds(number);
    } else if (name == "every") {
        if (!take_seconds(value, 0.1, 3600, out.every)) return "takes 0.1 to 3600 seconds";
    } else if (name == "linger") {
        if (!take_seconds(value, 0, 3600, out.linger)) return "takes 0 to 3600 seconds";
    } else if (name == "retry") {
        if (!take_seconds(value, 0.01, 60, out.retry)) return "takes 0.01 to 60 seconds";
    } else {
        return "?";
    }
    return "";
}

Outcome<void> take_line(const std::string &line, int number, PushSettings &out) {
    const size_t equals = std::min(line.find('='), line.size());
    const std::string name = line.substr(0, equals), value = line.substr(std::min(equals + 1, line.size()));
    if (name == "header") {
        if (value.find(':') == std::string::npos || value[0] == ':') return wrong(number, "header= takes NAME: VALUE");
        out.headers.push_back(value);
    } else if (name == "attribute") {
        const size_t at = value.find('=');
        if (at == std::string::npos || at == 0) return wrong(number, "attribute= takes KEY=VALUE");
        out.attributes[value.substr(0, at)] = value.substr(at + 1);
    } else if (name == "authority" || name == "queue") {
        if (value.empty() || value[0] != '/') return wrong(number, name + "= takes an absolute path");
        (name == "queue" ? out.queue : out.authority) = value;
    } else {
        const std::string why = take_limit(name, value, out);
        if (why == "?") return wrong(number, "'" + printable(line) + "' is no setting");
        if (!why.empty()) return wrong(number, name + "= " + why);
    }
    return {};
}

}  // namespace

Outcome<PushSettings> parse_settings(const std::string &text) {
    PushSettings settings;
    std::istringstream lines(text);
    int number = 0;
    for (std::string line; std::getline(lines, line);) {
        number++;
        line = trim(line);
        if (line.empty() || line[0] == '#') continue;
        if (const Outcome<void> taken = take_line(line, number, settings); !taken) return taken.fault();
    }
    return settings;
}

Outcome<PushSettings> read_settings(const std::string &path) {
    const std::string file = path.empty() ? kSettingsFile : path;
    const std::optional<std::string> text = read_file(file);
    if (!text && path.empty() && errno == ENOENT) return PushSettings();
    if (!text) return Fault{FaultTag::BadConfiguration, "cannot read '" + file + "': " + std::strerror(errno)};
    Outcome<PushSettings> settings = parse_settings(*text);
    if (!settings) return Fault{FaultTag::BadConfiguration, file + ": " + settings.fault().text};
    struct stat about = {};
    if (!settings->headers.empty() && stat(file.c_str(), &about) == 0 && about.st_mode & 077)
        return Fault{FaultTag::BadConfiguration, "others can read '" + file + "', which has headers",
                     "'chmod 600' first"};
    return settings;
}

std::string usual_queue() {
    if (geteuid() == 0) return "/var/lib/tapir/push";
    const char *const state = std::getenv("XDG_STATE_HOME"), *const home = std::getenv("HOME");
    if (state && *state) return std::string(state) + "/tapir/push";
    return std::string(home && *home ? home : temporary_root()) + "/.local/state/tapir/push";
}

}  // namespace tapir::push
