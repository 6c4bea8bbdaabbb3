// SPDX-License-Identifier: GPL-2.0-or-later
#include "remote/builds.h"

#include <signal.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "common/files.h"
#include "common/hash.h"
#include "common/quoting.h"
#include "common/regular_file.h"

namespace tapir::remote {

Program piped_program(std::vector<std::string> argv) {
    Program program{std::move(argv)};
    program.output = program.errors = Stream::pipe();
    program.death_signal = SIGTERM;
    program.default_signals = {SIGTERM};
    return program;
}

Outcome<Payload> load_payload(const std::string &path, const std::string &name) {
    std::optional<std::string> bytes = read_file(path);
    if (!bytes) return Fault{FaultTag::FileUnreadable, "cannot read '" + path + "': " + file_error(errno)};
    Payload payload;
    payload.name = name;
    payload.bytes = std::move(*bytes);
    payload.sha256 = sha256(payload.bytes);
    return payload;
}

const Outcome<Payload> &Builds::loader() {
    if (!loader_) loader_ = load_payload(options_.staprun, "staprun");
    return *loader_;
}

const Build *Builds::want(const Facts &facts) {
    // The same release may be two kernels: distributions rebuild.
    const std::string key = facts.release + "\n" + facts.machine + "\n" + facts.build_id + "\n" + facts.version;
    for (const Build &build : builds_)
        if (build.key_ == key) return &build;
    Build &build = builds_.emplace_back();
    build.key_ = key;
    build.facts_ = facts;
    return &build;
}

std::vector<Process *> Builds::processes() {
    std::vector<Process *> all;
    for (Build &build : builds_)
        if (build.process_.started() && !build.done_) all.push_back(&build.process_);
    return all;
}

void Builds::start(Build &build) {
    Program program = piped_program(options_.build(build.facts_));
    program.group = ProcessGroup::Own;
    // A description of its own: builds read from the beginning, each at its own pace.
    if (options_.build_input >= 0)
        program.input = Stream::file("/proc/self/fd/" + std::to_string(options_.build_input));
    const Outcome<void> started = build.process_.start(program);
    if (started) return;
    build.done_ = true;
    build.problem_ = started.fault().message();
}

void Builds::finish(Build &build) {
    while (build.process_.read_output(build.out_)) {
    }
    while (build.process_.read_errors(build.errors_)) {
    }
    build.done_ = true;
    const int status = build.process_.ending().code();
    const std::string head = named_ ? "For " + printable(build.facts_.release) + ":\n" : "";
    if (options_.no_module) output_.add(head + build.out_);
    if (!build.errors_.empty()) errors_.add(head + build.errors_);
    if (status != 0) {
        build.problem_ = "there is no module for its kernel " + build.facts_.release + " (see above)";
        return;
    }
    if (options_.no_module) return;
    std::string_view path = trim(build.out_);
    if (size_t newline = path.rfind('\n'); newline != std::string_view::npos) path.remove_prefix(newline + 1);
    if (path.empty()) {
        build.problem_ = "the compiler did not say where the module is";
        return;
    }
    const auto load = [&build](const std::string &file, Payload &payload) {
        Outcome<Payload> loaded = load_payload(file, file.substr(file.rfind('/') + 1));
        if (loaded)
            payload = std::move(*loaded);
        else
            build.problem_ = loaded.fault().message();
    };
    load(std::string(path), build.module_);
    const std::string signature = std::string(path) + ".sig";
    if (build.problem_.empty() && is_file(signature)) load(signature, build.signature_);
}

void Builds::look() {
    unsigned going = 0;
    for (Build &build : builds_) {
        if (build.done_ || !build.process_.started()) continue;
        while (build.process_.read_output(build.out_)) {
        }
        while (build.process_.read_errors(build.errors_)) {
        }
        if (build.process_.reap())
            finish(build);
        else
            ++going;
    }
    for (Build &build : builds_) {
        if (going >= std::max(1u, options_.builds_at_once)) return;
        if (build.done_ || build.process_.started()) continue;
        start(build);
        ++going;
    }
}

void Builds::cancel() {
    for (Build &build : builds_) {
        if (build.done_) continue;
        build.process_.signal(SIGTERM);
        build.done_ = true;
        build.problem_ = "interrupted";
    }
}

}  // namespace tapir::remote
