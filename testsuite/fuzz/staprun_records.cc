// SPDX-License-Identifier: GPL-2.0-or-later
// Any bytes in place of records and of the formats that their text is made by: the merge ends, its output is in order,
// and every byte is accounted for.
#include <cstdlib>
#include <string>

#include "item_texts.h"
#include "merge.h"
#include "record_lines.h"
#include "unit/staprun/fake.h"

using namespace tapir::staprun;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    constexpr unsigned kCpus = 2;
    FakeControl control;
    control.state = TAPIR_STATE_DONE;
    // One byte of stream and CPU, one of length in units of 8 (so that headers are hit), then that many bytes.
    for (size_t at = 0; at + 2 < size;) {
        unsigned which = data[at];
        size_t length = std::min<size_t>(data[at + 1] * size_t{8} + which / 64, size - at - 2);
        if (which % 8 == 7)
            control.formats.emplace_back(reinterpret_cast<const char *>(data + at + 2), length);
        else if (length)
            control.add_bytes(which % TAPIR_STREAMS, which / 8 % kCpus,
                              std::string(reinterpret_cast<const char *>(data + at + 2), length));
        at += 2 + length;
    }
    Merger merger(control, kCpus);
    ItemTexts texts(
        control, [] { return false; }, [] { return -1; });
    ItemTexts items(
        control, [] { return false; }, [] { return -1; });
    RecordLines lines(items, TAPIR_FORM_JSON, 0);
    uint64_t last = 0;
    uint64_t bytes = 0;
    Merger::Round round = merger.round([&](const Record &record) {
        if (record.time < last || record.payload.size() > TAPIR_RECORD_MAX) abort();
        last = record.time;
        const uint64_t damaged = texts.bytes_damaged();
        const std::string_view text = record.type == TAPIR_REC_PRINT ? texts.text(record.payload) : record.payload;
        // An item takes two bytes at least, and its text is bounded.
        if (text.size() > record.payload.size() / 2 * TAPIR_ITEM_SPREAD + record.payload.size()) abort();
        if (texts.bytes_damaged() - damaged > record.payload.size()) abort();
        if (const std::string_view json = lines.printed(record); !json.empty() && !json.ends_with("}\n")) abort();
        bytes += TAPIR_RECORD_SIZE(record.payload.size());
        return true;
    });
    if (round.error || bytes + merger.bytes_damaged() != merger.bytes_read()) abort();
    return 0;
}
