// SPDX-License-Identifier: GPL-2.0-or-later
#include "recorded_rows.h"

extern "C" {
#include "items/table_head.h"
}

namespace tapir::staprun {

namespace {

constexpr uint64_t kFlushNs = 1000000000;

}  // namespace

const capture::Table *RecordedRows::head(const tapir_item_format &format) {
    const auto [found, is_new] = heads_.try_emplace(format.number);
    capture::Table &table = found->second;
    tapir_table_head head = {};
    if (is_new && tapir_table_head_read(&head, &format)) {
        table.name = head.name;
        for (u32 i = 0; i < head.count; i++) {
            const tapir_column_head &column = head.columns[i];
            table.columns.push_back({column.name, column.unit, column.subject, column.kind == TAPIR_COLUMN_IS_TEXT});
        }
    }
    return table.columns.empty() ? nullptr : &table;
}

void RecordedRows::declare(const std::vector<const tapir_item_format *> &tables) {
    for (const tapir_item_format *format : tables)
        if (const capture::Table *table = head(*format)) recording_.table(*table);
    recording_.flush();
}

void RecordedRows::begin(const Record &record) {
    row_.time = record.time;
    row_.cpu = record.cpu;
    row_.begins_block = true;
    // Messages interrupt a table, too.
    if (record.type != TAPIR_REC_PRINT) row_.after_other = true;
}

void RecordedRows::take(const Item &item) {
    const bool is_row = item.format && tapir_is_table_row(item.format) && !tapir_is_metric_row(item.format);
    const capture::Table *table = is_row ? head(*item.format) : nullptr;
    if (!table) {
        row_.begins_block = row_.after_other = true;
        return;
    }
    row_.cells.clear();
    const char *at = item.bytes.data() + sizeof(u16);
    for (u32 i = 0; i < item.format->nargs; i++) {
        const tapir_cell cell = tapir_cell_take(item.format, i, &at);
        row_.cells.push_back(cell.text ? cell.text : std::to_string(cell.number));
    }
    recording_.row(*table, row_);
    row_.begins_block = row_.after_other = false;
    count_++;
}

uint64_t RecordedRows::due() const {
    return count_ == flushed_count_ ? UINT64_MAX : flushed_ + kFlushNs;
}

void RecordedRows::flush(uint64_t now) {
    if (now < due()) return;
    flushed_ = now;
    flushed_count_ = count_;
    recording_.flush();
}

}  // namespace tapir::staprun
