// SPDX-License-Identifier: GPL-2.0-or-later
#include "push/profiles.h"

#include <fcntl.h>

#include <cctype>
#include <cerrno>
#include <cstring>

#include "capture/capture_reader.h"
#include "common/descriptor.h"
#include "common/find_program.h"
#include "common/quoting.h"
#include "common/run_program.h"
#include "push/push_items.h"

namespace tapir::push {

namespace {

constexpr uint64_t kSecond = 1'000'000'000;
constexpr int kPoor = 3;  // stap-report has made a profile of which a part is missing

}  // namespace

std::string script_name(const std::string &script) {
    constexpr size_t kLongest = 60;
    std::string name = script.substr(script.rfind('/') + 1);
    name.resize(std::min(name.find('.'), name.size()));
    for (const char c : name)
        if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_' && c != '-') return "script";
    return name.empty() || name == "-" || name.size() > kLongest ? "script" : name;
}

Outcome<void> push_capture(Outbox &outbox, const std::string &capture, const std::string &script) {
    const Descriptor file(open(capture.c_str(), O_RDONLY | O_CLOEXEC));
    if (file.get() < 0)
        return Fault{FaultTag::FileUnreadable, "cannot read '" + capture + "': " + std::strerror(errno)};
    const Outcome<capture::Capture> read = capture::read_capture(file.get());
    if (!read) return read.fault();
    if (read->samples.empty())
        return Fault{FaultTag::CaptureUnusable,
                     "the script has taken no samples (@sample): there is no profile to push"};
    const std::string beside = program_beside("stap-report");
    Collected profile, errors{4096};
    Program report{{beside.empty() ? "stap-report" : beside, "--format=pprof", capture}};
    report.output = Stream::collected(profile);
    report.errors = Stream::collected(errors);
    const Outcome<Ending> ended = run_program(report);
    if (!ended) return ended.fault();
    if (profile.text.empty() || (!ended->good() && ended->code() != kPoor))
        return Fault{FaultTag::CaptureUnusable,
                     "stap-report makes no profile: " + printable(first_line(std::string(trim(errors.text))))};
    const capture::Meta &meta = read->meta;
    const uint64_t from = meta.started / kSecond;
    // Pyroscope wants a span that is not empty.
    const ProfileSpan span{script.empty() ? script_name(meta.script) : script, from,
                           std::max(from + 1, (meta.started + meta.duration + kSecond - 1) / kSecond)};
    outbox.put(profile_item(outbox.destination(), span, meta.host, profile.text));
    return {};
}

}  // namespace tapir::push
