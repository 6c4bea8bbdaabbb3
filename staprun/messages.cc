// SPDX-License-Identifier: GPL-2.0-or-later
#include "messages.h"

namespace tapir::staprun {

static constexpr size_t kWarningTable = 1024;

void Messages::write(const char *color, std::string_view label, std::string_view text) {
    std::string line = style_.colors.paint(color, label);
    if (!label.empty()) line += ": ";
    line += text;
    if (line.empty() || line.back() != '\n') line += '\n';
    writer_(line);
}

void Messages::error(std::string_view text) {
    seen_error_ = true;
    write("error", "ERROR", text);
}

void Messages::warning(std::string_view text) {
    if (style_.no_warnings) return;
    if (style_.verbose == 0) {
        if (warned_.count(std::string(text))) return;
        if (warned_.size() < kWarningTable) {
            warned_.emplace(text);
        } else if (!table_full_said_) {
            table_full_said_ = true;
            write("", "", "WARNING deduplication table full");
        }
    }
    write("warning", "WARNING", text);
}

void Messages::help(std::string_view text) {
    if (!text.empty() && helped_.emplace(text).second) write("", "help", text);
}

void Messages::say(std::string_view text) {
    write("", "", text);
}

void Messages::chat(unsigned level, std::string_view text) {
    if (style_.verbose >= level) say(text);
}

}  // namespace tapir::staprun
