// SPDX-License-Identifier: GPL-2.0-or-later
// The server's answers, independent of the network: the client's identity, its rights, and the work.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "server/audit_log.h"
#include "server/compile.h"
#include "server/policy.h"

namespace tapir::server {

// The head of a request.
struct Head {
    std::string method, target;  // "POST", "/v1/modules"
    std::string authorization, accept;
    std::string peer;                // address
    Identity certificate;            // of the connection, if it is good
    Outcome<void> certificate_good;  // of one that was shown, else Unauthenticated
    std::optional<uint64_t> length;  // of the body, if it is known
};

enum class Form : uint8_t { Object, Events, Bytes };

struct Answer {
    int status = 200;
    std::string type = "application/json";
    std::string body;
    std::vector<std::pair<std::string, std::string>> headers;
    // Not done yet: news() of the job are to be sent if the form is Events; when it has ended, finish() tells the rest.
    std::shared_ptr<Job> job;
    Form form = Form::Object;
    bool adds_kernel = false;  // the job does not compile
    std::string kernel = {};   // release that the job is for
    // The body, which is too big for memory, and its size.
    std::shared_ptr<const Descriptor> file = {};
    uint64_t file_bytes = 0;
};

struct Client {
    Identity identity;
    Rights rights;
    std::string peer;
};

// The decision by the head alone, before the body is read.
struct Entry {
    std::optional<Answer> refusal;
    Client client;
    uint64_t body_limit = 0;
    bool to_file = false;  // the body is too big for memory: answer() takes the path of a file
};

// Everything that can change while the server runs.
struct Access {
    trust::Tokens tokens;
    Policy policy;
    Authorities authorities;
};

struct ServiceSettings {
    uint64_t body_bytes = 4ull << 20;
    uint64_t upload_bytes = 1ull << 30;
    std::string debug_directory;                  // of debug files
    uint64_t debug_file_bytes = 4ull << 30;       // of each
    uint64_t debug_minute_bytes = 8ull << 30;     // of a client in a minute
    uint64_t debug_minute_requests = 600;         // the same
    std::shared_ptr<const trust::Signer> signer;  // Tapir's signature
    trust::Audience audience = trust::Audience::System;
    int64_t signature_days = 30;
    std::shared_ptr<const AuditLog> audit_log;  // beside the system's log; may be nullptr
};

class DebugAnswers;

class Service {
  public:
    // `jobs` compile, `preparations` make kernels ready, which takes long.
    Service(ServiceSettings settings, Kernels &kernels, Compiler &compiler, Results &results, Jobs &jobs,
            Jobs &preparations);

    void set_access(std::shared_ptr<const Access> access);
    std::shared_ptr<const Access> access() const;

    Entry enter(const Head &head);
    // `body`: the body, or the path of the file that has it.
    Answer answer(const Head &head, const Client &client, const std::string &body);
    // Returns the answer to a job that has ended.
    Answer finish(const Head &head, const Client &client, const Answer &begun);
    // For what the network finds wrong (TooLarge, TooSlow, BadRequest); audited like every refusal.
    Answer refuse(const Head &head, const Client &client, const Fault &fault);
    // No new compilations; those that run go on.
    void stop();
    // Those that run are cancelled.
    void abandon() { abandoned_ = true; }

    std::atomic<int64_t> connections = 0;
    std::atomic<uint64_t> connections_refused = 0;

  private:
    Answer post_module(const Head &head, const Client &client, const std::string &body);
    Answer get_module(const Head &head, const Client &client);
    Answer put_kernel(const Head &head, const Client &client, const std::string &file);
    Answer get_debug_file(const Head &head, const Client &client);
    Answer get_kernels() const;
    Answer get_metrics() const;
    Answer present(const Head &head, const Result &result, Form form, const Client &client, bool cached);
    // "" if the server makes none; else ResultNotSigned.
    Outcome<std::string> sign(const Result &result, const Client &client) const;
    Outcome<void> may_have(const Client &client, bool guru, const std::vector<std::string> &sets) const;
    void audit(const char *event, const char *decision, const Head &head, const Client &client, const Result *result,
               const Fault *fault, const std::string &kernel = {}) const;
    void count(int status);

    ServiceSettings settings_;
    Kernels &kernels_;
    Compiler &compiler_;
    Results &results_;
    Jobs &jobs_, &preparations_;
    const std::shared_ptr<DebugAnswers> debug_answers_;
    mutable std::mutex mutex_;
    std::shared_ptr<const Access> access_;
    std::atomic<bool> stopping_ = false, abandoned_ = false;
    std::array<std::atomic<uint64_t>, 6> statuses_ = {};  // by hundreds
    std::atomic<uint64_t> compiled_ = 0, failed_ = 0, found_ = 0, compile_ms_ = 0;
};

extern const char kOpenApi[];

}  // namespace tapir::server
