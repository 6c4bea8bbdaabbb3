// SPDX-License-Identifier: GPL-2.0-or-later
#include "monitor.h"

#include <tapir/abi.h>

#include <cerrno>
#include <cstring>
#include <optional>

#include "common/files.h"
#include "common/plain_text.h"
#include "session_ledger.h"

namespace tapir::staprun {

namespace {

constexpr std::string_view kReset = "__reset_";

template <size_t N>
std::string text_in(const char (&text)[N]) {
    return std::string(text, strnlen(text, N));
}

bool is_same(const tapir_ioc_probe &a, const tapir_ioc_probe &b) {
    return memcmp(&a, &b, sizeof a) == 0;
}

const char *kind_name(unsigned kind) {
    switch (kind) {
        case TAPIR_GLOBAL_STRING:
            return "text";
        case TAPIR_GLOBAL_STAT:
            return "statistic";
        case TAPIR_GLOBAL_MAP:
            return "array";
        default:
            return "number";
    }
}

const char *type_name(unsigned type) {
    return type == TAPIR_STRING ? "text" : type == TAPIR_STAT ? "statistic" : "number";
}

void put_flag(tapir_json *json, const char *member, bool value) {
    tapir_json_member(json, member);
    tapir_json_puts(json, value ? "true" : "false");
}

// Bytes of the module in memory, as the kernel tells them.
uint64_t size_of_module(const char *name) {
    const std::optional<std::string> text = read_file("/sys/module/" + std::string(name) + "/coresize");
    uint64_t bytes = 0;
    if (!text || !parse_unsigned(text->substr(0, text->find('\n')), bytes)) return 0;
    return bytes;
}

}  // namespace

Monitor::Monitor(Control &control, const tapir_ioc_hello &hello, Messages &messages)
    : control_(control),
      messages_(messages),
      probes_(hello.probes),
      globals_(hello.globals),
      module_bytes_(size_of_module(hello.name)) {}

bool Monitor::knows(std::string_view command) {
    return command == "reset" || command.starts_with("reset ") || command.starts_with("probe ") ||
           command.starts_with("probes ");
}

uint64_t Monitor::array_bytes() const {
    tapir_ioc_status status = {};
    return control_.status(status) == 0 ? status.array_bytes : 0;
}

void Monitor::tell(const std::vector<tapir_ioc_probe> &probes, const Add &add) {
    for (const tapir_ioc_probe &probe : probes) {
        if (probe.flags & TAPIR_PROBE_SYNTHETIC) continue;
        const auto told = told_.find(probe.index);
        if (told == told_.end() || !is_same(told->second, probe)) tell_probe(probe, add);
    }
    tell_globals(add);
}

void Monitor::tell_probe(const tapir_ioc_probe &probe, const Add &add) {
    told_[probe.index] = probe;
    add("probe", [text = probe_json(probe), &probe](tapir_json *json) {
        tapir_json_unsigned_member(json, "index", probe.index);
        put_flag(json, "on", !(probe.flags & TAPIR_PROBE_OFF));
        tapir_json_member(json, "probe");
        tapir_json_puts(json, text.c_str());
    });
}

// Facts that stay: which globals are shown, and which of them have a handler that resets them.
void Monitor::learn_globals() {
    learnt_ = true;
    for (uint32_t i = 0; i < globals_; i++) {
        tapir_ioc_lock row = {};
        row.index = i;
        if (control_.lock(row) != 0) continue;
        const std::string name = text_in(row.name);
        if (row.monitored) monitored_[i] = row;
        if (name.starts_with(kReset)) resettable_.insert(name.substr(kReset.size()));
    }
}

void Monitor::tell_globals(const Add &add) {
    if (!learnt_) learn_globals();
    for (auto &[index, row] : monitored_) {
        if (control_.lock(row) != 0) continue;
        row.contended = 0;
        const auto said = said_.find(index);
        if (said != said_.end() && memcmp(&said->second, &row, sizeof row) == 0) continue;
        said_[index] = row;
        const std::string name = text_in(row.name);
        add("global", [&, &row = row](tapir_json *json) {
            tapir_json_text_member(json, "name", name.c_str());
            tapir_json_text_member(json, "kind", kind_name(row.kind));
            put_flag(json, "resets", resettable_.contains(name));
            if (row.kind != TAPIR_GLOBAL_MAP) return;
            tapir_json_text_member(json, "of", type_name(row.value_type));
            tapir_json_unsigned_member(json, "keys", row.keys);
            tapir_json_unsigned_member(json, "elements", row.elements);
            tapir_json_unsigned_member(json, "most", row.most);
        });
    }
}

int Monitor::switch_one(uint32_t index, bool on, const Add &add) {
    const tapir_ioc_switch wish = {index, on};
    if (const int error = control_.switch_probe(wish)) return error;
    tapir_ioc_probe probe = {};
    probe.index = index;
    if (control_.probe(probe) == 0) tell_probe(probe, add);
    return 0;
}

void Monitor::switch_all(bool on, const Add &add) {
    for (uint32_t i = 0; i < probes_; i++) {
        tapir_ioc_probe probe = {};
        probe.index = i;
        if (control_.probe(probe) != 0 || probe.flags & TAPIR_PROBE_SYNTHETIC) continue;
        if (const int error = switch_one(i, on, add)) {
            messages_.warning(format("probes are not switched: %s", strerror(error)));
            return;
        }
    }
}

void Monitor::switch_probes(const std::string &words, const Add &add) {
    const size_t blank = words.find(' ');
    const std::string number = words.substr(0, blank);
    const std::string to = blank == std::string::npos ? "" : words.substr(blank + 1);
    uint64_t index = 0;
    if ((to != "on" && to != "off") || !parse_unsigned(number, index)) {
        messages_.warning(
            format("'probe %s' is not understood: write 'probe INDEX on' or 'probe INDEX off'", words.c_str()));
        return;
    }
    const int error = index < probes_ ? switch_one(static_cast<uint32_t>(index), to == "on", add) : EINVAL;
    if (error)
        messages_.warning(format("probe %s is not switched: %s", number.c_str(),
                                 error == EINVAL  ? "the script has none of this index"
                                 : error == EBUSY ? "the session does not run"
                                                  : strerror(error)));
}

void Monitor::reset(const std::string &name, const Add &add) {
    const int error = resettable_.contains(name) ? control_.set_global(std::string(kReset) + name, "1") : ENOENT;
    if (error)
        messages_.warning(
            format("'%s' is not reset: %s", name.c_str(),
                   error == ENOENT ? "it is not a global that the script writes to" : why_not_set(error).c_str()));
    else
        add("reset", [&name](tapir_json *json) { tapir_json_text_member(json, "name", name.c_str()); });
}

void Monitor::obey(const std::string &command, const Add &add) {
    if (!learnt_) learn_globals();
    if (command == "reset") {
        for (const std::string &name : resettable_)
            reset(name, add);
    } else if (command.starts_with("reset ")) {
        reset(command.substr(strlen("reset ")), add);
    } else if (command.starts_with("probe ")) {
        switch_probes(command.substr(strlen("probe ")), add);
    } else if (command == "probes on" || command == "probes off") {
        switch_all(command == "probes on", add);
    } else {
        messages_.warning(format("'%s' is not understood: write 'probes on' or 'probes off'", command.c_str()));
    }
}

}  // namespace tapir::staprun
