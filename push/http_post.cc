// SPDX-License-Identifier: GPL-2.0-or-later
#include "push/http_post.h"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "common/files.h"
#include "common/quoting.h"
#include "common/run_program.h"

namespace tapir::push {

namespace {

constexpr size_t kMostBody = 64 << 10, kMostHeaders = 256 << 10;

std::string configuration(const HttpSettings &settings, const std::string &url, const std::string &type,
                          const std::string &answer, const std::string &headers) {
    std::string text = "silent\nshow-error\ngloboff\n";
    const auto add = [&text](const char *option, const std::string &value) {
        text += std::string(option) + " = " + curl_quoted(value);
    };
    add("url", url);
    add("data-binary", "@-");
    add("output", answer);
    add("dump-header", headers);
    add("write-out", "%{http_code}");
    add("connect-timeout", "10");
    add("max-time", std::to_string(settings.limit.count()));
    add("max-filesize", std::to_string(kMostBody));
    add("proto", "=http,https");
    add("user-agent", "tapir");
    add("header", "Content-Type: " + type);
    // Without waiting for "100 Continue".
    add("header", "Expect:");
    for (const std::string &header : settings.headers)
        add("header", header);
    if (!settings.authority.empty()) add("cacert", settings.authority);
    return text;
}

std::string header_of(const std::string &headers, std::string_view name) {
    std::istringstream lines(headers);
    std::string found;
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("HTTP/")) found.clear();
        if (line.find(':') != name.size()) continue;
        const bool same = std::equal(name.begin(), name.end(), line.begin(), [](unsigned char a, unsigned char b) {
            return std::tolower(a) == std::tolower(b);
        });
        if (same) found = trim(std::string_view(line).substr(name.size() + 1));
    }
    return found;
}

uint64_t size_of(const std::string &path) {
    std::error_code error;
    const uint64_t size = std::filesystem::file_size(path, error);
    return error ? 0 : size;
}

}  // namespace

HttpAnswer http_post(const HttpSettings &settings, const std::string &url, const std::string &type,
                     const std::string &body, const GiveUp &give_up) {
    constexpr int kConfiguration = 3;
    const std::string file = settings.directory + "/answer", headers = settings.directory + "/headers";
    unlink(file.c_str());
    unlink(headers.c_str());
    Collected status{64}, errors{4096};
    // -q: a user's .curlrc could say anything. Headers have tokens: no arguments, which are for all to see.
    Program curl{{"curl", "-q", "-K", "/dev/fd/3"}};
    curl.input = Stream::of_text(body);
    curl.further = {{kConfiguration, Stream::of_text(configuration(settings, url, type, file, headers))}};
    curl.output = Stream::collected(status);
    curl.errors = Stream::collected(errors);
    curl.group = ProcessGroup::Own;
    curl.death_signal = SIGKILL;
    RunLimits limits{settings.limit + std::chrono::seconds(2)};
    bool large = false;
    // curl looks only at the announced size.
    limits.give_up = [&] {
        large = size_of(file) > kMostBody || size_of(headers) > kMostHeaders;
        return large || give_up();
    };
    const Outcome<Ending> ended = run_program(curl, limits);
    HttpAnswer answer;
    std::string_view complaint = trim(errors.text);
    complaint = complaint.substr(0, complaint.find('\n'));
    if (complaint.starts_with("curl: (")) complaint.remove_prefix(std::min(complaint.size(), complaint.find(") ") + 2));
    if (large)
        answer.complaint = "the answer is too long";
    else if (!ended)
        answer.complaint = ended.fault().message();
    else if (!ended->good())
        answer.complaint = complaint.empty() ? "curl failed " + ended->words() : printable(complaint);
    else
        answer.status = std::atoi(status.text.c_str());
    if (!answer.status) {
        if (answer.complaint.empty()) answer.complaint = "the answer is not HTTP";
        return answer;
    }
    const std::string head = read_file(headers).value_or("");
    answer.type = header_of(head, "content-type");
    answer.retry_after = header_of(head, "retry-after");
    answer.body = read_file(file).value_or("");
    return answer;
}

}  // namespace tapir::push
