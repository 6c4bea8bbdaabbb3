// SPDX-License-Identifier: GPL-2.0-or-later
#include "messages.h"

#include <unistd.h>

namespace tapir::staprun {

static constexpr size_t kWarningTable = 1024;

void Messages::tell(Voice voice, std::string_view text) {
    // A session may be longer than its terminal has one size.
    if (style_.screen.for_people) style_.screen.width = screen_width(STDERR_FILENO);
    writer_(told(style_.screen, voice, text));
}

void Messages::error(std::string_view text) {
    seen_error_ = true;
    if (listener_) listener_("error", text);
    tell(Voice::Error, text);
}

void Messages::warning(std::string_view text) {
    if (style_.no_warnings) return;
    if (listener_) listener_("warning", text);
    if (style_.verbose == 0) {
        if (warned_.count(std::string(text))) return;
        if (warned_.size() < kWarningTable) {
            warned_.emplace(text);
        } else if (!table_full_said_) {
            table_full_said_ = true;
            say("WARNING deduplication table full");
        }
    }
    tell(Voice::Notice, text);
}

void Messages::help(std::string_view text) {
    if (!text.empty() && helped_.emplace(text).second) tell(Voice::Help, text);
}

void Messages::say(std::string_view text) {
    std::string line(text);
    if (!line.ends_with('\n')) line += '\n';
    writer_(line);
}

void Messages::chat(unsigned level, std::string_view text) {
    if (style_.verbose >= level) say(text);
}

}  // namespace tapir::staprun
