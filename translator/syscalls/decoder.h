// SPDX-License-Identifier: GPL-2.0-or-later
// Decoders of a table: "flags(open)", "array(struct(iovec),vlen)". Private to syscalls/.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "syscalls/call_table.h"
#include "syscalls/table_words.h"

namespace tapir::syscalls {

// A decoder as written. For a case of choice(), `cases` are its values; `bits`: when these bits are set.
struct Decoder {
    SourceRef at;
    std::vector<Decoder> parameters;
    std::vector<SourceRef> cases;
    bool bits = false;
    std::string_view name() const { return at.text; }
};

// An argument or a field, with the names by which others refer to it.
struct Item {
    SourceRef at;
    std::vector<std::string_view> names;
    std::string_view label;
    std::optional<uint16_t> place[2];  // by ABI
    Decoder decoder;
};

// How the items of a call or of a structure (`here`: the values themselves are in memory, not only their addresses) are
// shown; their places are not filled in yet. False, with reports, when something is wrong.
bool build_shows(const std::vector<Item> &items, bool here, const Table &table, Diagnostics &diagnostics,
                 std::vector<Show> &shows);

// Bytes a field takes; of arguments, those of its value. `abi`: 0, or 1 for 32-bit programs.
uint16_t size_of(const Show &show, int abi);
uint16_t alignment_of(const Show &show, int abi);
// Sets where the value is, for all that stand for it.
void place(Show &show, int abi, uint16_t at);

// Does the type say how a number is shown, and nothing else?
bool is_plain_number(tapir_show_kind kind);
// A scalar C type of the tables ("int", "ulong", "s64"); nullopt for an unknown name.
std::optional<Show> scalar(std::string_view name);
// A number in C's notation.
std::optional<uint64_t> number(std::string_view text);

}  // namespace tapir::syscalls
