// SPDX-License-Identifier: GPL-2.0-or-later
// The functions by which embedded C reaches what is below it, and what each of them needs (tapir/ports.def).
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace tapir::resolve {

enum class PortNeed { Script, Machine, Process, Kernel, Dump };

struct PortCall {
    std::string_view name;
    PortNeed need;
    bool is_port;  // a function of the port, not of the runtime above it
};

// All rows of ports.def, sorted by name.
std::span<const PortCall> port_calls();

// The row of that name; nullptr if there is none.
const PortCall *find_port_call(std::string_view name);

// Returns the first word of a text of C that has a row which `use` takes; nullptr if there is none.
template <class Use>
const PortCall *find_call_in(std::string_view c_text, const Use &use) {
    const auto is_word = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    };
    for (size_t at = 0; at < c_text.size();) {
        size_t end = at;
        while (end < c_text.size() && is_word(c_text[end]))
            ++end;
        const PortCall *call = find_port_call(c_text.substr(at, end - at));
        if (call && use(*call)) return call;
        at = end + 1;
    }
    return nullptr;
}

// The need by the word that pragmas have for it, "kernel"; nothing if there is none.
std::optional<PortNeed> find_need(std::string_view word);
std::string_view need_word(PortNeed need);

}  // namespace tapir::resolve
