// SPDX-License-Identifier: GPL-2.0-or-later
#include "syscalls/calls.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "base/name_patterns.h"

namespace tapir::syscalls {

namespace {

bool is_wide(const Parameter &parameter) {
    return parameter.type == "loff_t" || parameter.type.ends_with("u64");
}

// A call within socketcall or ipc: linux/net.h, linux/ipc.h.
struct Part {
    uint8_t number;
    std::string_view name;
};
constexpr Part kSocketParts[] = {
    {1, "socket"},      {2, "bind"},        {3, "connect"},    {4, "listen"},      {5, "accept"},
    {6, "getsockname"}, {7, "getpeername"}, {8, "socketpair"}, {9, "send"},        {10, "recv"},
    {11, "sendto"},     {12, "recvfrom"},   {13, "shutdown"},  {14, "setsockopt"}, {15, "getsockopt"},
    {16, "sendmsg"},    {17, "recvmsg"},    {18, "accept4"},   {19, "recvmmsg"},   {20, "sendmmsg"},
};
constexpr Part kIpcParts[] = {
    {1, "semop"},   {2, "semget"},  {3, "semctl"}, {4, "semtimedop"}, {11, "msgsnd"}, {12, "msgrcv"},
    {13, "msgget"}, {14, "msgctl"}, {21, "shmat"}, {22, "shmdt"},     {23, "shmget"}, {24, "shmctl"},
};

}  // namespace

KernelCalls calls_of_tables(const Table &table) {
    std::set<std::pair<bool, std::string_view>> known;
    for (const Call &call : table.calls())
        known.emplace(call.narrow, call.kernel);
    KernelCalls kernel;
    for (const auto &[narrow, name] : known) {
        KernelCall call;
        call.name = name;
        call.number = static_cast<uint32_t>(kernel.list.size());
        call.narrow = narrow;
        kernel.list.push_back(std::move(call));
    }
    return kernel;
}

Calls::Calls(KernelCalls kernel, const Table &table) : kernel_(std::move(kernel)), table_(table) {
    borrow_names();
    for (const KernelCall &call : kernel_.list)
        add(call);
    std::stable_sort(entries_.begin(), entries_.end(), [](const Entry &a, const Entry &b) {
        return std::tie(a.narrow, a.number, a.part) < std::tie(b.narrow, b.number, b.part);
    });
    // Texts of a Call point into the entry.
    for (Entry &entry : entries_)
        describe(entry);
}

// Calls of 32-bit programs without a prototype, or one without names, are mostly like those of 64-bit programs, but
// that a 64-bit argument takes two places.
void Calls::borrow_names() {
    std::map<std::string_view, const KernelCall *> native;
    for (const KernelCall &call : kernel_.list)
        if (!call.narrow) native.emplace(call.name, &call);
    for (KernelCall &call : kernel_.list) {
        const auto other = native.find(call.name);
        if (!call.narrow || other == native.end()) continue;
        const std::vector<Parameter> &known = other->second->parameters;
        for (size_t i = 0; i < known.size() && !is_wide(known[i]); ++i) {
            if (i < call.parameters.size() && call.parameters[i].name.empty()) call.parameters[i].name = known[i].name;
            if (i == call.parameters.size() && !call.has_prototype) call.parameters.push_back(known[i]);
        }
    }
}

void Calls::add(const KernelCall &call) {
    Entry entry;
    entry.name = call.is_missing() ? std::string(kMissingName) : call.name;
    entry.numbered = call.name;
    entry.number = call.number;
    entry.narrow = call.narrow;
    entry.parameters = call.parameters;
    const bool stands_for_others = call.narrow && (call.name == "socketcall" || call.name == "ipc");
    entry.by_name_only = call.is_missing() || stands_for_others;
    entries_.push_back(std::move(entry));
    if (stands_for_others && !call.is_missing()) add_parts(call);
}

void Calls::add_parts(const KernelCall &call) {
    const bool ipc = call.name == "ipc";
    const auto first = ipc ? std::begin(kIpcParts) : std::begin(kSocketParts);
    const auto last = ipc ? std::end(kIpcParts) : std::end(kSocketParts);
    for (const Part *part = first; part != last; ++part) {
        Entry entry;
        entry.name = entry.numbered = part->name;
        entry.number = call.number;
        entry.narrow = true;
        entry.part = part->number;
        entry.ipc = ipc;
        // As the call of its own number, that of 32-bit programs if there is one.
        for (const KernelCall &other : kernel_.list)
            if (other.name == part->name) entry.parameters = other.parameters;
        entries_.push_back(std::move(entry));
    }
}

void Calls::describe(Entry &entry) {
    if (const Call *call = table_.find(entry.name, entry.narrow)) {
        entry.call = *call;
    } else {
        entry.call.kernel = entry.call.alias = entry.call.name = entry.name;
        for (size_t i = 0; i < entry.parameters.size(); ++i) {
            Parameter &parameter = entry.parameters[i];
            if (parameter.name.empty()) parameter.name = "arg" + std::to_string(i + 1);
            entry.call.add_by_type(parameter.type, parameter.name);
        }
    }
    for (size_t i = 0; i < entry.parameters.size(); ++i)
        if (entry.parameters[i].name.empty()) entry.parameters[i].name = "arg" + std::to_string(i + 1);
}

std::vector<size_t> Calls::find(std::string_view pattern, Abi abi) const {
    const bool wildcard = has_wildcard(pattern);
    std::vector<size_t> found;
    for (size_t i = 0; i < entries_.size(); ++i) {
        const Entry &entry = entries_[i];
        if ((abi == Abi::Native && entry.narrow) || (abi == Abi::Narrow && !entry.narrow)) continue;
        if (wildcard ? !entry.by_name_only && glob_match(pattern, entry.name) : pattern == entry.name)
            found.push_back(i);
    }
    return found;
}

std::vector<std::string> Calls::names() const {
    std::set<std::string> names;
    for (const Entry &entry : entries_)
        names.insert(entry.name);
    return {names.begin(), names.end()};
}

}  // namespace tapir::syscalls
