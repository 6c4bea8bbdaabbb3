// SPDX-License-Identifier: GPL-2.0-or-later
#include "syscalls/call_table.h"

#include "syscalls/decoder.h"

namespace tapir::syscalls {

namespace {

bool contains(std::string_view text, std::string_view word) {
    return text.find(word) != std::string_view::npos;
}

// Names of parameters that are texts to the kernel, not room for results.
bool names_text(std::string_view name) {
    for (const std::string_view part : {"path", "filename", "name", "root", "dir"})
        if (contains(name, part)) return true;
    return false;
}

std::string_view scalar_type(std::string_view type) {
    struct Known {
        std::string_view part, scalar;
    };
    // The first that is part of the type wins.
    static constexpr Known known[] = {
        {"unsigned long long", "u64"},
        {"long long", "s64"},
        {"loff_t", "s64"},
        {"u64", "u64"},
        {"s64", "s64"},
        {"unsigned long", "ulong"},
        {"size_t", "ulong"},
        {"unsigned char", "uchar"},
        {"unsigned short", "ushort"},
        {"umode_t", "ushort"},
        {"unsigned", "uint"},
        {"u32", "uint"},
        {"uid_t", "int"},
        {"gid_t", "int"},
        {"u16", "ushort"},
        {"long", "long"},
        {"off_t", "long"},
        {"time_t", "long"},
        {"aio_context_t", "ulong"},
    };
    for (const Known &k : known)
        if (contains(type, k.part)) return k.scalar;
    return "int";
}

}  // namespace

void Call::add_by_type(std::string_view type, std::string_view parameter) {
    Show show;
    const auto index = static_cast<unsigned>(args.size());
    const auto variable = [&](std::string text, Form form) { variables.push_back({std::move(text), form, index}); };
    const std::string plain(parameter);
    if (contains(type, "*")) {
        show = *scalar("pointer");
        if (contains(type, "const char") && names_text(parameter)) {
            show.kind = TAPIR_SHOW_STRING;
            const std::string text = plain == "name" ? "name_str" : plain;
            variable(text, Form::Text);
            variable(text + "_unquoted", Form::Unquoted);
        }
        variable(plain + "_uaddr", Form::Number);
    } else {
        show = *scalar(scalar_type(type));
        if (contains(type, "umode_t")) show.kind = TAPIR_SHOW_OCTAL;
        const bool reserved = plain == "name" || plain == "argstr" || plain == "retval" || plain == "retstr";
        variable(reserved ? plain + "_" : plain, Form::Number);
    }
    for (int abi = 0; abi < 2; ++abi) {
        uint16_t following = 0;
        if (!args.empty()) following = args.back().at[abi] + (abi && args.back().size[abi] == 8 ? 2 : 1);
        place(show, abi, following);
    }
    args.push_back(std::move(show));
}

const Call *Table::find(std::string_view kernel, bool narrow) const {
    if (narrow)
        if (const auto found = call_index_.find({kernel, true}); found != call_index_.end()) return found->second;
    const auto found = call_index_.find({kernel, false});
    return found == call_index_.end() ? nullptr : found->second;
}

const Names *Table::names(std::string_view name) const {
    const auto found = names_index_.find(name);
    return found == names_index_.end() ? nullptr : found->second;
}

const Record *Table::record(std::string_view name) const {
    const auto found = record_index_.find(name);
    return found == record_index_.end() ? nullptr : found->second;
}

std::string_view Table::reason(std::string_view name) const {
    // Later files replace.
    for (auto absence = absences_.rbegin(); absence != absences_.rend(); ++absence)
        if (absence->name == name) return absence->reason;
    return {};
}

}  // namespace tapir::syscalls
