// SPDX-License-Identifier: GPL-2.0-or-later
#include "driver/remote_merge.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <nlohmann/json.hpp>

#include "backend/launch.h"
#include "capture/picture_files.h"
#include "common/command_text.h"
#include "common/descriptor.h"
#include "common/json.h"
#include "common/quoting.h"
#include "merge/capture_file.h"
#include "options/picture_options.h"
#include "options/tell.h"

namespace tapir::driver {
namespace {

int64_t calendar_ns() {
    timespec now = {};
    clock_gettime(CLOCK_REALTIME, &now);
    return now.tv_sec * 1000000000 + now.tv_nsec;
}

std::vector<std::string> names_of(const std::vector<remote::Host> &hosts) {
    std::vector<std::string> names;
    for (const remote::Host &host : hosts)
        names.push_back(host.uri);
    return names;
}

}  // namespace

RemoteMerge::RemoteMerge(const Options &options)
    : options_(options),
      merge_(names_of(options.remote), [this](uint32_t host, std::string_view line, const nlohmann::json &record) {
          take_event(host, line, record);
      }) {}

// Passes on events, which cannot be added up, with the host. A clock that is off is told beside times that it made.
void RemoteMerge::take_event(uint32_t host, std::string_view line, const nlohmann::json &record) {
    const std::string &name = merge_.hosts().name(host);
    const std::string clock = merge_.hosts().clock_text(host);
    if (options_.format == "json") {
        events_ += "{\"remote\":" + json_string(name);
        if (!clock.empty() && merge_.hosts()[host].ahead) {
            const merge::Ahead &ahead = *merge_.hosts()[host].ahead;
            events_ += ",\"clock_ahead\":[" + std::to_string(ahead.least) + "," + std::to_string(ahead.most) + "]";
        }
        events_.append(",").append(line.substr(1)).append("\n");
        return;
    }
    const auto text = record.find("text");
    if (text == record.end() || !text->is_string()) return;
    events_ += printable(name) + (clock.empty() ? "" : " (" + clock + ")") + ": " +
               printable(trim(text->get_ref<const std::string &>(), "\n")) + "\n";
}

void RemoteMerge::attach(remote::FleetOptions &fleet) {
    fleet.launched = [this](size_t host) { merge_.launched(static_cast<uint32_t>(host), calendar_ns()); };
    fleet.take = [this](size_t host, std::string_view line, std::string &out) {
        events_.clear();
        std::string why = merge_.record(static_cast<uint32_t>(host), line, calendar_ns());
        out += events_;
        return why;
    };
}

int RemoteMerge::write_report(int status) {
    if (options_.format == "json")
        merge::write_records(merge_, status, [](const std::string &line) { std::fputs(line.c_str(), stdout); });
    else
        std::fputs(merge::render_text(merge_, STDOUT_FILENO).c_str(), stdout);
    if (std::fflush(stdout) == 0) return status;
    tell(options_, Voice::Error, std::string("Cannot write the output: ") + std::strerror(errno));
    return 1;
}

// A summary of samples follows the report for people, as on one host.
int RemoteMerge::keep_samples() {
    const bool draws = capture::names_picture(options_.output), keeps = !options_.record.empty();
    const bool sums_up = !draws && !keeps && options_.format != "json";
    if (!merge_.samples().any() || !(draws || keeps || sums_up)) return 0;
    const Descriptor file =
        keeps ? Descriptor(open(options_.record.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666))
              : memory_file("samples", "");
    const std::string what = keeps ? "'" + options_.record + "'" : "of all hosts";
    if (file.get() < 0) {
        tell(options_, Voice::Error, "Cannot write the capture " + what + ": " + std::strerror(errno));
        return 1;
    }
    const Outcome<void> written = merge::write_capture(merge_, command_text("stap", options_.raw), file.get());
    if (!written) {
        tell(options_, Voice::Error, "Cannot write the capture " + what + ": " + written.fault().message());
        return 1;
    }
    if (!draws && !sums_up) return 0;
    std::vector<std::string> arguments = {"-"};
    if (draws)
        arguments.insert(arguments.end(), {"-o", options_.output});
    else
        arguments.emplace_back("--accept-partial");
    add_report_options(options_, arguments);
    if (lseek(file.get(), 0, SEEK_SET) != 0) return 1;
    return run_stap_report(options_, std::move(arguments), file.get());
}

void RemoteMerge::tell_cost() const {
    rusage used = {};
    getrusage(RUSAGE_SELF, &used);
    const auto ms = [](const timeval &time) { return time.tv_sec * 1000 + time.tv_usec / 1000; };
    std::fprintf(stderr, "merged %llu records, %llu bytes; %lld ms of processor time, at most %ld kB\n",
                 static_cast<unsigned long long>(merge_.records()), static_cast<unsigned long long>(merge_.bytes()),
                 static_cast<long long>(ms(used.ru_utime) + ms(used.ru_stime)), used.ru_maxrss);
}

int RemoteMerge::finish(const remote::FleetResult &result) {
    int status = 0;
    for (uint32_t host = 0; host < result.hosts.size(); ++host) {
        merge_.ended(host, result.hosts[host].problem, result.hosts[host].note);
        if (!result.hosts[host].good()) status = 1;
    }
    if (result.output_error) return 1;
    status = write_report(status);
    const int kept = keep_samples();
    if (options_.verbosity[5] > 0) tell_cost();
    return status ? status : kept;
}

}  // namespace tapir::driver
