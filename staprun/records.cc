// SPDX-License-Identifier: GPL-2.0-or-later
#include "records.h"

#include <cstring>

namespace tapir::staprun {

Parse next_record(std::string_view &rest, Record &out) {
    if (rest.empty()) return Parse::End;
    tapir_record header;
    if (rest.size() < sizeof header) return Parse::Damaged;
    memcpy(&header, rest.data(), sizeof header);
    if (header.length > TAPIR_RECORD_MAX || header.type < TAPIR_REC_DATA || header.type > TAPIR_REC_PRINT)
        return Parse::Damaged;
    size_t size = TAPIR_RECORD_SIZE(header.length);
    if (size > rest.size()) return Parse::Damaged;
    out.time = header.time;
    out.type = header.type;
    out.level = header.level;
    out.cpu = header.cpu;
    out.payload = rest.substr(sizeof header, header.length);
    rest.remove_prefix(size);
    return Parse::Record;
}

}  // namespace tapir::staprun
