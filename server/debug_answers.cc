// SPDX-License-Identifier: GPL-2.0-or-later
#include "server/debug_answers.h"

#include <ctime>

#include "common/base64.h"
#include "server/metric_text.h"
#include "server/signing.h"

namespace tapir::server {

DebugAnswers::DebugAnswers(const ServiceSettings &settings)
    : settings_(settings),
      files_(settings.debug_directory, settings.debug_file_bytes),
      rate_(settings.debug_minute_requests, settings.debug_minute_bytes) {}

// No module: its ABI is none that a loader has.
Outcome<std::string> DebugAnswers::sign(const DebugRequest &request, const std::string &digest,
                                        const Client &client) const {
    if (!settings_.signer || digest.empty()) return std::string();
    trust::Manifest manifest;
    manifest.sha256 = digest;
    manifest.name = word_of(request.kind);
    manifest.release = request.build_id;
    manifest.architecture = "none";
    manifest.uses = "debug-file";
    Outcome<std::string> signature =
        sign_for(client.identity.text(), std::move(manifest), *settings_.signer, settings_.signature_days);
    if (!signature) return Fault{FaultTag::ResultNotSigned, signature.fault().message()};
    return signature;
}

Outcome<Answer> DebugAnswers::answer(const std::string &target, const Client &client) {
    const Outcome<DebugRequest> request = parse_debug_target(target);
    if (!request) return request.fault();
    const Outcome<DebugFile> found = files_.find(*request);
    if (!rate_.take(client.identity.text(), found ? found->bytes : 0, time(nullptr)))
        return Fault{FaultTag::TooMany, "this client has had its debug files of this minute (--debug-mb-per-minute)"};
    if (!found) return found.fault();
    Answer answer;
    answer.type = "application/octet-stream";
    if (request->section.empty()) {
        const Outcome<std::string> signature = sign(*request, found->sha256, client);
        if (!signature) return signature.fault();
        answer.file = found->file;
        answer.file_bytes = found->bytes;
        answer.headers = {{"X-Debuginfod-Size", std::to_string(found->bytes)}};
        if (!found->sha256.empty()) answer.headers.emplace_back("X-Tapir-SHA256", found->sha256);
        if (!signature->empty()) answer.headers.emplace_back("X-Tapir-Signature", to_base64(*signature));
    } else {
        answer.body = found->section;
    }
    ++files_sent_;
    bytes_sent_ += found->bytes;
    return answer;
}

std::string DebugAnswers::metrics() const {
    return metric_text("tapir_debug_files_total", "counter", "Debug files and programs that were sent.", files_sent_) +
           metric_text("tapir_debug_bytes_total", "counter", "Their bytes.", bytes_sent_);
}

}  // namespace tapir::server
