// SPDX-License-Identifier: GPL-2.0-or-later
// Any bytes in place of a capture, and in place of what a block holds when it is decompressed: reading ends, and what
// was read refers to nothing that is not there.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "capture/capture_reader.h"
#include "capture/record_parser.h"

using namespace tapir;

namespace {

void check(const capture::Capture &capture) {
    for (const capture::Sample &sample : capture.samples) {
        const auto found = capture.stack_by_id.find(sample.stack);
        if (found == capture.stack_by_id.end() || capture.stacks.at(found->second).id != sample.stack) abort();
        if (sample.waker && !capture.stack_by_id.contains(sample.waker)) abort();
        if (sample.labels.size() > capture::kLabels) abort();
    }
    for (const capture::Stack &stack : capture.stacks)
        if (stack.frames.size() > capture::kFrames || capture::end_text(stack.user).empty()) abort();
    for (const capture::Table &table : capture.tables)
        for (const capture::TableRow &row : table.rows)
            if (row.cells.size() != table.columns.size() || row.cells.size() > capture::kCells) abort();
    for (const auto &[key, functions] : capture.names)
        if (functions.empty()) abort();
    if (!capture.how.empty() && !capture.damage.empty()) abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const std::string_view bytes(reinterpret_cast<const char *>(data), size);
    if (const Outcome<capture::Capture> read = capture::parse_capture(bytes)) check(*read);
    capture::Capture capture;
    capture::Parser parser(capture);
    if (!parser.block(bytes)) capture.damage = "it is damaged";
    if (!parser.ended() || !capture.damage.empty()) capture.how.clear();
    parser.finish();
    check(capture);
    return 0;
}
