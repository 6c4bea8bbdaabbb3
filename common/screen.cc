// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/screen.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>

namespace tapir {

namespace {

constexpr size_t kNarrowest = 20, kWidest = 400, kUsual = 100;

constexpr struct {
    const char *color;
    std::string_view label, documented;
} kVoices[] = {{"error", "error", "ERROR"}, {"warning", "notice", "WARNING"}, {"help", "help", "help"}};

// As setlocale() would find it, which programs that print no numbers of a locale need not call.
bool has_utf8_locale() {
    for (const char *name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
        const char *value = std::getenv(name);
        if (value && *value) return strcasestr(value, "utf-8") || strcasestr(value, "utf8");
    }
    return false;
}

std::string labelled(const Screen &screen, std::string_view color, std::string_view label, std::string_view text) {
    std::string out = screen.colors.paint(color, label) + ": " + std::string(text);
    if (!out.ends_with('\n')) out += '\n';
    return out;
}

}  // namespace

size_t screen_width(int fd) {
    winsize size = {};
    if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col) return std::clamp<size_t>(size.ws_col, kNarrowest, kWidest);
    const char *set = std::getenv("COLUMNS");
    size_t width = 0;
    if (set) std::from_chars(set, set + std::strlen(set), width);
    return width ? std::clamp(width, kNarrowest, kWidest) : kUsual;
}

Screen screen_of(int fd, Coloring when) {
    const char *set = std::getenv("TAPIR_MESSAGES");
    const std::string_view wanted = set ? set : "";
    Screen screen;
    screen.for_people = wanted == "terminal" || (wanted != "plain" && isatty(fd));
    screen.width = screen_width(fd);
    screen.utf8 = has_utf8_locale();
    screen.colors = Colors(when, fd);
    // The table of widths is read now: later a program may have given up its rights to.
    if (screen.for_people) columns("\u00e9");
    return screen;
}

std::string said(const Screen &screen, Voice voice, std::string_view text) {
    const auto &words = kVoices[static_cast<size_t>(voice)];
    if (!screen.for_people) return labelled(screen, words.color, words.label, text);
    const size_t begin = words.label.size() + 2;
    // On a narrow screen most of each line is text.
    const size_t hang = std::min(begin, screen.width / 5);
    const LongWord long_word = voice == Voice::Help ? LongWord::Keep : LongWord::Shorten;
    std::string out = screen.colors.paint(words.color, std::string(words.label) + ":");
    bool first = true;
    for (const std::string &line : wrapped(text, {screen.width, begin, hang, long_word, screen.gap()})) {
        out += first ? " " : std::string(line.empty() ? 0 : hang, ' ');
        out += (voice == Voice::Error ? screen.colors.paint("answer", line) : line) + "\n";
        first = false;
    }
    return out;
}

std::string told(const Screen &screen, Voice voice, std::string_view text) {
    if (screen.for_people) return said(screen, voice, text);
    const auto &words = kVoices[static_cast<size_t>(voice)];
    return labelled(screen, words.color, words.documented, text);
}

std::string result_line(const Screen &screen, std::string_view color, std::string_view result,
                        std::string_view reading) {
    constexpr size_t kRight = 80;  // readers miss it further to the right
    const size_t right = std::min(screen.width, kRight);
    std::string out;
    size_t used = 0;
    for (const std::string &line : wrapped(result, {screen.width, 0, 0, LongWord::Shorten, screen.gap()})) {
        if (used) out += '\n';
        out += screen.colors.paint(color, line);
        used = columns(line);
    }
    if (reading.empty()) return out + "\n";
    const size_t needed = columns(reading);
    if (used + 2 + needed <= right)
        out.append(right - used - needed, ' ');
    else
        out += '\n';
    return out + screen.colors.paint("dim", reading) + "\n";
}

}  // namespace tapir
