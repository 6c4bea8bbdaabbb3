// SPDX-License-Identifier: GPL-2.0-or-later
// The output of --format=json and --format=csv: records for programs, a line each. docs/output.md describes them.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

extern "C" {
#include "items/output_records.h"
}

#include "item_texts.h"
#include "records.h"

namespace tapir::staprun {

class RecordLines {
  public:
    using Members = std::function<void(tapir_json *)>;

    // `formats`: how many the module has.
    RecordLines(ItemTexts &items, tapir_form form, unsigned formats);
    ~RecordLines();
    RecordLines(const RecordLines &) = delete;
    RecordLines &operator=(const RecordLines &) = delete;

    // Lines are valid until the next call. printed() makes them of a record of type DATA or PRINT. It leaves out
    // damaged payloads, which the ItemTexts count.
    std::string_view printed(const Record &record);
    // Something was printed for which CSV has no lines.
    bool left_out() const { return records_.left_out; }
    std::string_view message(const tapir_stamp &stamp, const char *type, std::string_view text);
    // `members` may be called twice, and is to write the same.
    std::string_view other(const tapir_stamp &stamp, const char *type, const Members &members);

  private:
    void begin(const tapir_stamp &stamp);
    std::string_view lines() const { return {records_.lines.text, records_.lines.used}; }

    ItemTexts &items_;
    tapir_records records_ = {};
};

}  // namespace tapir::staprun
