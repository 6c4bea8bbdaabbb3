// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/exchange.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "common/descriptor.h"
#include "common/files.h"
#include "common/process.h"
#include "common/quoting.h"

namespace tapir::client {
namespace {

constexpr int kNotThere = 127;
constexpr int kLongestPause = 8000;  // ms
// curl writes it behind the body, on a line of its own.
constexpr std::string_view kStatusMark = "\nTAPIR-HTTP ";

// In a file, not in arguments: those are for all to see, and there is a token in it.
std::string configuration(const Settings &settings, const std::string &token, const ExchangeOptions &options) {
    std::string text = "silent\nshow-error\nno-buffer\ntlsv1.2\n";
    const auto add = [&text](const char *name, const std::string &value) {
        text += std::string(name) + " = " + curl_quoted(value);
    };
    add("url", settings.url + "/v1/modules");
    add("proto", "=https");
    add("connect-timeout", std::to_string(options.connect_seconds));
    add("max-time", std::to_string(options.total_seconds));
    add("keepalive-time", "20");
    add("header", "Accept: application/x-ndjson");
    add("header", "Content-Type: application/json");
    add("header", "Expect:");
    if (!token.empty()) add("header", "Authorization: Bearer " + token);
    if (!settings.authority.empty()) add("cacert", settings.authority);
    if (!settings.certificate.empty()) add("cert", settings.certificate);
    if (!settings.key.empty()) add("key", settings.key);
    add("data-binary", "@/dev/fd/3");
    add("write-out", std::string(kStatusMark) + "%{http_code}\n");
    return text;
}

// Hands bytes on, but holds back what may be the beginning of the mark, or is behind it.
class MarkFinder {
  public:
    explicit MarkFinder(AnswerReader &reader) : reader_(reader) {}

    void take(std::string_view bytes) {
        held_ += bytes;
        const size_t mark = held_.find(kStatusMark);
        const size_t safe =
            mark != std::string::npos ? mark : held_.size() - std::min(held_.size(), kStatusMark.size() + 8);
        if (safe == 0) return;
        reader_.take(std::string_view(held_).substr(0, safe));
        held_.erase(0, safe);
    }
    // The status of HTTP, 0 if there was none.
    int finish() {
        const size_t mark = held_.find(kStatusMark);
        reader_.take(std::string_view(held_).substr(0, mark));
        return mark == std::string::npos ? 0 : std::atoi(held_.c_str() + mark + kStatusMark.size());
    }

  private:
    AnswerReader &reader_;
    std::string held_;
};

struct Attempt {
    int status = -1;        // curl's exit status; 128 + N for a signal
    int http = 0;           // 0: no answer
    std::string complaint;  // curl's
    Answer answer;
};

Attempt failed(int status, const std::string &text) {
    Attempt attempt;
    attempt.status = status;
    attempt.complaint = text;
    return attempt;
}

Attempt attempt_once(const std::string &settings, const std::string &body, const ExchangeOptions &options) {
    const Descriptor errors = memory_file("curl-errors", "");
    // -q: a user's .curlrc could say anything, also to trust anybody.
    Program program{{options.curl, "-q", "-K", "-"}};
    program.input = Stream::of_text(settings);
    program.output = Stream::pipe();
    program.errors = Stream::descriptor(errors.get());
    program.further = {{3, Stream::of_text(body)}};
    Process curl;
    if (!curl.start(program)) return failed(kNotThere, std::strerror(errno));

    AnswerReader reader(options.note);
    MarkFinder finder(reader);
    std::string some;
    while (curl.output_descriptor() >= 0) {
        pollfd ready = {curl.output_descriptor(), POLLIN, 0};
        poll(&ready, 1, -1);
        for (; curl.read_output(some); some.clear())
            finder.take(some);
    }
    Attempt attempt;
    attempt.http = finder.finish();
    attempt.answer = reader.finish();
    curl.wait();
    attempt.status = curl.ending().code();
    lseek(errors.get(), 0, SEEK_SET);
    read_descriptor(errors.get(), SIZE_MAX, attempt.complaint);
    std::string_view complaint = trim(attempt.complaint);
    complaint = complaint.substr(0, complaint.find('\n'));
    if (complaint.starts_with("curl: (")) complaint.remove_prefix(std::min(complaint.size(), complaint.find(") ") + 2));
    attempt.complaint = printable(complaint);
    return attempt;
}

// TLS: the server's certificate or host name, or a certificate of ours that it does not take or we cannot read. A
// handshake that fails otherwise was cut off: a server that is killed has no time for an alert.
constexpr int kHandshake = 35;
bool is_distrust(const Attempt &attempt) {
    constexpr int kDistrust[] = {51, 53, 54, 58, 59, 60, 66, 77, 80, 83, 90, 91};
    if (attempt.status == kHandshake)
        return attempt.complaint.find("certificate") != std::string::npos ||
               attempt.complaint.find("alert") != std::string::npos;
    return std::find(std::begin(kDistrust), std::end(kDistrust), attempt.status) != std::end(kDistrust);
}

// Failures of curl(1) that asking again may change: the server is being started, the network was cut.
bool may_pass(const Attempt &attempt) {
    constexpr int kPassing[] = {5, 6, 7, 16, 18, 28, 52, 55, 56, 92};
    return std::find(std::begin(kPassing), std::end(kPassing), attempt.status) != std::end(kPassing) ||
           (attempt.status == kHandshake && !is_distrust(attempt));
}

Answer refused(const char *tag, const std::string &text) {
    Answer answer;
    answer.kind = Answer::Kind::Refused;
    answer.tag = tag;
    answer.text = text;
    return answer;
}

// Explains an attempt without an answer of the server.
Answer explain(const Attempt &attempt, const ExchangeOptions &options) {
    if (attempt.status == kNotThere)
        return refused("no-curl", "cannot start '" + options.curl +
                                      "', which talks to build servers: " + attempt.complaint + "; install curl");
    if (is_distrust(attempt)) return refused("untrusted", attempt.complaint);
    if (attempt.http >= 400)
        return refused("unreachable",
                       "what answers there is no build server, it says HTTP status " + std::to_string(attempt.http));
    if (attempt.status == 0)
        return refused("unreachable", attempt.answer.kind == Answer::Kind::Garbled
                                          ? "its answer cannot be used: " + attempt.answer.text
                                          : "its answer ended before there was a result");
    return refused("unreachable", attempt.complaint.empty() ? "curl ended with status " + std::to_string(attempt.status)
                                                            : attempt.complaint);
}

// Refusals that say to come back.
bool is_passing_refusal(const std::string &tag) {
    constexpr std::string_view kPassing[] = {"queue-full", "stopping", "cancelled", "busy", "kernel-preparing"};
    return std::find(std::begin(kPassing), std::end(kPassing), tag) != std::end(kPassing);
}

bool is_over(const Attempt &attempt) {
    switch (attempt.answer.kind) {
        case Answer::Kind::Module:
        case Answer::Kind::Text:
            return true;
        case Answer::Kind::Refused:
            return !is_passing_refusal(attempt.answer.tag);
        case Answer::Kind::Garbled:
            // A load balancer's own page.
            return attempt.http < 502 || attempt.http > 504;
        case Answer::Kind::None:
            break;
    }
    return attempt.status != 0 && !may_pass(attempt);
}

}  // namespace

Answer ask(const Settings &settings, const std::string &body, const ExchangeOptions &options) {
    const Outcome<std::string> token = settings.token_file.empty() ? std::string() : read_token(settings.token_file);
    if (!token) return refused("untrusted", token.fault().message());
    const std::string text = configuration(settings, *token, options);
    int pause = options.pause_ms;
    for (int number = 1;; ++number) {
        Attempt attempt = attempt_once(text, body, options);
        const bool over = is_over(attempt) || number >= options.attempts;
        const bool answered = attempt.answer.kind != Answer::Kind::None && attempt.answer.kind != Answer::Kind::Garbled;
        Answer answer = answered ? std::move(attempt.answer) : explain(attempt, options);
        if (over) return answer;
        if (options.retry) options.retry(answer.text);
        usleep(static_cast<useconds_t>(pause) * 1000);
        pause = std::min(pause * 2, kLongestPause);
    }
}

}  // namespace tapir::client
