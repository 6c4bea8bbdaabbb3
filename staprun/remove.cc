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

Fault not_removed(const std::string &why) {
    return {FaultTag::ControlFailed, why};
}

// Ends a session that was left running. Its end probes run; their output is not read.
Outcome<void> stop_session(Control &control) {
    if (int error = control.stop()) return not_removed(format("it does not stop: %s", strerror(error)));
    for (unsigned waited = 0; waited < kPatienceMs; waited += kStepMs) {
        tapir_ioc_status status = {};
        if (int error = control.status(status)) return not_removed(format("it does not answer: %s", strerror(error)));
        if (is_over(status.state)) return {};
        pollfd change = {control.descriptor(), POLLIN, 0};
        poll(&change, 1, static_cast<int>(kStepMs));
    }
    return {};  // deleting it will show that
}

enum class Removal : uint8_t { Done, Spared };

// `spare_running`: leaves modules alone whose session continues.
Outcome<Removal> remove_one(const std::string &name, const Caller &caller, bool spare_running) {
    Outcome<std::unique_ptr<Control>> opened = open_control(name, caller);
    if (!opened) {
        const Fault &fault = opened.fault();
        if (fault.tag == FaultTag::NotLoaded)
            return Fault{fault.tag, "it is not loaded, or not a module made by Tapir"};
        if (fault.tag == FaultTag::ControlFailed) return Fault{fault.tag, "c" + fault.text.substr(1)};
        if (spare_running) return Removal::Spared;
        if (fault.tag == FaultTag::NotOwn) return Fault{fault.tag, "it is another user's"};
        return Fault{fault.tag, "a staprun is attached to it", "end that one first"};
    }
    std::unique_ptr<Control> control = std::move(*opened);
    tapir_ioc_hello hello = {};
    bool answers = control->hello(hello) == 0 && hello.abi == TAPIR_ABI;
    if (answers && !is_over(hello.state)) {
        if (spare_running) {
            control->detach();
            return Removal::Spared;
        }
        if (Outcome<void> stopped = stop_session(*control); !stopped) return stopped.fault();
    }
    control.reset();
    const int error = remove_module(name, kPatienceMs);
    if (error && error != ENOENT) return not_removed(strerror(error));
    return Removal::Done;
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
            const Outcome<Removal> removed = remove_one(name, caller, all);
            const std::string why = removed ? "" : removed.fault().message();
            if (caller.restricted() && !(removed && *removed == Removal::Spared)) {
                AuditRecord record = {"remove", removed ? "allowed" : "refused", caller};
                record.module = name;
                record.reason = why;
                write_audit(record);
            }
            if (!removed) messages.error(format("Couldn't remove module '%s': %s", name.c_str(), why.c_str()));
        }
    }
    return messages.seen_error() ? 1 : 0;
}

}  // namespace tapir::staprun
