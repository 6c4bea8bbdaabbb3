// SPDX-License-Identifier: GPL-2.0-or-later
// Records as they come out of a stream of the module. The bytes are checked, not trusted.
#pragma once

#include <tapir/wire.h>

#include <cstdint>
#include <string_view>

namespace tapir::staprun {

struct Record {
    uint64_t time = 0;
    uint8_t type = 0;  // enum tapir_record_type
    uint8_t level = 0;
    uint16_t cpu = 0;
    std::string_view payload;
};

enum class Parse : uint8_t {
    Record,   // `out` is filled and `rest` moved behind it
    End,      // nothing is left
    Damaged,  // the rest is not a record; the place of the next one is unknown
};

// Takes the first record off `rest`; its payload points into it.
Parse next_record(std::string_view &rest, Record &out);

}  // namespace tapir::staprun
