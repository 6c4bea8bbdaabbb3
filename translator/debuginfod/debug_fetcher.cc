// SPDX-License-Identifier: GPL-2.0-or-later
#include "debuginfod/debug_fetcher.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <sstream>
#include <string_view>

#include "common/activity.h"
#include "common/descriptor.h"
#include "common/files.h"
#include "common/hash.h"
#include "common/quoting.h"
#include "common/run_program.h"
#include "common/size_text.h"

namespace tapir::debuginfod {

namespace {

constexpr unsigned kConnect = 10;             // seconds
constexpr unsigned kStallBytes = 100 * 1024;  // within DebugServers::stall_s
constexpr int kNotFound = 404, kNotAcceptable = 406, kUnauthorized = 401, kForbidden = 403, kTooMany = 429;
constexpr int kFirstFailure = 400;
constexpr uint64_t kWorthTelling = 10'000'000;
// Statuses of curl(1).
constexpr int kTooLarge = 63, kTooLate = 28;

uint64_t bytes_of_file(const std::string &path) {
    struct stat about = {};
    return stat(path.c_str(), &about) == 0 && S_ISREG(about.st_mode) ? static_cast<uint64_t>(about.st_size) : 0;
}

// The value of a header in the last answer of curl's dump; "" if there is none.
std::string header_of(const std::string &headers, std::string_view name) {
    std::istringstream lines(headers);
    std::string found;
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("HTTP/")) found.clear();
        const size_t colon = line.find(':');
        if (colon != name.size()) continue;
        const bool same = std::equal(name.begin(), name.end(), line.begin(), [](unsigned char a, unsigned char b) {
            return std::tolower(a) == std::tolower(b);
        });
        if (same) found = trim(std::string_view(line).substr(colon + 1));
    }
    return found;
}

// "headers": a file of them. 0 = the server did not tell.
uint64_t announced_size(const std::string &file) {
    const std::string headers = read_file(file).value_or("");
    std::string size = header_of(headers, "content-length");
    if (size.empty()) size = header_of(headers, "x-debuginfod-size");
    return std::strtoull(size.c_str(), nullptr, 10);
}

}  // namespace

// One question to one server.
struct DebugFetcher::Attempt {
    std::string file, headers;   // names of files in a directory of its own
    int status = 0;              // curl's exit status
    int http = 0;                // 0: no answer
    std::string complaint = {};  // curl's
    bool late = false, large = false;
};

DebugFetcher::DebugFetcher(DebugServers servers, Tell tell)
    : servers_(std::move(servers)), tell_(std::move(tell)), cache_(servers_.cache) {}

// Interactive sessions last for days: only the time counts in which servers are asked.
unsigned DebugFetcher::seconds_left() const {
    const std::chrono::steady_clock::duration whole = std::chrono::seconds(servers_.deadline_s);
    if (asked_ >= whole) return 0;
    return static_cast<unsigned>(std::chrono::ceil<std::chrono::seconds>(whole - asked_).count());
}

// In a file, not in arguments: those are for all to see, and there may be a token in it.
std::string DebugFetcher::configuration(const std::string &url, const std::string &name, const std::string &directory,
                                        unsigned seconds, uint64_t most_bytes) const {
    std::string text = "silent\nshow-error\nfail\ngloboff\n";
    const auto add = [&text](const char *option, const std::string &value) {
        text += std::string(option) + " = " + curl_quoted(value);
    };
    add("url", url + name);
    add("output", directory + "/file");
    add("dump-header", directory + "/headers");
    add("write-out", "%{http_code}");
    add("connect-timeout", std::to_string(std::min(kConnect, seconds)));
    add("max-time", std::to_string(seconds));
    add("speed-time", std::to_string(std::min(servers_.stall_s, seconds)));
    add("speed-limit", std::to_string(std::max(1u, kStallBytes / servers_.stall_s)));
    add("max-filesize", std::to_string(most_bytes));
    add("user-agent", "tapir");
    if (const client::Settings &known = servers_.known; !known.url.empty() && known.url == url) {
        // No other server gets the credentials: no redirections.
        text += "tlsv1.2\n";
        add("proto", "=https");
        if (!token_.empty()) add("header", "Authorization: Bearer " + token_);
        if (!known.authority.empty()) add("cacert", known.authority);
        if (!known.certificate.empty()) add("cert", known.certificate);
        if (!known.key.empty()) add("key", known.key);
    } else {
        text += "location\n";
        add("max-redirs", "5");
        add("proto", url.starts_with("https:") ? "=https" : "=http,https");
        add("proto-redir", url.starts_with("https:") ? "=https" : "=http,https");
    }
    return text;
}

// Files that take a while, once the server has announced their size.
void DebugFetcher::tell_size(const Attempt &attempt, const std::string &url, const std::string &name) const {
    const uint64_t bytes = announced_size(attempt.headers);
    if (bytes >= kWorthTelling)
        tell_("fetching " + name.substr(1) + ", " + size_text(bytes) + ", from " + printable(url));
}

DebugFetcher::Attempt DebugFetcher::ask(const std::string &url, const std::string &name, const std::string &directory,
                                        uint64_t most_bytes) {
    const unsigned seconds = seconds_left();
    Attempt attempt{directory + "/file", directory + "/headers"};
    attempt.late = seconds == 0;
    if (url == servers_.known.url && !servers_.known.token_file.empty() && token_.empty()) {
        const Outcome<std::string> token = client::read_token(servers_.known.token_file);
        if (token)
            token_ = *token;
        else
            attempt.complaint = token.fault().message();
    }
    if (attempt.late || !attempt.complaint.empty()) {
        attempt.status = -1;
        return attempt;
    }
    Collected status{64}, errors{4096};
    // -q: a user's .curlrc could say anything, also to trust anybody.
    Program curl{{"curl", "-q", "-K", "-"}};
    curl.input = Stream::of_text(configuration(url, name, directory, seconds, most_bytes));
    curl.output = Stream::collected(status);
    curl.errors = Stream::collected(errors);
    const Activity activity("fetching " + name.substr(1) + " from " + printable(url), [&attempt] {
        const std::string headers = read_file(attempt.headers).value_or("");
        const uint64_t whole = std::strtoull(header_of(headers, "content-length").c_str(), nullptr, 10);
        return Extent{bytes_of_file(attempt.file), whole, true};
    });
    RunLimits limits{std::chrono::seconds(seconds + 2)};
    bool told = !tell_;
    limits.give_up = [&] {
        if (!std::exchange(told, told || bytes_of_file(attempt.file) > 0)) tell_size(attempt, url, name);
        // curl looks only at the announced size.
        return attempt.large = bytes_of_file(attempt.file) > most_bytes;
    };
    const auto start = std::chrono::steady_clock::now();
    const Outcome<Ending> ended = run_program(curl, limits);
    asked_ += std::chrono::steady_clock::now() - start;
    attempt.status = ended ? ended->code() : -1;
    attempt.http = std::atoi(status.text.c_str());
    attempt.large |= ended && ended->code() == kTooLarge;
    attempt.late = (!ended && ended.fault().tag == FaultTag::ProgramTimeLimit) || (ended && ended->code() == kTooLate);
    std::string_view complaint = trim(errors.text);
    complaint = complaint.substr(0, complaint.find('\n'));
    if (complaint.starts_with("curl: (")) complaint.remove_prefix(std::min(complaint.size(), complaint.find(") ") + 2));
    attempt.complaint = ended ? printable(complaint) : ended.fault().message();
    return attempt;
}

Outcome<void> DebugFetcher::check_signature(const Attempt &attempt, FileKind kind, const std::string &build_id) {
    if (!signers_loaded_) signers_loaded_ = signers_.load(servers_.known.signers);
    if (!*signers_loaded_) return signers_loaded_->fault();
    const std::string signature = header_of(read_file(attempt.headers).value_or(""), "x-tapir-signature");
    return signers_.check(signature, attempt.file, kind, build_id);
}

// Nothing if the file is what was asked for. DebugFileMissing: the server has none.
std::optional<Fault> DebugFetcher::judge(const Attempt &attempt, const std::string &url, FileKind kind,
                                         const std::string &build_id) {
    const auto failed = [&url](const std::string &why) {
        return Fault{FaultTag::DebugFileNotFetched, printable(url) + ": " + why};
    };
    if (attempt.large)
        return failed("the file has more than " + size_text(servers_.most_bytes) + " (DEBUGINFOD_MAXSIZE)");
    if (attempt.http == kNotFound || attempt.http == kNotAcceptable)
        return Fault{FaultTag::DebugFileMissing, "no debug information of build-id " + build_id + " there"};
    if (attempt.late)
        return failed(seconds_left() == 0
                          ? "not fetched within " + std::to_string(servers_.deadline_s) + " s (DEBUGINFOD_MAXTIME)"
                          : "it does not answer in time");
    if (attempt.http == kUnauthorized || attempt.http == kForbidden)
        return failed("it refuses this client, with HTTP status " + std::to_string(attempt.http));
    if (attempt.http >= kFirstFailure) return failed("it fails, with HTTP status " + std::to_string(attempt.http));
    if (attempt.status != 0) return failed(attempt.complaint.empty() ? "curl failed" : attempt.complaint);
    const std::string digest = header_of(read_file(attempt.headers).value_or(""), "x-tapir-sha256");
    if (!digest.empty()) {
        const Descriptor file(open(attempt.file.c_str(), O_RDONLY | O_CLOEXEC));
        if (file.get() < 0 || sha256_of_file(file.get()) != digest)
            return failed("the file is damaged: its SHA-256 is another");
    }
    if (debug_id_of(attempt.file) != build_id) return failed("what it sent is not an ELF file of build-id " + build_id);
    // Only a server that has a certificate signs.
    if (url == servers_.known.url)
        if (const Outcome<void> good = check_signature(attempt, kind, build_id); !good)
            return failed(good.fault().message());
    return std::nullopt;
}

Outcome<std::string> DebugFetcher::fetch(FileKind kind, const std::string &build_id) {
    const Outcome<std::string> made = make_directory(cache_.directory(), ".fetching-");
    if (!made) return Fault{FaultTag::DebugFileNotFetched, made.fault().message()};
    const TemporaryDirectory directory(*made);
    const std::string name = "/buildid/" + build_id + "/" + std::string(word_of(kind));
    std::optional<Fault> problem;
    for (const std::string &url : servers_.urls) {
        if (given_up_.contains(url)) {
            if (!problem) problem = failure_;
            continue;
        }
        if (servers_.progress && tell_) tell_("asking " + url + " for " + name.substr(1));
        const Attempt attempt = ask(url, name, directory.path(), servers_.most_bytes);
        std::optional<Fault> wrong = judge(attempt, url, kind, build_id);
        if (!wrong) {
            if (servers_.progress && tell_)
                tell_("fetched " + name.substr(1) + ", " + size_text(bytes_of_file(attempt.file)));
            Outcome<std::string> kept = cache_.keep(kind, build_id, attempt.file);
            if (!kept) return Fault{FaultTag::DebugFileNotFetched, kept.fault().message()};
            if (!std::exchange(swept_, true)) cache_.sweep();
            return kept;
        }
        if (wrong->tag == FaultTag::DebugFileMissing) continue;
        give_up(url, attempt, *wrong);
        problem = std::move(wrong);
    }
    if (problem) return *problem;
    cache_.note_missing(kind, build_id);
    return Fault{FaultTag::DebugFileMissing, "no server has a file of build-id " + build_id};
}

void DebugFetcher::give_up(const std::string &url, const Attempt &attempt, const Fault &why) {
    // A file that is too large, or one too many, says nothing about others later.
    if (!attempt.large && attempt.http != kTooMany) given_up_.insert(url);
    if (!failure_) failure_ = why;
}

Outcome<DebugOffer> DebugFetcher::offer(FileKind kind, const std::string &build_id) {
    const Fault missing = {FaultTag::DebugFileMissing, "no server has a file of build-id " + build_id};
    if (!is_debug_id(build_id) || cache_.is_known_missing(kind, build_id)) return missing;
    const Outcome<std::string> made = make_directory(cache_.directory(), ".fetching-");
    if (!made) return Fault{FaultTag::DebugFileNotFetched, made.fault().message()};
    const TemporaryDirectory directory(*made);
    const std::string name = "/buildid/" + build_id + "/" + std::string(word_of(kind));
    for (const std::string &url : servers_.urls) {
        if (given_up_.contains(url)) continue;
        // It ends where the size is announced, or the file begins.
        Attempt attempt = ask(url, name, directory.path(), 1);
        if (attempt.large) return DebugOffer{url, announced_size(attempt.headers)};
        const std::optional<Fault> wrong = judge(attempt, url, kind, build_id);
        if (wrong && wrong->tag != FaultTag::DebugFileMissing) give_up(url, attempt, *wrong);
    }
    if (failure_) return *failure_;
    cache_.note_missing(kind, build_id);
    return missing;
}

Outcome<std::string> DebugFetcher::find(FileKind kind, const std::string &build_id) {
    if (!is_debug_id(build_id))
        return Fault{FaultTag::DebugFileMissing, "'" + printable(build_id) + "' is no build-id"};
    if (std::optional<std::string> there = cache_.find(kind, build_id)) return std::move(*there);
    if (!asks()) return Fault{FaultTag::DebugFileMissing, "no server is asked for build-ids"};
    if (cache_.is_known_missing(kind, build_id))
        return Fault{FaultTag::DebugFileMissing, "no server had a file of build-id " + build_id + " a while ago"};
    const std::pair key(kind, build_id);
    if (const auto known = failed_.find(key); known != failed_.end()) return known->second;
    Outcome<std::string> fetched = fetch(kind, build_id);
    if (!fetched) failed_.emplace(key, fetched.fault());
    return fetched;
}

}  // namespace tapir::debuginfod
