// SPDX-License-Identifier: GPL-2.0-or-later
// The definitions of an interactive session.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tapir::interactive {

// One probe, function, variable, macro, ... of those that were typed.
struct Item {
    enum class Kind : uint8_t { Probe, Alias, Function, Global, Macro, Table, Other };

    Kind kind = Kind::Other;
    std::string name;  // of probes and aliases the point, as it was written
    std::string key;   // one that comes later with the same key takes its place; "": all stay
    std::string text;  // without a newline at the end
};

// Parts a text at the keywords that begin definitions. `global a, b` is two of them. Text that begins no definition
// belongs to the one in front of it; in front of the first one it is a definition of its own.
std::vector<Item> part(const std::string &text);

class Definitions {
  public:
    // Adds them at the end, or in the place of those that they replace.
    void add(std::vector<Item> items);
    // Those that none of these would replace.
    Definitions without(const std::vector<Item> &items) const;
    // Removes the one with this number, counted from 1, or all with this name. False: there is none.
    bool remove(const std::string &word);
    // The place of the one with this number, or of the first with this name.
    std::optional<size_t> find(const std::string &word) const;

    const std::vector<Item> &items() const { return items_; }
    bool empty() const { return items_.empty(); }
    bool has_probes() const;
    // A script of them, in their order. Without probes, it has what others can use.
    std::string script(bool with_probes) const;

  private:
    std::vector<Item> items_;
};

}  // namespace tapir::interactive
