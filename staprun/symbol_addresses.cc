// SPDX-License-Identifier: GPL-2.0-or-later
#include "symbol_addresses.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "common/plain_text.h"
#include "privileges.h"

namespace tapir::staprun {

SymbolScan::SymbolScan(const std::vector<std::string> &names) : found_(names.size()), rank_(names.size()) {
    for (size_t i = 0; i < names.size(); i++)
        slot_.push_back(wanted_.emplace(names[i], i).first->second);
}

// Ranks a symbol by the type that nm shows: functions before data, the kernel's before those of modules. 0: neither.
static int rank_of(char type) {
    static constexpr std::string_view kFunctions = "tTwW", kData = "bBdDrRvV";
    if (kFunctions.find(type) != std::string_view::npos) return 3;
    return kData.find(type) != std::string_view::npos ? 1 : 0;
}

// The best one counts, and of equals the first.
void SymbolScan::take(size_t i, uint64_t address, int rank) {
    if (rank <= rank_[i]) return;
    found_[i] = address;
    rank_[i] = rank;
}

// "ffffffff81000000 T name" or "ffffffffc0000000 t name\t[module]"
void SymbolScan::take_line(std::string_view line) {
    uint64_t address = 0;
    size_t at = 0;
    for (; at < line.size() && at < 16 && line[at] != ' '; at++) {
        char c = line[at];
        unsigned digit =
            c >= '0' && c <= '9' ? static_cast<unsigned>(c - '0') : static_cast<unsigned>((c | 32) - 'a' + 10);
        if (digit > 15) return;
        address = address << 4 | digit;
    }
    if (at == 0 || at + 3 >= line.size() || line[at] != ' ' || line[at + 2] != ' ') return;
    lines_++;
    if (address) any_address_ = true;
    const int rank = rank_of(line[at + 1]);
    if (!rank) return;
    std::string_view name = line.substr(at + 3);
    size_t tab = name.find('\t');
    auto found = wanted_.find(name.substr(0, tab));
    if (found != wanted_.end()) take(found->second, address, tab == std::string_view::npos ? rank + 1 : rank);
}

void SymbolScan::feed(std::string_view piece) {
    while (!piece.empty()) {
        size_t end = piece.find('\n');
        if (end == std::string_view::npos) {
            partial_ += piece;
            return;
        }
        if (partial_.empty()) {
            take_line(piece.substr(0, end));
        } else {
            partial_ += piece.substr(0, end);
            take_line(partial_);
            partial_.clear();
        }
        piece.remove_prefix(end + 1);
    }
}

static int open_kallsyms(const char *path) {
    const Right right(Need::Symbols);
    return open(path, O_RDONLY | O_CLOEXEC);
}

static Fault lookup_failed(const std::string &text) {
    return {FaultTag::ControlFailed, text};
}

static Outcome<void> scan_kallsyms(const char *path, SymbolScan &scan) {
    int fd = open_kallsyms(path);
    if (fd < 0) return lookup_failed(format("Couldn't read %s: %s", path, strerror(errno)));
    std::vector<char> chunk(65536);
    ssize_t got;
    while ((got = read(fd, chunk.data(), chunk.size())) > 0)
        scan.feed({chunk.data(), static_cast<size_t>(got)});
    int error = got < 0 ? errno : 0;
    close(fd);
    if (error) return lookup_failed(format("Couldn't read %s: %s", path, strerror(error)));
    scan.feed("\n");
    if (scan.addresses_hidden())
        return Fault{FaultTag::SymbolsHidden, format("%s shows no addresses (kernel.kptr_restrict is 2?)", path)};
    return {};
}

Outcome<void> resolve_symbols(Control &control, uint32_t count, const char *kallsyms) {
    std::vector<std::string> names;
    for (uint32_t i = 0; i < count; i++) {
        tapir_ioc_symbol symbol = {};
        symbol.index = i;
        if (int error = control.symbol_get(symbol))
            return lookup_failed(format("Couldn't ask the module for its symbols: %s", strerror(error)));
        names.emplace_back(symbol.name, strnlen(symbol.name, sizeof symbol.name));
    }
    // Those of modules it finds itself when they are there.
    const auto is_modules = [](const std::string &name) { return name.find(':') != std::string::npos; };
    if (std::all_of(names.begin(), names.end(), is_modules)) return {};
    SymbolScan scan(names);
    if (Outcome<void> scanned = scan_kallsyms(kallsyms, scan); !scanned) return scanned;
    for (uint32_t i = 0; i < count; i++) {
        tapir_ioc_symbol symbol = {};
        if (is_modules(names[i])) continue;
        symbol.index = i;
        symbol.address = scan.address(i);
        memcpy(symbol.name, names[i].data(),
               names[i].size() < sizeof symbol.name ? names[i].size() : sizeof symbol.name - 1);
        if (int error = control.symbol_set(symbol))
            return lookup_failed(format("Couldn't tell the module its symbols: %s", strerror(error)));
    }
    return {};
}

}  // namespace tapir::staprun
