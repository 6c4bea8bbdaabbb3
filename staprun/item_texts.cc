// SPDX-License-Identifier: GPL-2.0-or-later
#include "item_texts.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <map>
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
    tapir_rows_forget(&table_rows_);
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
    if (picture && tapir_rows_part(&table_rows_)) {
        make_room(used, 1);
        text_[used++] = '\n';
    }
    tapir_rows_interrupt(&table_rows_);
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
    tapir_rows_interrupt(&table_rows_);
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

bool ItemTexts::next(std::string_view &payload, Item &item) {
    if (payload.empty()) return false;
    const std::string_view rest = payload;
    payload = {};
    item.format = nullptr;
    u32 bytes = 0;
    if (rest.size() >= sizeof item.number) {
        memcpy(&item.number, rest.data(), sizeof item.number);
        const bool has_format = item.number < TAPIR_ITEM_FORMATS;
        const bool known = !has_format || (item.number < formats_.size() && formats_[item.number].pieces);
        if (known || learn(item.number)) {
            if (has_format) item.format = &formats_[item.number];
            bytes = tapir_item_bytes(formats_.data(), static_cast<u32>(formats_.size()), rest.data(),
                                     static_cast<u32>(rest.size()));
        }
    }
    if (!bytes) {
        bytes_damaged_ += rest.size();
        return false;
    }
    item.bytes = rest.substr(0, bytes);
    payload = rest.substr(bytes);
    if (watcher_) watcher_(item);
    return true;
}

std::vector<const tapir_item_format *> ItemTexts::tables(unsigned formats) {
    std::map<std::string, unsigned> numbers;
    for (unsigned i = 0; i < formats; i++) {
        tapir_table_head head = {};
        const bool known = i < formats_.size() && formats_[i].pieces;
        if (i < TAPIR_ITEM_FORMATS && (known || learn(i)) && tapir_is_table_row(&formats_[i]) &&
            tapir_table_head_read(&head, &formats_[i]))
            numbers.try_emplace(head.name, i);
    }
    std::vector<const tapir_item_format *> out;
    out.reserve(numbers.size());
    for (const auto &[name, number] : numbers)
        out.push_back(&formats_[number]);
    return out;
}

void ItemTexts::add_plain(const Item &item, size_t &used) {
    if (item.number == TAPIR_ITEM_HISTOGRAM) return;
    const u32 bytes = static_cast<u32>(item.bytes.size());
    if (item.number == TAPIR_ITEM_FRAMES) {
        tapir_item_frames frames = {};
        memcpy(&frames, item.bytes.data(), sizeof frames);
        if (add_lines(frames, used)) return;
    }
    const u32 most = tapir_item_text_most(item.format, bytes);
    make_room(used, most);
    used += tapir_item_text(item.format, item.bytes.data(), bytes, text_.data() + used, most);
}

std::string_view ItemTexts::plain(const Item &item) {
    size_t used = 0;
    add_plain(item, used);
    return std::string_view(text_).substr(0, used);
}

// A global's line waits for its table.
void ItemTexts::add_global(const Item &item, size_t &used) {
    size_t end = used;
    add_plain(item, end);
    const std::string line = text_.substr(used, end - used);
    const auto keep = [&] {
        return tapir_globals_add(&globals_, item.format, item.bytes.data(), line.data(), static_cast<u32>(line.size()));
    };
    if (keep()) return;
    end_globals(used);
    keep();
}

// False: it is damaged.
bool ItemTexts::add_row(const Item &item, size_t &used) {
    tapir_screen screen = {};
    tapir_screen_read(&screen, stdout_descriptor_());
    const auto keep = [&] { return tapir_rows_add(&table_rows_, &screen, item.format, item.bytes.data()); };
    if (keep()) return true;
    end_rows(used);
    return keep();
}

// Rows wait for others of the same record.
void ItemTexts::end_rows(size_t &used) {
    if (!table_rows_.rows) return;
    tapir_screen screen = {};
    tapir_screen_read(&screen, stdout_descriptor_());
    size_t length = 0;
    char *rows = tapir_rows_text(&table_rows_, &screen, &length);
    add_picture(rows, length, used);
}

// False: it is damaged.
bool ItemTexts::add(const Item &item, size_t &used) {
    const bool is_global = item.format && tapir_is_row(item.format);
    if (!is_global) end_globals(used);
    if (item.format && tapir_is_metric_row(item.format)) return true;  // it is for programs
    if (item.format && tapir_is_table_row(item.format)) return add_row(item, used);
    end_rows(used);
    if (item.number == TAPIR_ITEM_HISTOGRAM) return add_histogram(item.bytes, used);
    tapir_rows_interrupt(&table_rows_);
    if (is_global && draws_tables())
        add_global(item, used);
    else
        add_plain(item, used);
    return true;
}

std::string_view ItemTexts::text(std::string_view payload) {
    size_t used = 0;
    Item item;
    while (next(payload, item)) {
        if (add(item, used)) continue;
        bytes_damaged_ += item.bytes.size() + payload.size();
        break;
    }
    end_rows(used);
    return std::string_view(text_).substr(0, used);
}

}  // namespace tapir::staprun
