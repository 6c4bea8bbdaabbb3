// SPDX-License-Identifier: GPL-2.0-or-later
#include "item_texts.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>

extern "C" {
#include "items/histogram_table.h"
#include "items/item_text.h"
}

namespace tapir::staprun {

namespace {

constexpr u32 kDescription = 4096;        // what most need
constexpr u32 kLines = 1 << 16;           // more than the longest line of a stack
constexpr u32 kDescriptionMax = 1 << 24;  // more than a format may have pieces

}  // namespace

ItemTexts::~ItemTexts() {
    for (tapir_item_format &f : formats_)
        tapir_format_free(&f);
    tapir_histogram_forget(&rows_);
    tapir_globals_forget(&globals_);
}

// Asks the module for a format, when it is first met.
bool ItemTexts::learn(unsigned number) {
    std::string description(kDescription, '\0');
    tapir_ioc_format request = {};
    for (;;) {
        request.index = number;
        request.length = static_cast<u32>(description.size());
        request.buffer = reinterpret_cast<uintptr_t>(description.data());
        if (control_.format(request) != 0 || request.length > kDescriptionMax) return false;
        if (request.length <= description.size()) break;
        description.resize(request.length);
    }
    description.resize(request.length);
    if (number >= formats_.size()) {
        formats_.resize(number + 1);
        descriptions_.resize(number + 1);
    }
    tapir_item_format format = {};
    descriptions_[number] = std::move(description);
    if (tapir_format_read(descriptions_[number].data(), request.length, &format) != 0) return false;
    format.number = static_cast<u16>(number);
    formats_[number] = format;
    return true;
}

void ItemTexts::make_room(size_t used, size_t more) {
    if (text_.size() - used < more) text_.resize(std::max(used + more, 2 * text_.size()));
}

// A stack, once the tables are there that it needs. False: the module does not have it any more.
bool ItemTexts::add_lines(const tapir_item_frames &frames, size_t &used) {
    tapir_ioc_frames request = {};
    request.id = frames.id;
    request.form = frames.form;
    bool any = false;
    do {
        make_room(used, kLines);
        request.buffer = reinterpret_cast<uintptr_t>(text_.data() + used);
        request.length = kLines;
        int error = control_.frames(request);
        // The module has no tables yet: this program makes them.
        for (; error == EAGAIN && !request.last; error = control_.frames(request))
            request.last = !make_tables_();
        if (error) return any;
        any = true;
        used += std::min(request.filled, kLines);
    } while (request.at);
    return true;
}

bool ItemTexts::add_picture(char *picture, size_t length, size_t &used) {
    const std::unique_ptr<char, decltype(&free)> owned(picture, free);
    if (!picture) return false;
    make_room(used, length);
    memcpy(text_.data() + used, picture, length);
    used += length;
    return true;
}

// Rows of a table wait for its end.
bool ItemTexts::add_histogram(std::string_view item, size_t &used) {
    bool is_end = false;
    const u64 table = tapir_histogram_table(item.data(), &is_end);
    const u32 bytes = static_cast<u32>(item.size());
    if (table && !is_end) return tapir_histogram_keep(&rows_, item.data(), bytes);
    tapir_screen screen = {};
    tapir_screen_read(&screen, stdout_descriptor_());
    size_t length = 0;
    char *picture = is_end ? tapir_histogram_table_text(&rows_, table, &screen, &length)
                           : tapir_histogram_text(item.data(), bytes, &screen, &length);
    return add_picture(picture, length, used);
}

// Globals that are displayed at the end are tables for people at their terminal.
bool ItemTexts::draws_tables() {
    if (plain_) return false;
    tapir_screen screen = {};
    tapir_screen_read(&screen, stdout_descriptor_());
    return screen.terminal;
}

void ItemTexts::end_globals(size_t &used) {
    if (!globals_.rows) return;
    tapir_screen screen = {};
    tapir_screen_read(&screen, stdout_descriptor_());
    size_t length = 0;
    char *table = tapir_globals_text(&globals_, &screen, &length);
    add_picture(table, length, used);
}

std::string_view ItemTexts::rest(bool all) {
    size_t used = 0;
    end_globals(used);
    if (!all) return std::string_view(text_).substr(0, used);
    tapir_screen screen = {};
    tapir_screen_read(&screen, stdout_descriptor_());
    while (const u64 table = tapir_histogram_unended(&rows_)) {
        size_t length = 0;
        char *picture = tapir_histogram_table_text(&rows_, table, &screen, &length);
        add_picture(picture, length, used);
    }
    return std::string_view(text_).substr(0, used);
}

std::string_view ItemTexts::text(std::string_view payload) {
    size_t used = 0;
    while (!payload.empty()) {
        u16 number = 0;
        const tapir_item_format *format = nullptr;
        if (payload.size() < sizeof number) break;
        memcpy(&number, payload.data(), sizeof number);
        if (number < TAPIR_ITEM_FORMATS) {
            if ((number >= formats_.size() || !formats_[number].pieces) && !learn(number)) break;
            format = &formats_[number];
        }
        const u32 bytes = tapir_item_bytes(formats_.data(), static_cast<u32>(formats_.size()), payload.data(),
                                           static_cast<u32>(payload.size()));
        if (!bytes) break;
        if (!format || !tapir_is_row(format)) end_globals(used);
        if (number == TAPIR_ITEM_FRAMES) {
            tapir_item_frames frames = {};
            memcpy(&frames, payload.data(), sizeof frames);
            if (add_lines(frames, used)) {
                payload.remove_prefix(bytes);
                continue;
            }
        }
        if (number == TAPIR_ITEM_HISTOGRAM) {
            if (!add_histogram(payload.substr(0, bytes), used)) break;
            payload.remove_prefix(bytes);
            continue;
        }
        const u32 most = tapir_item_text_most(format, bytes);
        make_room(used, most);
        const u32 length = tapir_item_text(format, payload.data(), bytes, text_.data() + used, most);
        if (format && tapir_is_row(format) && draws_tables()) {
            const std::string line = text_.substr(used, length);
            if (!tapir_globals_add(&globals_, format, payload.data(), line.data(), length)) {
                end_globals(used);
                tapir_globals_add(&globals_, format, payload.data(), line.data(), length);
            }
        } else {
            used += length;
        }
        payload.remove_prefix(bytes);
    }
    bytes_damaged_ += payload.size();
    return std::string_view(text_).substr(0, used);
}

}  // namespace tapir::staprun
