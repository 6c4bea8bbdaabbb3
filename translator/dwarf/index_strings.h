// SPDX-License-Identifier: GPL-2.0-or-later
// The strings and scopes of an index while it is made.
#pragma once

#include <functional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "dwarf/index.h"

namespace tapir::dwarf {

// Each string once, in the order they came.
class Strings {
  public:
    Strings() : known_(64, Hash{&bytes_}, Same{&bytes_}) { add(""); }
    Strings(const Strings &) = delete;
    Strings &operator=(const Strings &) = delete;

    StringRef add(std::string_view text) {
        const auto found = known_.find(text);
        if (found != known_.end()) return *found;
        const auto ref = static_cast<StringRef>(bytes_.size());
        bytes_.insert(bytes_.end(), text.begin(), text.end());
        bytes_.push_back('\0');
        known_.insert(ref);
        return ref;
    }
    // Names of DIEs mostly lie in .debug_str, where one name has one address.
    StringRef add_pooled(const char *text) {
        if (!text || !*text) return 0;
        const auto [at, is_new] = pooled_.try_emplace(text, 0);
        if (is_new) at->second = add(text);
        return at->second;
    }
    const std::vector<char> &bytes() const { return bytes_; }
    std::string_view text(StringRef ref) const { return bytes_.data() + ref; }

  private:
    struct Hash {
        using is_transparent = void;
        const std::vector<char> *bytes;
        size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
        size_t operator()(StringRef ref) const { return (*this)(std::string_view(bytes->data() + ref)); }
    };
    struct Same {
        using is_transparent = void;
        const std::vector<char> *bytes;
        bool operator()(StringRef a, StringRef b) const { return a == b; }
        bool operator()(std::string_view text, StringRef ref) const { return text == bytes->data() + ref; }
        bool operator()(StringRef ref, std::string_view text) const { return text == bytes->data() + ref; }
    };

    std::vector<char> bytes_;
    std::unordered_set<StringRef, Hash, Same> known_;
    std::unordered_map<const char *, StringRef> pooled_;
};

// Each scope once; a parent comes before its children.
class ScopeTable {
  public:
    uint32_t add(uint32_t parent, StringRef name) {
        const uint64_t key = (static_cast<uint64_t>(parent) << 32) | name;
        const auto [at, is_new] = known_.try_emplace(key, static_cast<uint32_t>(entries_.size()));
        if (is_new) entries_.push_back({parent, name, 0});
        return at->second;
    }
    void set_inlined(uint32_t scope) { entries_[scope].inlined = 1; }
    const std::vector<ScopeEntry> &entries() const { return entries_; }

  private:
    std::vector<ScopeEntry> entries_ = {{0, 0, 0}};
    std::unordered_map<uint64_t, uint32_t> known_;
};

}  // namespace tapir::dwarf
