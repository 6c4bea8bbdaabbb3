// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel_functions.h"

#include <algorithm>
#include <cstdlib>

#include "common/files.h"

namespace tapir::staprun {

namespace {

// Bytes of /proc/kallsyms: more than the symbols that may be at 0.
constexpr size_t kSymbolsHead = 256 * 1024;

// "ffffffff81000000 T name" or "ffffffffc0000000 t name\t[module]": a function.
bool parse(std::string_view line, KernelFunction &function) {
    if (line.size() < 20 || line[16] != ' ' || line[18] != ' ') return false;
    if (std::string_view("tTwW").find(line[17]) == std::string_view::npos) return false;
    function.start = strtoull(std::string(line.substr(0, 16)).c_str(), nullptr, 16);
    function.name = line.substr(19);
    const size_t module = function.name.find('\t');
    if (module != std::string::npos) function.name[module] = ' ';
    return function.start;
}

}  // namespace

// The function that begins last before an address has it.
std::vector<KernelFunction> kernel_functions(const std::vector<uint64_t> &addresses, const std::string &symbols) {
    std::vector<KernelFunction> found(addresses.size()), functions;
    for (size_t at = 0; at < symbols.size();) {
        const size_t end = std::min(symbols.find('\n', at), symbols.size());
        KernelFunction function;
        if (parse(std::string_view(symbols).substr(at, end - at), function)) functions.push_back(std::move(function));
        at = end + 1;
    }
    std::stable_sort(functions.begin(), functions.end(),
                     [](const KernelFunction &a, const KernelFunction &b) { return a.start < b.start; });
    for (size_t i = 0; i < addresses.size(); i++) {
        const auto next = std::upper_bound(functions.begin(), functions.end(), addresses[i],
                                           [](uint64_t address, const KernelFunction &f) { return address < f.start; });
        if (next == functions.begin()) continue;
        // If several names share an address, the first one counts.
        const auto same = std::lower_bound(functions.begin(), next, std::prev(next)->start,
                                           [](const KernelFunction &f, uint64_t start) { return f.start < start; });
        found[i] = *same;
    }
    return found;
}

bool has_addresses(std::string_view symbols) {
    while (!symbols.empty()) {
        const size_t end = std::min(symbols.find('\n'), symbols.size());
        // Some symbols are at 0 in any case; a line that was cut has no type.
        if (end > 18 && symbols.find_first_not_of('0') < 16) return true;
        symbols.remove_prefix(std::min(end + 1, symbols.size()));
    }
    return false;
}

bool sees_kernel_addresses(const char *symbols) {
    std::string head;
    read_file(symbols, kSymbolsHead, head);  // the file is longer, or unreadable: this part is enough
    return has_addresses(head);
}

}  // namespace tapir::staprun
