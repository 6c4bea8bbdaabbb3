// SPDX-License-Identifier: GPL-2.0-or-later
#include "exporter/metrics_service.h"

#include <ctime>

namespace tapir::exporter {

namespace {

constexpr char kPlain[] = "text/plain; charset=utf-8";

}  // namespace

Answer Service::answer(const std::string &path, const std::string &authorization, const std::string &accept) {
    constexpr std::string_view kBearer = "Bearer ";
    if (path == "/-/healthy") return {200, kPlain, "ready\n"};
    if (needs_token_) {
        const bool has_token = authorization.starts_with(kBearer);
        const std::string token = has_token ? authorization.substr(kBearer.size()) : "";
        if (!has_token || tokens_.name_of(token, std::time(nullptr)).empty())
            return {401, kPlain, "a token is needed: Authorization: Bearer TOKEN\n"};
    }
    if (path == "/metrics") return metrics(accept);
    return {404, kPlain, "there is nothing but /metrics and /-/healthy\n"};
}

Answer Service::metrics(const std::string &accept) {
    const auto until = std::chrono::steady_clock::now() + deadline_;
    std::vector<uint64_t> questions;
    for (const auto &script : scripts_)
        questions.push_back(script->ask());
    std::vector<ScriptState> states;
    for (size_t i = 0; i < scripts_.size(); i++)
        states.push_back(scripts_[i]->wait(questions[i], until));
    const TextForm form = form_for(accept);
    return {200, std::string(content_type(form)), exposition(states, form)};
}

}  // namespace tapir::exporter
