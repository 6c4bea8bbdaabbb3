// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/capture_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>

namespace tapir::report {

namespace {

constexpr uint64_t kSecond = 1'000'000'000;
constexpr char kSuffix[] = ".tapir";

// Each file is open until it is read, because the process that reads may open none.
void allow_many_files() {
    rlimit limit{};
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
    limit.rlim_cur = limit.rlim_max;
    // If that fails, opening tells.
    [[maybe_unused]] const int set = setrlimit(RLIMIT_NOFILE, &limit);
}

Fault unreadable(const std::string &path) {
    return {FaultTag::FileUnreadable, "'" + path + "' cannot be read: " + strerror(errno)};
}

Outcome<std::vector<std::string>> captures_in(const std::string &path) {
    const std::unique_ptr<DIR, int (*)(DIR *)> folder(opendir(path.c_str()), closedir);
    if (!folder) return unreadable(path);
    std::vector<std::string> names;
    while (const dirent *entry = readdir(folder.get())) {
        const std::string name = entry->d_name;
        if (!name.starts_with('.') && name.ends_with(kSuffix)) names.push_back(path + "/" + name);
    }
    std::sort(names.begin(), names.end());
    return names;
}

Fault no_moment(const std::string &text) {
    return {FaultTag::Misuse, "'" + text + "' is no moment",
            "write 15:04, 15:04:05, '2026-11-30 15:04', @SECONDS since 1970, or how long ago: 90s, 10m, 2h, 1d"};
}

// How long ago: "10m"; nothing if it is no such text.
std::optional<double> read_ago(const std::string &text) {
    char *end = nullptr;
    const double number = std::strtod(text.c_str(), &end);
    if (end == text.c_str() || !std::isfinite(number) || number < 0) return std::nullopt;
    constexpr std::pair<const char *, double> kUnits[] = {{"s", 1}, {"m", 60}, {"min", 60}, {"h", 3600}, {"d", 86400}};
    for (const auto &[unit, seconds] : kUnits)
        if (std::strcmp(end, unit) == 0) return number * seconds;
    return std::nullopt;
}

// By the clock on the wall.
std::optional<time_t> read_clock(const std::string &text, time_t now) {
    constexpr const char *kForms[] = {
        "%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M", "%Y-%m-%d", "%H:%M:%S", "%H:%M"};
    for (const char *form : kForms) {
        tm parts{};
        localtime_r(&now, &parts);
        parts.tm_hour = parts.tm_min = parts.tm_sec = 0;
        const char *end = strptime(text.c_str(), form, &parts);
        if (!end || *end) continue;
        parts.tm_isdst = -1;
        time_t at = mktime(&parts);
        if (form[1] == 'H' && at > now) {
            parts.tm_mday--;
            parts.tm_isdst = -1;
            at = mktime(&parts);
        }
        if (at == -1) return std::nullopt;
        return at;
    }
    return std::nullopt;
}

}  // namespace

bool is_folder(const std::string &path) {
    struct stat about = {};
    return stat(path.c_str(), &about) == 0 && S_ISDIR(about.st_mode);
}

Outcome<std::vector<CaptureFile>> open_folder(const std::string &path, const TimeSpan &span) {
    const Outcome<std::vector<std::string>> names = captures_in(path);
    if (!names) return names.fault();
    if (names->empty())
        return Fault{FaultTag::Misuse, "'" + path + "' has no captures (*" + kSuffix + ")",
                     "folders of 'stap watch' have one for each tool"};
    allow_many_files();
    std::vector<CaptureFile> files;
    for (const std::string &name : *names) {
        CaptureFile file{name, Descriptor(open(name.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)), 0, 0};
        // One that became too old meanwhile is gone.
        if (file.file.get() < 0 && (errno == ENOENT || errno == ELOOP)) continue;
        struct stat about = {};
        if (file.file.get() < 0 || fstat(file.file.get(), &about) != 0) return unreadable(name);
        // It was written before the span began.
        if (!S_ISREG(about.st_mode) || static_cast<uint64_t>(about.st_mtim.tv_sec + 1) * kSecond < span.from) continue;
        file.bytes = static_cast<uint64_t>(about.st_size);
        file.written =
            static_cast<uint64_t>(about.st_mtim.tv_sec) * kSecond + static_cast<uint64_t>(about.st_mtim.tv_nsec);
        files.push_back(std::move(file));
    }
    // As sessions ended, so they began.
    std::stable_sort(files.begin(), files.end(),
                     [](const CaptureFile &a, const CaptureFile &b) { return a.written < b.written; });
    return files;
}

Outcome<capture::Capture> read_folder(std::vector<CaptureFile> files, const TimeSpan &span,
                                      std::vector<std::string> &complaints) {
    JoinedCaptures all(span);
    for (CaptureFile &file : files) {
        Outcome<capture::Capture> capture = capture::read_capture(file.file.get());
        file.file = Descriptor();
        if (!capture) {
            complaints.push_back("'" + file.name + "' is left out: " + capture.fault().text);
            continue;
        }
        if (const Outcome<void> added = all.add(std::move(*capture), "'" + file.name + "'"); !added)
            return Fault{added.fault().tag, "'" + file.name + "': " + added.fault().text, added.fault().hint};
    }
    if (!all.count())
        return Fault{FaultTag::Misuse, "no capture is of that time",
                     "without --from and --to, all captures of the folder are taken"};
    return all.take();
}

Outcome<uint64_t> read_moment(const std::string &text, time_t now) {
    if (text.starts_with('@')) {
        char *end = nullptr;
        const double seconds = std::strtod(text.c_str() + 1, &end);
        if (end == text.c_str() + 1 || *end || !(seconds >= 0 && seconds < 1e10)) return no_moment(text);
        return static_cast<uint64_t>(seconds * 1e9);
    }
    if (const std::optional<double> ago = read_ago(text))
        return static_cast<uint64_t>(std::max(0.0, static_cast<double>(now) - *ago) * 1e9);
    const std::optional<time_t> at = read_clock(text, now);
    if (!at || *at < 0) return no_moment(text);
    return static_cast<uint64_t>(*at) * kSecond;
}

}  // namespace tapir::report
