// SPDX-License-Identifier: GPL-2.0-or-later
#include "watch/watch_status.h"

#include <signal.h>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <nlohmann/json.hpp>

#include "common/files.h"
#include "common/plain_text.h"
#include "common/quoting.h"
#include "watch/supervisor.h"

namespace tapir::watch {

namespace {

using Json = nlohmann::json;

Fault nothing(const std::string &folder) {
    return {FaultTag::ProgramFailed, "nothing watches for '" + folder + "'", "'stap watch TOOL' does"};
}

bool is_watched(const std::string &folder) {
    return is_file(lock_file(folder)) && !FileLock(lock_file(folder), false).held();
}

Outcome<Json> read_status(const std::string &folder) {
    if (!is_watched(folder)) return nothing(folder);
    const std::optional<std::string> text = read_file(status_file(folder));
    if (!text)
        return Fault{FaultTag::FileUnreadable, "'" + status_file(folder) + "' cannot be read: " + strerror(errno)};
    Json status = Json::parse(*text, nullptr, false);
    if (!status.is_object() || !status.contains("tools") || !status.contains("pid"))
        return Fault{FaultTag::FileUnreadable, "'" + status_file(folder) + "' is no status"};
    return status;
}

std::string clock_text(int64_t at) {
    if (!at) return "-";
    const auto moment = static_cast<time_t>(at);
    tm parts{};
    localtime_r(&moment, &parts);
    char text[32];
    std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &parts);
    return text;
}

}  // namespace

Outcome<std::string> status_text(const std::string &folder) {
    const Outcome<Json> status = read_status(folder);
    if (!status) return status.fault();
    std::string out;
    append(out, "%-20s %-8s %-19s %8s %6s %8s %10s\n", "TOOL", "STATE", "SESSION BEGAN", "SESSIONS", "FAILED",
           "CAPTURES", "KILOBYTES");
    for (const Json &tool : status->at("tools")) {
        append(out, "%-20s %-8s %-19s %8llu %6llu %8llu %10llu\n", printable(tool.value("name", "")).c_str(),
               printable(tool.value("state", "")).c_str(), clock_text(tool.value("since", int64_t{0})).c_str(),
               static_cast<unsigned long long>(tool.value("sessions", uint64_t{0})),
               static_cast<unsigned long long>(tool.value("failed", uint64_t{0})),
               static_cast<unsigned long long>(tool.value("captures", uint64_t{0})),
               static_cast<unsigned long long>(tool.value("bytes", uint64_t{0}) / 1024));
        if (const std::string trouble = tool.value("trouble", ""); !trouble.empty())
            out += "    " + printable(trouble) + "\n";
    }
    for (const Json &pressure : status->value("on", Json::array()))
        out += "sessions begin at: " + printable(pressure.get<std::string>()) + "\n";
    return out;
}

Outcome<void> stop_watching(const std::string &folder) {
    const Outcome<Json> status = read_status(folder);
    if (!status) return status.fault();
    const auto pid = status->value("pid", int64_t{0});
    if (pid <= 1 || kill(static_cast<pid_t>(pid), SIGTERM) != 0)
        return Fault{FaultTag::ProgramFailed, "process " + std::to_string(pid) + ", which watches, cannot be ended: " +
                                                  (pid <= 1 ? "it is none" : strerror(errno))};
    // Its sessions end, and write their captures.
    const FileLock ended(lock_file(folder));
    return {};
}

}  // namespace tapir::watch
