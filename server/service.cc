// SPDX-License-Identifier: GPL-2.0-or-later
#include "server/service.h"

#include <syslog.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <nlohmann/json.hpp>

#include "common/audit_field.h"
#include "common/base64.h"
#include "server/debug_answers.h"
#include "server/lock.h"
#include "server/metric_text.h"
#include "server/signing.h"

namespace tapir::server {
namespace {

using Json = nlohmann::json;

constexpr char kModules[] = "/v1/modules";
constexpr char kKernels[] = "/v1/kernels";

std::string text_of(const Json &json) {
    return json.dump(-1, ' ', true, Json::error_handler_t::replace) + "\n";
}

// A fault of another list is one within the server.
int status_of(FaultTag tag) {
    switch (tag) {
#define TAPIR_TAG(name, word, status) \
    case FaultTag::name:              \
        return status;
#include "common/tags/server.def"
#undef TAPIR_TAG
        default:
            return 500;
    }
}

Answer refusal(const Fault &fault, const std::string &messages = {}) {
    Answer answer;
    answer.status = status_of(fault.tag);
    Json json = {{"result", "refused"}, {"error", {{"tag", tag_word(fault.tag)}, {"text", fault.message()}}}};
    if (!messages.empty()) json["messages"] = messages;
    answer.body = text_of(json);
    if (answer.status == 401) answer.headers.emplace_back("WWW-Authenticate", "Bearer realm=\"tapir\"");
    if (answer.status == 503) answer.headers.emplace_back("Retry-After", "2");
    if (answer.status == 429) answer.headers.emplace_back("Retry-After", "60");
    return answer;
}

Form form_of(const std::string &accept) {
    if (accept.find("application/x-ndjson") != std::string::npos) return Form::Events;
    return accept.find("application/octet-stream") != std::string::npos ? Form::Bytes : Form::Object;
}

// The rest of a path that begins with a collection's name and "/"; "" if it does not.
std::string item_of(const std::string &target, std::string_view collection) {
    if (target.size() <= collection.size() + 1 || !target.starts_with(collection) || target[collection.size()] != '/')
        return {};
    return target.substr(collection.size() + 1);
}

Json describe(const KernelEntry &kernel) {
    return {{"release", kernel.release},   {"architecture", kernel.architecture},
            {"vermagic", kernel.vermagic}, {"build_id", kernel.build_id},
            {"build", kernel.build},       {"prepared", kernel.prepared}};
}

}  // namespace

Service::Service(ServiceSettings settings, Kernels &kernels, Compiler &compiler, Results &results, Jobs &jobs,
                 Jobs &preparations)
    : settings_(std::move(settings)),
      kernels_(kernels),
      compiler_(compiler),
      results_(results),
      jobs_(jobs),
      preparations_(preparations),
      debug_answers_(std::make_shared<DebugAnswers>(settings_)),
      access_(std::make_shared<Access>()) {}

void Service::set_access(std::shared_ptr<const Access> access) {
    const std::lock_guard lock(mutex_);
    access_ = std::move(access);
}

std::shared_ptr<const Access> Service::access() const {
    const std::lock_guard lock(mutex_);
    return access_;
}

void Service::stop() {
    stopping_ = true;
    jobs_.stop();
    preparations_.stop();
}

void Service::count(int status) {
    ++statuses_[static_cast<size_t>(std::clamp(status / 100, 0, 5))];
}

void Service::audit(const char *event, const char *decision, const Head &head, const Client &client,
                    const Result *result, const Fault *fault, const std::string &kernel) const {
    std::string line = std::string("event=") + event + " decision=" + decision;
    const auto field = [&line](const char *name, const std::string &value) { add_audit_field(line, name, value); };
    field("client", client.identity.text());
    field("fingerprint", client.identity.fingerprint);
    field("peer", client.peer);
    field("method", head.method);
    field("target", head.target);
    if (result) {
        field("module", result->name);
        field("sha256", result->sha256);
        field("kernel", result->release);
        field("key", result->key);
        field("uses", result->guru ? "guru" : "");
    } else {
        field("kernel", kernel);
    }
    if (fault) {
        field("tag", std::string(tag_word(fault->tag)));
        field("reason", fault->message());
    }
    const bool refused = decision == std::string_view("refused");
    // No openlog() and closelog(): they are for the whole process.
    syslog(LOG_AUTHPRIV | (refused ? LOG_WARNING : LOG_NOTICE), "%s", line.c_str());
    if (settings_.audit_log) settings_.audit_log->write("time=" + trust::print_time(time(nullptr)) + " " + line + "\n");
}

Answer Service::refuse(const Head &head, const Client &client, const Fault &fault) {
    audit("request", "refused", head, client, nullptr, &fault);
    Answer answer = refusal(fault);
    count(answer.status);
    return answer;
}

Entry Service::enter(const Head &head) {
    Entry entry;
    entry.client.peer = head.peer;
    const auto refuse_with = [&](const Fault &fault) {
        entry.refusal = refuse(head, entry.client, fault);
        return entry;
    };
    const bool open = head.target == "/healthz" || head.target == "/v1/openapi.json";
    const bool module = head.target == kModules, kernel = !item_of(head.target, kKernels).empty();
    const bool debug = is_debug_target(head.target);
    const bool known = open || module || kernel || debug || head.target == kKernels || head.target == "/metrics" ||
                       !item_of(head.target, kModules).empty();
    if (open && head.method == "GET") {
        if (head.length.value_or(0) > 0) return refuse_with({FaultTag::TooLarge, "a body has no meaning here"});
        return entry;
    }

    const std::shared_ptr<const Access> access = this->access();
    if (!head.certificate_good)
        return refuse_with(
            {FaultTag::Unauthenticated, "the client's certificate is refused: " + head.certificate_good.fault().text});
    entry.client.identity = head.certificate;
    if (!head.authorization.empty()) {
        constexpr std::string_view kBearer = "Bearer ";
        const bool bearer = head.authorization.starts_with(kBearer);
        const std::string name =
            bearer ? access->tokens.name_of(head.authorization.substr(kBearer.size()), time(nullptr)) : "";
        if (name.empty()) return refuse_with({FaultTag::Unauthenticated, "the token is not known or no longer valid"});
        entry.client.identity = {Identity::Kind::Token, name, ""};
    }
    if (entry.client.identity.kind == Identity::Kind::Nobody)
        return refuse_with(
            {FaultTag::Unauthenticated, "a client's certificate or a token is needed ('Authorization: Bearer TOKEN')"});
    entry.client.rights = access->policy.rights_of(entry.client.identity);
    if (!entry.client.rights.any())
        return refuse_with(
            {FaultTag::Forbidden, "the policy gives no rights to '" + entry.client.identity.text() + "'"});
    if (!known)
        return refuse_with({FaultTag::NotFound, "there is nothing of that name; /v1/openapi.json says what there is"});
    const char *method = module ? "POST" : kernel ? "PUT" : "GET";
    if (head.method != method)
        return refuse_with({FaultTag::BadMethod, std::string("only ") + method + " is possible here"});
    if (module && !entry.client.rights.compile)
        return refuse_with({FaultTag::Forbidden, "the right 'compile' is needed"});
    if (kernel && !entry.client.rights.admin) return refuse_with({FaultTag::Forbidden, "the right 'admin' is needed"});
    if (debug && !entry.client.rights.debug) return refuse_with({FaultTag::Forbidden, "the right 'debug' is needed"});
    if (kernel && !is_plain_name(item_of(head.target, kKernels)))
        return refuse_with({FaultTag::BadRequest, "that is not a kernel release"});
    if (kernel && !entry.client.rights.replace && kernels_.find(item_of(head.target, kKernels)))
        return refuse_with(
            {FaultTag::Forbidden, "the right 'replace' is needed: there is a kernel of that release already"});
    entry.to_file = kernel;
    entry.body_limit = module ? settings_.body_bytes : kernel ? settings_.upload_bytes : 0;
    if (head.length && *head.length > entry.body_limit)
        return refuse_with(
            {FaultTag::TooLarge, "the body has more than " + std::to_string(entry.body_limit) + " bytes"});
    return entry;
}

Answer Service::answer(const Head &head, const Client &client, const std::string &body) {
    Answer answer;
    if (head.target == "/healthz") {
        answer.body = text_of({{"status", stopping_ ? "stopping" : "ok"}});
        answer.status = stopping_ ? 503 : 200;
        count(answer.status);
    } else if (head.target == "/v1/openapi.json") {
        answer.body = kOpenApi;
        count(answer.status);
    } else if (head.target == "/metrics") {
        answer = get_metrics();
        count(answer.status);
    } else if (head.target == kKernels) {
        answer = get_kernels();
        count(answer.status);
    } else if (head.target == kModules) {
        answer = post_module(head, client, body);
    } else if (!item_of(head.target, kModules).empty()) {
        answer = get_module(head, client);
    } else if (is_debug_target(head.target)) {
        answer = get_debug_file(head, client);
    } else {
        answer = put_kernel(head, client, body);
    }
    return answer;
}

Outcome<void> Service::may_have(const Client &client, bool guru, const std::vector<std::string> &sets) const {
    if (!client.rights.compile) return Fault{FaultTag::Forbidden, "the right 'compile' is needed"};
    if (guru && !client.rights.guru)
        return Fault{FaultTag::Forbidden,
                     "the right 'guru' is needed for -g and for tapsets of one's own, which may hold embedded C"};
    for (const std::string &set : sets)
        if (!client.rights.all_sets && !client.rights.sets.contains(set))
            return Fault{FaultTag::Forbidden, "there is no right to the tapsets '" + set + "'"};
    return {};
}

Answer Service::post_module(const Head &head, const Client &client, const std::string &body) {
    const Outcome<BuildRequest> parsed = parse_request(body);
    if (!parsed) return refuse(head, client, parsed.fault());
    const BuildRequest &request = *parsed;
    const bool guru = request.guru || !request.tapsets.empty();
    if (const Outcome<void> may = may_have(client, guru, request.tapset_sets); !may)
        return refuse(head, client, may.fault());
    const Outcome<KernelEntry> checked = compiler_.check(request);
    if (!checked) return refuse(head, client, checked.fault());
    const KernelEntry &kernel = *checked;
    const std::string key = compiler_.key_of(request, kernel);
    const Form form = form_of(head.accept);
    if (auto result = results_.find(key)) {
        ++found_;
        return present(head, *result, form, client, true);
    }
    Outcome<std::shared_ptr<Job>> job = jobs_.start({key, client.identity.text()}, [this, request, kernel,
                                                                                    key](Job &running) {
        const auto start = std::chrono::steady_clock::now();
        Ending ending = compiler_.compile(request, kernel, key, running, [this] { return abandoned_.load(); });
        compile_ms_ += static_cast<uint64_t>(
            std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - start).count());
        ++(ending.result ? compiled_ : failed_);
        return ending;
    });
    if (!job) return refuse(head, client, job.fault());
    Answer answer;
    answer.form = form;
    answer.kernel = request.release;
    answer.job = std::move(*job);
    return answer;
}

Answer Service::finish(const Head &head, const Client &client, const Answer &begun) {
    const Ending &ending = begun.job->ending();
    if (ending.result && begun.adds_kernel) {
        audit("kernel", "allowed", head, client, nullptr, nullptr, begun.kernel);
        const auto kernel = kernels_.find(begun.kernel);
        Answer answer;
        answer.status = 201;
        answer.form = begun.form;
        answer.body = text_of(Json{{"result", "kernel"}, {"kernel", kernel ? describe(*kernel) : Json()}});
        count(answer.status);
        return answer;
    }
    if (ending.result) return present(head, *ending.result, begun.form, client, false);
    const Fault &fault = ending.result.fault();
    audit(begun.adds_kernel ? "kernel" : "compile", "refused", head, client, nullptr, &fault, begun.kernel);
    Answer answer = refusal(fault, ending.messages);
    answer.form = begun.form;
    count(answer.status);
    return answer;
}

// Each client gets a signature of its own, which says who asked for it. "" if the server makes none.
Outcome<std::string> Service::sign(const Result &result, const Client &client) const {
    if (!settings_.signer || result.module.empty()) return std::string();
    Outcome<std::string> signature = sign_for(client.identity.text(), manifest_of(result, settings_.audience),
                                              *settings_.signer, settings_.signature_days);
    if (!signature)
        return Fault{FaultTag::ResultNotSigned, "the module cannot be signed: " + signature.fault().message()};
    return signature;
}

Answer Service::present(const Head &head, const Result &result, Form form, const Client &client, bool cached) {
    const Outcome<std::string> made = form == Form::Bytes ? std::string() : sign(result, client);
    const Fault *fault = made ? nullptr : &made.fault();
    audit("compile", fault ? "refused" : "allowed", head, client, &result, fault);
    Answer answer = fault ? refusal(*fault) : Answer{};
    answer.form = form;
    count(answer.status);
    if (fault) return answer;
    const std::string &signature = *made;
    if (form == Form::Bytes && !result.module.empty()) {
        answer.type = "application/octet-stream";
        answer.body = result.module;
        answer.headers = {
            {"X-Tapir-Key", result.key}, {"X-Tapir-Name", result.name}, {"X-Tapir-SHA256", result.sha256}};
        return answer;
    }
    Json json = {{"result", result.module.empty() ? "text" : "module"},
                 {"key", result.key},
                 {"cached", cached},
                 {"messages", result.messages}};
    if (result.module.empty()) {
        json["output"] = result.output;
    } else {
        json["module"] = {{"name", result.name},
                          {"kernel", result.release},
                          {"architecture", result.architecture},
                          {"vermagic", result.vermagic},
                          {"size", result.module.size()},
                          {"sha256", result.sha256},
                          {"url", std::string(kModules) + "/" + result.key},
                          {"data", ""}};
        if (!signature.empty()) json["module"]["signature"] = to_base64(signature);
    }
    if (form == Form::Events) {
        // The only event if there is nothing to wait for.
        json["event"] = "end";
        json["status"] = answer.status;
        answer.type = "application/x-ndjson";
    }
    answer.body = text_of(json);
    // Put in afterwards: looking for what has to be escaped in it takes longer than all else. In strings quotes are
    // escaped, so that nothing else looks like this.
    constexpr std::string_view kEmpty = "\"data\":\"\"";
    if (const size_t place = answer.body.find(kEmpty); !result.module.empty() && place != std::string::npos)
        answer.body.insert(place + kEmpty.size() - 1, to_base64(result.module));
    return answer;
}

Answer Service::get_module(const Head &head, const Client &client) {
    std::string key = item_of(head.target, kModules);
    const bool signature = key.ends_with(".sig");
    if (signature) key.resize(key.size() - 4);
    if (!is_key(key))
        return refuse(head, client,
                      {FaultTag::BadRequest, "a module's name here is a key of 64 hexadecimal digits, or KEY.sig"});
    const auto result = results_.find(key);
    if (!result || result->module.empty())
        return refuse(head, client, {FaultTag::NotFound, "there is no such module (any more): POST the request again"});
    if (const Outcome<void> may = may_have(client, result->guru, result->tapset_sets); !may)
        return refuse(head, client, may.fault());
    if (!signature) return present(head, *result, Form::Bytes, client, true);
    Answer answer;
    answer.type = "application/octet-stream";
    Outcome<std::string> made = sign(*result, client);
    if (!made) {
        audit("sign", "refused", head, client, &*result, &made.fault());
        Answer failed = refusal(made.fault());
        count(failed.status);
        return failed;
    }
    answer.body = std::move(*made);
    if (answer.body.empty()) return refuse(head, client, {FaultTag::NotFound, "this server signs no modules"});
    audit("sign", "allowed", head, client, &*result, nullptr);
    count(answer.status);
    return answer;
}

Answer Service::put_kernel(const Head &head, const Client &client, const std::string &file) {
    const std::string release = item_of(head.target, kKernels);
    // A copy: the file goes when the request ends, and the job outlives it if the client leaves.
    const std::shared_ptr<const std::string> path(new std::string(file), [](const std::string *name) {
        unlink(name->c_str());
        delete name;
    });
    const std::shared_ptr<const Descriptor> lock = std::make_shared<Descriptor>(share_draft(file));
    // Not joined: the other one's archive is another.
    Outcome<std::shared_ptr<Job>> job = preparations_.start(
        {"kernel " + release, client.identity.text(), true},
        [this, release, path, lock, replace = client.rights.replace](Job &running) {
            const Outcome<void> added = kernels_.add_archive(
                release, *path, replace, [&running](const std::string &line) { running.tell(line); });
            return added ? Ending{Result()} : Ending{added.fault()};
        });
    if (!job) return refuse(head, client, job.fault());
    Answer answer;
    answer.adds_kernel = true;
    answer.kernel = release;
    answer.form = form_of(head.accept);
    answer.job = std::move(*job);
    return answer;
}

Answer Service::get_debug_file(const Head &head, const Client &client) {
    Outcome<Answer> answer = debug_answers_->answer(head.target, client);
    if (!answer) return refuse(head, client, answer.fault());
    audit("debug-file", "allowed", head, client, nullptr, nullptr);
    count(answer->status);
    return std::move(*answer);
}

Answer Service::get_kernels() const {
    Json list = Json::array();
    for (const KernelEntry &kernel : kernels_.list())
        list.push_back(describe(kernel));
    Answer answer;
    answer.body = text_of({{"kernels", list}});
    return answer;
}

Answer Service::get_metrics() const {
    std::string text;
    const auto metric = [&text](const char *name, const char *kind, const char *help, uint64_t value) {
        text += metric_text(name, kind, help, value);
    };
    text = "# HELP tapir_requests_total Requests that were answered, by status.\n# TYPE tapir_requests_total counter\n";
    for (size_t hundreds = 2; hundreds < statuses_.size(); ++hundreds)
        text += "tapir_requests_total{status=\"" + std::to_string(hundreds) + "xx\"} " +
                std::to_string(statuses_[hundreds]) + "\n";
    metric("tapir_compiled_total", "counter", "Modules that were compiled.", compiled_);
    metric("tapir_failed_total", "counter", "Compilations that failed.", failed_);
    metric("tapir_found_total", "counter", "Requests whose result was there already.", found_);
    metric("tapir_joined_total", "counter", "Requests that joined a compilation that was under way.", jobs_.joined());
    metric("tapir_compile_milliseconds_total", "counter", "Time that compilations took.", compile_ms_);
    metric("tapir_jobs_queued", "gauge", "Compilations that wait.", jobs_.queued());
    metric("tapir_jobs_running", "gauge", "Compilations that run.", jobs_.running());
    metric("tapir_preparations", "gauge", "Kernels that wait or are being prepared.",
           preparations_.queued() + preparations_.running());
    metric("tapir_connections", "gauge", "Open connections.", static_cast<uint64_t>(std::max<int64_t>(0, connections)));
    metric("tapir_connections_refused_total", "counter", "Connections beyond a limit.", connections_refused);
    metric("tapir_kernels", "gauge", "Kernels that are compiled for.", kernels_.list().size());
    Answer answer;
    answer.type = "text/plain; version=0.0.4";
    answer.body = text + debug_answers_->metrics();
    return answer;
}

}  // namespace tapir::server
