// SPDX-License-Identifier: GPL-2.0-or-later
// The formats. Each function gives the whole file.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "report/profile.h"

extern "C" {
#include "items/measures.h"
}

namespace tapir::report {

struct Picture {
    const FrameTable &frames;
    const Profile &profile;
    const Profile *before = nullptr;  // what the profile is compared with; it shares `frames`
};

// The writer of each format: returns the whole file.
#define TAPIR_PICTURE(name, suffix, writer, compares) std::string writer(const Picture &picture);
#include "capture/formats.def"
#undef TAPIR_PICTURE

struct TextLayout {
    size_t columns = 100;                                      // of the terminal; 40 at least
    bool all = false;                                          // functions and causes, however many there are
    tapir_screen screen = {TAPIR_SCREEN_USUAL, false, false};  // of tables
};
// For terminals: what the script printed, its tables, of what the picture is, how far it can be trusted, cards, the
// functions with the largest totals. The capture loses what the script printed.
std::string render_text(const Picture &picture, capture::Capture &capture, const TextLayout &layout = {});

struct Format {
    std::string_view name;                          // as --format takes it
    std::string_view suffix;                        // of files
    std::string (*render)(const Picture &picture);  // null: render_text()
    bool compares;                                  // knows what to do with Picture::before
};

const Format *find_format(std::string_view name);
// The format with the longest suffix that fits; null if none does.
const Format *format_of_file(std::string_view path);
// "folded, svg, ..."
std::string format_names();
std::string format_suffixes();

}  // namespace tapir::report
