// SPDX-License-Identifier: GPL-2.0-or-later
#include "remote/builds.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "common/files.h"
#include "common/hash.h"
#include "common/quoting.h"

namespace tapir::remote {

std::string load_payload(const std::string &path, const std::string &name, Payload &payload) {
    std::optional<std::string> bytes = read_file(path);
    if (!bytes) return "cannot read '" + path + "': " + std::strerror(errno);
    payload.name = name;
    payload.bytes = std::move(*bytes);
    payload.sha256 = sha256(payload.bytes);
    return {};
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

std::vector<Child *> Builds::children() {
    std::vector<Child *> all;
    for (Build &build : builds_)
        if (build.child_.started() && !build.done_) all.push_back(&build.child_);
    return all;
}

void Builds::start(Build &build) {
    Child::Setting setting;
    setting.group = true;
    int input = -1;
    // A description of its own: builds read from the beginning, each at its own pace.
    if (options_.build_input >= 0) {
        input = open(("/proc/self/fd/" + std::to_string(options_.build_input)).c_str(), O_RDONLY | O_CLOEXEC);
        setting.input_fd = input;
    }
    const std::string why = build.child_.start(options_.build(build.facts_), setting);
    if (input >= 0) close(input);
    if (why.empty()) return;
    build.done_ = true;
    build.problem_ = why;
}

void Builds::finish(Build &build) {
    while (build.child_.read_output(build.out_)) {
    }
    while (build.child_.read_errors(build.errors_)) {
    }
    build.done_ = true;
    const int status = build.child_.status();
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
    const std::string name(path.substr(path.rfind('/') + 1));
    build.problem_ = path.empty() ? "the compiler did not say where the module is"
                                  : load_payload(std::string(path), name, build.module_);
    const std::string signature = std::string(path) + ".sig";
    if (build.problem_.empty() && is_file(signature))
        build.problem_ = load_payload(signature, name + ".sig", build.signature_);
}

void Builds::look() {
    unsigned going = 0;
    for (Build &build : builds_) {
        if (build.done_ || !build.child_.started()) continue;
        while (build.child_.read_output(build.out_)) {
        }
        while (build.child_.read_errors(build.errors_)) {
        }
        if (build.child_.reap())
            finish(build);
        else
            ++going;
    }
    for (Build &build : builds_) {
        if (going >= std::max(1u, options_.builds_at_once)) return;
        if (build.done_ || build.child_.started()) continue;
        start(build);
        ++going;
    }
}

void Builds::cancel() {
    for (Build &build : builds_) {
        if (build.done_) continue;
        build.child_.signal(SIGTERM);
        build.done_ = true;
        build.problem_ = "interrupted";
    }
}

}  // namespace tapir::remote
