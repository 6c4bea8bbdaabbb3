// SPDX-License-Identifier: GPL-2.0-or-later
#include "record_lines.h"

namespace tapir::staprun {

RecordLines::RecordLines(ItemTexts &items, tapir_form form, unsigned formats) : items_(items) {
    records_.form = form;
    records_.many_tables = form == TAPIR_FORM_CSV && items.tables(formats).size() > 1;
}

RecordLines::~RecordLines() {
    tapir_records_free(&records_);
}

void RecordLines::begin(const tapir_stamp &stamp) {
    records_.stamp = stamp;
    records_.lines.used = 0;
}

std::string_view RecordLines::printed(const Record &record) {
    begin({record.time, record.cpu});
    if (record.type == TAPIR_REC_DATA) {
        tapir_records_text(&records_, record.payload.data(), record.payload.size());
        tapir_records_end_text(&records_);
        return lines();
    }
    std::string_view rest = record.payload;
    for (Item item; items_.next(rest, item);) {
        bool good = true;
        const std::string_view text = items_.plain(item);
        if (item.number == TAPIR_ITEM_HISTOGRAM)
            good = tapir_records_histogram(&records_, item.bytes.data(), static_cast<u32>(item.bytes.size()));
        else if (item.format)
            good = tapir_records_format(&records_, item.format, item.bytes.data(), text.data(), text.size());
        else
            tapir_records_text(&records_, text.data(), text.size());
        if (!good) items_.count_damaged(item.bytes.size());
    }
    tapir_records_end_text(&records_);
    return lines();
}

std::string_view RecordLines::message(const tapir_stamp &stamp, const char *type, std::string_view text) {
    begin(stamp);
    tapir_records_message(&records_, type, text.data(), text.size());
    return lines();
}

std::string_view RecordLines::other(const tapir_stamp &stamp, const char *type, const Members &members) {
    begin(stamp);
    tapir_records_other(
        &records_, type, [](tapir_json *json, void *with) { (*static_cast<const Members *>(with))(json); },
        const_cast<Members *>(&members));
    return lines();
}

}  // namespace tapir::staprun
