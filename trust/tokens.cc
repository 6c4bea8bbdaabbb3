// SPDX-License-Identifier: GPL-2.0-or-later
#include "trust/tokens.h"

#include <openssl/crypto.h>

#include <algorithm>
#include <charconv>
#include <sstream>

#include "common/hash.h"

namespace tapir::trust {
namespace {

bool is_hash(const std::string &text) {
    return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

Fault bad_tokens(const std::string &why) {
    return {FaultTag::BadConfiguration, why};
}

}  // namespace

bool is_plain_name(std::string_view name) {
    if (name.empty() || name.size() > 64 || name[0] == '.' || name[0] == '-') return false;
    return std::all_of(name.begin(), name.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               std::string_view("._+~-").find(c) != std::string_view::npos;
    });
}

Outcome<void> Tokens::parse(std::string_view text) {
    std::vector<Entry> entries;
    std::istringstream lines{std::string(text)};
    int number = 0;
    for (std::string line; std::getline(lines, line);) {
        ++number;
        line.resize(std::min(line.size(), line.find('#')));
        std::istringstream words(line);
        Entry entry = {"", "", INT64_MAX};
        std::string end, more;
        if (!(words >> entry.name)) continue;
        const std::string where = "line " + std::to_string(number) + ": ";
        if (!is_plain_name(entry.name)) return bad_tokens(where + "the token's name is not plain");
        if (!(words >> entry.hash) || !is_hash(entry.hash))
            return bad_tokens(where + "no SHA-256 in 64 lower-case hexadecimal digits");
        if (words >> end) {
            const auto [last, error] = std::from_chars(end.data(), end.data() + end.size(), entry.not_after);
            if (error != std::errc() || last != end.data() + end.size())
                return bad_tokens(where + "the time is not a number of seconds");
        }
        if (words >> more) return bad_tokens(where + "there is more than NAME SHA256 [NOT-AFTER]");
        entries.push_back(std::move(entry));
    }
    entries_ = std::move(entries);
    return {};
}

std::string Tokens::name_of(std::string_view token, int64_t now) const {
    const std::string hash = sha256(token);
    const Entry *found = nullptr;
    for (const Entry &entry : entries_)
        if (CRYPTO_memcmp(hash.data(), entry.hash.data(), hash.size()) == 0) found = &entry;
    return found && now <= found->not_after ? found->name : "";
}

}  // namespace tapir::trust
