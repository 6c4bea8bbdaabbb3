// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/origin.h"

#include <algorithm>
#include <chrono>

#include "common/plain_text.h"
#include "report/idle_waits.h"
#include "report/markup.h"
#include "report/no_samples.h"
#include "report/units.h"

namespace tapir::report {

namespace {

constexpr size_t kProgramColumns = 40;
// Samples are called waits if waits have this share of the value, and not if more is, for example, time on a processor.
constexpr double kOnlyWaits = 0.95;
constexpr int64_t kMostZone = 24 * 3600;

bool is_told_by_threads(const Profile &profile) {
    return profile.threads.size() > 1 || profile.threads[0].tid;
}

bool is_waits(const Picture &picture, const Profile &profile) {
    return units_of(profile).measure == Measure::Time && is_of_waits(profile, picture.frames, kOnlyWaits);
}

// "703 waits, 7.65 s"
std::string taken_text(const Profile &profile, bool waits) {
    const Units units = units_of(profile);
    std::string out = waits ? counted(profile.count, "wait", "waits") : counted(profile.count, "sample", "samples");
    if (units.measure == Measure::Samples) {
        out += ", " + units.text(profile.total) + " of processor time";
    } else if (profile.unit != "samples") {
        out += ", " + units.text(profile.total);
    }
    return out;
}

std::string amount_of(const Picture &picture, const Profile &profile) {
    const bool waits = is_waits(picture, profile);
    const std::string out = taken_text(profile, waits);
    if (waits && is_told_by_threads(profile))
        return out + " in " + counted(profile.threads.size(), "thread", "threads");
    if (!profile.meta.duration) return out;
    const Units units = units_of(profile);
    const auto duration = static_cast<double>(profile.meta.duration);
    // Threads wait at the same time.
    const bool several = units.measure == Measure::Time && static_cast<double>(profile.total) * units.scale > duration;
    return out + (several ? " over all threads, in " : " in ") + time_text(duration);
}

std::string program_of(const Profile &profile) {
    if (!profile.meta.program.empty()) return base_name(clean(profile.meta.program));
    if (profile.meta.pid) return "process " + std::to_string(profile.meta.pid);
    // A target that only a shell can start has no file of its own.
    if (!profile.meta.target.empty()) return fitted(clean(profile.meta.target), kProgramColumns);
    // Captures of older programs do not tell.
    return profile.meta.command.empty() ? "" : "whole machine";
}

PictureOrigin origin_of(const Picture &picture, const Profile &profile) {
    PictureOrigin out;
    out.program = program_of(profile);
    out.kind = profile.title;
    out.total = units_of(profile).text(profile.total);
    if (!profile.rows.empty()) out.amount = amount_of(picture, profile);
    out.command = clean(profile.meta.command);
    out.target = clean(profile.meta.target);
    out.host = clean(profile.meta.host);
    if (!profile.meta.kernel.empty()) out.kernel = "Linux " + clean(profile.meta.kernel);
    if (profile.meta.cpus) out.cpus = counted(profile.meta.cpus, "CPU", "CPUs");
    if (profile.meta.hz) out.cpus += (out.cpus.empty() ? "" : ", ") + count_text(profile.meta.hz) + " Hz";
    out.date = date_text(profile.meta.started, profile.meta.zone);
    return out;
}

}  // namespace

PictureOrigin origin_of(const Picture &picture) {
    PictureOrigin out = origin_of(picture, picture.profile);
    if (!picture.before) return out;
    if (out.amount.empty()) out.amount = "no samples";
    out.amount += ", before " + units_of(*picture.before).text(picture.before->total);
    return out;
}

PictureOrigin origin_before(const Picture &picture) {
    return origin_of(picture, *picture.before);
}

std::string taken_text(const Picture &picture) {
    return taken_text(picture.profile, is_waits(picture, picture.profile));
}

std::string heading_of(const PictureOrigin &origin) {
    return origin.program.empty() ? origin.kind : origin.program + ": " + origin.kind;
}

std::string origin_line(const PictureOrigin &origin) {
    std::string out;
    for (const std::string *part : {&origin.command, &origin.host, &origin.kernel, &origin.cpus, &origin.date})
        if (!part->empty()) out += (out.empty() ? "" : " · ") + *part;
    return out;
}

std::vector<std::string> origin_lines(const Picture &picture) {
    const PictureOrigin origin = origin_of(picture);
    std::vector<std::string> out = {heading_of(origin) + (origin.amount.empty() ? "" : ", " + origin.amount)};
    if (const std::string line = origin_line(origin); !line.empty()) out.push_back("of: " + line);
    if (!origin.target.empty()) out.push_back("target: " + origin.target);
    if (picture.before) {
        const PictureOrigin before = origin_before(picture);
        const std::string line = origin_line(before);
        out.push_back("before: " + before.total + (line.empty() ? "" : ", of: " + line));
    }
    if (const std::string why = no_samples_text(picture.profile); !why.empty()) out.push_back(why);
    for (std::string &line : out)
        if (line.back() >= '0' && line.back() <= '9') line += ".";
    return out;
}

std::string date_text(uint64_t nanoseconds, int64_t zone) {
    static constexpr const char *kMonths[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                              "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    if (!nanoseconds) return "";
    // No place is a day away from UTC.
    if (zone <= -kMostZone || zone >= kMostZone) zone = 0;
    const int64_t minute = (static_cast<int64_t>(nanoseconds / 1'000'000'000) + zone) / 60;
    // gmtime() would read the time zone's file, which the confinement does not allow.
    const std::chrono::year_month_day day{std::chrono::sys_days{std::chrono::days{minute / (24 * 60)}}};
    if (minute < 0 || day.year() > std::chrono::year{9999}) return "";
    std::string out = format("%u %s %d, %02d:%02d ", static_cast<unsigned>(day.day()),
                             kMonths[static_cast<unsigned>(day.month()) - 1], static_cast<int>(day.year()),
                             static_cast<int>(minute / 60 % 24), static_cast<int>(minute % 60));
    const int64_t minutes = std::abs(zone) / 60;
    return out + (zone ? format("%c%02d:%02d", zone < 0 ? '-' : '+', static_cast<int>(minutes / 60),
                                static_cast<int>(minutes % 60))
                       : "UTC");
}

}  // namespace tapir::report
