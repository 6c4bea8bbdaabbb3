// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/perf_map.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <iterator>

#include "common/regular_file.h"

namespace tapir {

namespace {

// A hexadecimal number and the blanks behind it, taken off the front of a line.
bool take_number(std::string_view &line, uint64_t &number) {
    if (line.starts_with("0x") || line.starts_with("0X")) line.remove_prefix(2);
    const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), number, 16);
    if (error != std::errc() || end == line.data() + line.size() || *end != ' ') return false;
    line.remove_prefix(static_cast<size_t>(end - line.data()));
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    return true;
}

Fault unreadable(const std::string &path, const std::string &why) {
    return Fault{FaultTag::FileUnreadable, path + ": " + why};
}

}  // namespace

// New code replaces older code at its addresses. The rest of the older code stays: before, behind, or both.
void PerfMap::add(uint64_t start, uint64_t end, std::string_view name) {
    auto next = code_.lower_bound(start);
    if (next != code_.begin()) {
        const auto before = std::prev(next);
        const Code older = before->second;
        if (older.end > start) before->second.end = start;
        if (older.end > end) next = code_.emplace_hint(next, end, older);
    }
    while (next != code_.end() && next->first < end) {
        const Code older = next->second;
        next = code_.erase(next);
        if (older.end > end) next = code_.emplace_hint(next, end, older);
    }
    const size_t at = names_.size();
    for (const char c : name.substr(0, kMaxName))
        names_ += static_cast<unsigned char>(c) < ' ' || c == '\x7f' ? '?' : c;
    code_.emplace_hint(next, start, Code{end, at, names_.size() - at});
}

PerfMap PerfMap::parse(std::string_view text) {
    PerfMap map;
    while (!text.empty()) {
        std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(line.size() + 1, text.size()));
        if (line.ends_with('\r')) line.remove_suffix(1);
        uint64_t start = 0, bytes = 0;
        if (!take_number(line, start) || !take_number(line, bytes) || line.empty()) continue;
        if (bytes && bytes <= UINT64_MAX - start) map.add(start, start + bytes, line);
    }
    return map;
}

Outcome<PerfMap> PerfMap::read(int descriptor, const std::string &path, uid_t owner) {
    struct stat status {};
    if (fstat(descriptor, &status)) return unreadable(path, file_error(errno));
    if (!S_ISREG(status.st_mode)) return unreadable(path, file_error(kNotRegular));
    if (status.st_uid != 0 && status.st_uid != owner)
        return unreadable(path, "somebody else than the process's user owns it");
    if (status.st_mode & (S_IWGRP | S_IWOTH)) return unreadable(path, "others can write to it");
    const auto size = static_cast<size_t>(status.st_size), begin = size > kMaxFile ? size - kMaxFile : 0;
    std::string text(size - begin, '\0');
    size_t got = 0;
    for (ssize_t n = 1; n > 0 && got < text.size(); got += static_cast<size_t>(n)) {
        n = pread(descriptor, text.data() + got, text.size() - got, static_cast<off_t>(begin + got));
        if (n < 0) return unreadable(path, file_error(errno));
    }
    std::string_view rest(text.data(), got);
    if (begin) rest.remove_prefix(std::min(rest.find('\n'), rest.size()));
    return parse(rest);
}

std::string_view PerfMap::name(uint64_t address) const {
    const auto behind = code_.upper_bound(address);
    if (behind == code_.begin()) return {};
    const Code &code = std::prev(behind)->second;
    return address < code.end ? std::string_view(names_).substr(code.name, code.length) : std::string_view();
}

}  // namespace tapir
