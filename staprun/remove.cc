// SPDX-License-Identifier: GPL-2.0-or-later
#include "remove.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "audit.h"
#include "common/plain_text.h"
#include "loader.h"
#include "module_control.h"

namespace tapir::staprun {

namespace {

constexpr unsigned kPatienceMs = 10000;
constexpr unsigned kStepMs = 20;

bool is_over(uint32_t state) {
    return state == TAPIR_STATE_LOADED || state == TAPIR_STATE_DONE;
}

// Ends a session that was left running. Its end probes run; what they print is not read. Returns the reason on failure,
// else "".
std::string stop_session(Control &control) {
    if (int error = control.stop()) return format("it does not stop: %s", strerror(error));
    for (unsigned waited = 0; waited < kPatienceMs; waited += kStepMs) {
        tapir_ioc_status status = {};
        if (int error = control.status(status)) return format("it does not answer: %s", strerror(error));
        if (is_over(status.state)) return {};
        pollfd change = {control.descriptor(), POLLIN, 0};
        poll(&change, 1, static_cast<int>(kStepMs));
    }
    return {};  // deleting it will tell
}

// Returns the reason on failure, else "". `spare_running`: leaves modules alone whose session goes on, which `spared`
// tells.
std::string remove_one(const std::string &name, const Caller &caller, bool spare_running, bool &spared) {
    spared = false;
    const auto unless_spared = [&](const char *why) {
        spared = spare_running;
        return std::string(spare_running ? "" : why);
    };
    int error = 0;
    std::unique_ptr<Control> control = open_control(name, caller, error);
    if (!control) {
        if (error == EPERM && caller.restricted()) return unless_spared("it is another user's");
        if (error == ENOENT) return "it is not loaded, or not a module made by Tapir";
        if (error == EBUSY) return unless_spared("a staprun is attached to it; end that one first");
        return format("couldn't open '%s': %s", control_path(name).c_str(), strerror(error));
    }
    tapir_ioc_hello hello = {};
    bool answers = control->hello(hello) == 0 && hello.abi == TAPIR_ABI;
    if (answers && !is_over(hello.state)) {
        if (spare_running) {
            control->detach();
            return unless_spared("");
        }
        std::string why = stop_session(*control);
        if (!why.empty()) return why;
    }
    control.reset();
    error = remove_module(name, kPatienceMs);
    return error && error != ENOENT ? strerror(error) : "";
}

std::string plain_name(std::string word) {
    word.erase(0, word.rfind('/') + 1);
    if (word.size() > 3 && word.substr(word.size() - 3) == ".ko") word.resize(word.size() - 3);
    std::replace(word.begin(), word.end(), '-', '_');
    return word;
}

}  // namespace

int remove_modules(const std::vector<std::string> &names, const Caller &caller, Messages &messages) {
    for (const std::string &word : names) {
        bool all = word == "*";
        std::vector<std::string> targets = all ? list_tapir_modules() : std::vector<std::string>{plain_name(word)};
        for (const std::string &name : targets) {
            bool spared = false;
            std::string why = remove_one(name, caller, all, spared);
            if (caller.restricted() && !spared) {
                AuditRecord record = {"remove", why.empty() ? "allowed" : "refused", caller};
                record.module = name;
                record.reason = why;
                write_audit(record);
            }
            if (!why.empty()) messages.error(format("Couldn't remove module '%s': %s", name.c_str(), why.c_str()));
        }
    }
    return messages.seen_error() ? 1 : 0;
}

}  // namespace tapir::staprun
