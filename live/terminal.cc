// SPDX-License-Identifier: GPL-2.0-or-later
#include "live/terminal.h"

// Macros of curses would replace names of C++.
#define NCURSES_NOMACROS 1
#define NCURSES_WIDECHAR 1
#include <curses.h>
#include <unistd.h>

#include "live/display.h"

namespace tapir::live {

namespace {

constexpr int kEscapeMs = 25;  // that a sequence of a key may take

attr_t attributes(Style style) {
    switch (style) {
        case Style::Head:
            return A_BOLD | A_UNDERLINE;
        case Style::Bold:
            return A_BOLD;
        case Style::Dim:
            return A_DIM;
        case Style::Bad:
            return has_colors() ? A_BOLD | static_cast<attr_t>(COLOR_PAIR(1)) : A_REVERSE | A_BOLD;
        case Style::Reverse:
            return A_REVERSE;
        default:
            return A_NORMAL;
    }
}

}  // namespace

bool Terminal::open() {
    keys_ = isatty(STDIN_FILENO) ? stdin : fopen("/dev/tty", "r+e");
    return keys_ && isatty(fileno(keys_));
}

void Terminal::enter() {
    if (entered_ || !keys_) return;
    if (!screen_) {
        screen_ = newterm(nullptr, stdout, keys_);
        if (!screen_) return;
        set_term(static_cast<SCREEN *>(screen_));
        if (has_colors() && !getenv("NO_COLOR")) {
            start_color();
            use_default_colors();
            init_pair(1, COLOR_RED, -1);
        }
        cbreak();
        noecho();
        nonl();
        keypad(stdscr, true);
        nodelay(stdscr, true);
        set_escdelay(kEscapeMs);
        curs_set(0);
    }
    entered_ = true;
    disturbed_ = true;
}

void Terminal::leave() {
    if (entered_) endwin();
    entered_ = false;
}

int Terminal::descriptor() const {
    return entered_ ? fileno(keys_) : -1;
}

size_t Terminal::rows() const {
    return static_cast<size_t>(LINES);
}

size_t Terminal::columns() const {
    return static_cast<size_t>(COLS);
}

void Terminal::draw(const std::vector<Line> &lines) {
    if (!entered_) return;
    if (disturbed_) clearok(curscr, true);
    disturbed_ = false;
    erase();
    for (size_t i = 0; i < lines.size(); i++) {
        const attr_t how = attributes(lines[i].style);
        attrset(static_cast<int>(how));
        mvaddstr(static_cast<int>(i), 0, lines[i].text.c_str());
        // The bar of the head has the screen's width.
        if (lines[i].style == Style::Reverse && i == 0)
            for (int x = getcurx(stdscr); x < COLS && getcury(stdscr) == 0; x++)
                mvaddch(0, x, ' ');
        attrset(A_NORMAL);
    }
    refresh();
}

int Terminal::key() {
    const int key = entered_ ? getch() : ERR;
    switch (key) {
        case ERR:
            return -1;
        case KEY_UP:
            return kKeyUp;
        case KEY_DOWN:
            return kKeyDown;
        case KEY_PPAGE:
            return kKeyPageUp;
        case KEY_NPAGE:
            return kKeyPageDown;
        case KEY_HOME:
            return kKeyHome;
        case KEY_END:
            return kKeyEnd;
        case KEY_BTAB:
            return kKeyBackTab;
        case KEY_BACKSPACE:
            return kKeyBackspace;
        case KEY_ENTER:
            return '\n';
        default:
            return key > 0xff ? 0 : key;  // KEY_RESIZE, too
    }
}

}  // namespace tapir::live
