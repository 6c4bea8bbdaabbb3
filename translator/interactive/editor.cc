// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The lines are edited by libedit. Its licence is BSD's: readline would put this program under version 3 of the GPL.
 * libedit asks for each character, and waits meanwhile for the background, too: its news are written in place of the
 * edited line, which is drawn again below them.
 */
#include "interactive/editor.h"

#include <histedit.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <clocale>
#include <csignal>
#include <cstdio>
#include <cwchar>

#include "common/files.h"
#include "common/quoting.h"
#include "common/screen.h"

namespace tapir::interactive {

namespace {

volatile sig_atomic_t interrupted;

void note_interrupt(int) {
    interrupted = 1;
}

constexpr int kHistoryLines = 1000;

// The longest beginning that all words have.
std::string common_beginning(const std::vector<std::string> &words) {
    std::string beginning = words.front();
    for (const std::string &word : words)
        beginning.resize(static_cast<size_t>(std::ranges::mismatch(beginning, word).in1 - beginning.begin()));
    return beginning;
}

// Words in columns, as many as fit into the width.
std::string in_columns(const std::vector<std::string> &words, size_t width) {
    constexpr size_t kMost = 200;
    const size_t shown = std::min(words.size(), kMost);
    size_t widest = 0;
    for (size_t i = 0; i < shown; i++)
        widest = std::max(widest, printable_width(words[i]) + 2);
    const size_t columns = std::max<size_t>(1, width / std::max<size_t>(widest, 1)),
                 rows = (shown + columns - 1) / columns;
    std::string text;
    for (size_t row = 0; row < rows; row++) {
        for (size_t i = row; i < shown; i += rows) {
            text += printable(words[i]);
            if (i + rows < shown) text.append(widest - printable_width(words[i]), ' ');
        }
        text += '\n';
    }
    if (shown < words.size()) text += "and " + std::to_string(words.size() - shown) + " more\n";
    return text;
}

}  // namespace

bool take_interrupt() {
    const bool was = interrupted;
    interrupted = 0;
    return was;
}

struct Editor::Terminal {
    Terminal(Background &b, std::string file, Complete c)
        : background(b), history_file(std::move(file)), complete(std::move(c)) {
        std::setlocale(LC_CTYPE, "");
        line = el_init("stap", stdin, stdout, stderr);
        history = history_init();
        if (!line || !history) return;
        HistEvent event;
        ::history(history, &event, H_SETSIZE, kHistoryLines);
        ::history(history, &event, H_SETUNIQUE, 1);
        if (!history_file.empty()) ::history(history, &event, H_LOAD, history_file.c_str());
        el_set(line, EL_CLIENTDATA, this);
        el_set(line, EL_PROMPT, prompt_of);
        el_set(line, EL_HIST, ::history, history);
        el_set(line, EL_EDITOR, "emacs");
        el_set(line, EL_ADDFN, "complete", "complete a word", on_tab);
        el_set(line, EL_BIND, "^I", "complete", nullptr);
        el_set(line, EL_BIND, "^R", "em-inc-search-prev", nullptr);
        el_set(line, EL_GETCFN, on_character);
        // The user's ~/.editrc.
        el_source(line, nullptr);
    }
    ~Terminal() {
        if (history) history_end(history);
        if (line) el_end(line);
    }

    static Terminal &self(EditLine *e) {
        void *data = nullptr;
        el_get(e, EL_CLIENTDATA, &data);
        return *static_cast<Terminal *>(data);
    }
    static char *prompt_of(EditLine *e) { return self(e).prompt.data(); }
    static unsigned char on_tab(EditLine *e, int) { return self(e).complete_word(); }
    static int on_character(EditLine *e, wchar_t *character) { return self(e).next_character(*character); }

    void keep(const std::string &text) {
        if (trim(text).empty()) return;
        HistEvent event;
        ::history(history, &event, H_ENTER, text.c_str());
        if (!history_file.empty()) ::history(history, &event, H_SAVE, history_file.c_str());
    }

    // Puts the cursor to the beginning of the edited line, and clears all below.
    void take_away() const {
        const LineInfo *info = el_line(line);
        const size_t columns = std::max<size_t>(1, screen_width(STDOUT_FILENO));
        const size_t column =
            prompt.size() + printable_width({info->buffer, static_cast<size_t>(info->cursor - info->buffer)});
        std::string codes = "\r";
        if (column / columns) codes += "\033[" + std::to_string(column / columns) + "A";
        write_all(STDOUT_FILENO, codes + "\033[J");
    }

    void show_above(const std::string &text) const {
        take_away();
        write_all(STDOUT_FILENO, text);
        el_set(line, EL_REFRESH);
    }

    // Follows the size of the terminal.
    void fit() {
        const size_t now = screen_width(STDOUT_FILENO);
        if (width && now != width) el_resize(line);
        width = now;
    }

    // libedit's reader of characters: 1, 0 at the end, -1 after an interruption.
    int next_character(wchar_t &character) {
        std::mbstate_t state = {};
        for (;;) {
            fit();
            if (interrupted) return -1;
            std::vector<pollfd> polled = {{STDIN_FILENO, POLLIN, 0}};
            for (int descriptor : background.descriptors())
                polled.push_back({descriptor, POLLIN, 0});
            const int ready = poll(polled.data(), polled.size(), background.wait_ms());
            if (ready < 0 && errno != EINTR) return -1;
            if (ready < 0) continue;
            if (const std::string news = background.news(); !news.empty()) show_above(news);
            if (!ready || !polled[0].revents) continue;
            char byte = 0;
            const ssize_t got = ::read(STDIN_FILENO, &byte, 1);
            if (got < 0 && errno == EINTR) continue;
            if (got <= 0) return static_cast<int>(got);
            const size_t taken = std::mbrtowc(&character, &byte, 1, &state);
            if (taken == static_cast<size_t>(-2)) continue;
            if (taken == static_cast<size_t>(-1)) {
                state = {};
                character = L'?';
            }
            return 1;
        }
    }

    unsigned char complete_word() const {
        const LineInfo *info = el_line(line);
        const std::string before(info->buffer, info->cursor);
        const Candidates found = complete(before);
        if (found.words.empty()) return CC_REFRESH_BEEP;
        const std::string beginning = common_beginning(found.words), word = before.substr(found.begin);
        const bool only = found.words.size() == 1;
        if (beginning.size() > word.size() || only) {
            const bool opens = beginning.ends_with('(') || beginning.ends_with(')') || beginning.ends_with('/') ||
                               beginning.ends_with('"');
            const std::string more = beginning.substr(word.size()) + (only && !opens ? " " : "");
            el_insertstr(line, more.c_str());
            return CC_REFRESH;
        }
        show_above(in_columns(found.words, screen_width(STDOUT_FILENO)));
        return CC_REFRESH;
    }

    Background &background;
    std::string history_file;
    Complete complete;
    std::string prompt;
    size_t width = 0;  // of the terminal, 0: not known yet
    EditLine *line = nullptr;
    History *history = nullptr;
};

Editor::Editor(Background &background, std::string history, Complete complete) : background_(background) {
    struct sigaction action = {};
    action.sa_handler = note_interrupt;  // without SA_RESTART: it ends waiting
    sigaction(SIGINT, &action, nullptr);
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)) return;
    terminal_ = std::make_unique<Terminal>(background, std::move(history), std::move(complete));
    if (!terminal_->line || !terminal_->history) terminal_.reset();
}

Editor::~Editor() = default;

bool Editor::edits() const {
    return terminal_ != nullptr;
}

void Editor::show(std::string_view text) {
    write_all(STDOUT_FILENO, text);
}

Editor::Result Editor::read_plainly(std::string &line) {
    for (;;) {
        const size_t end = rest_.find('\n');
        if (end != std::string::npos || (ended_ && !rest_.empty())) {
            line = rest_.substr(0, end);
            rest_.erase(0, end == std::string::npos ? end : end + 1);
            return Result::Line;
        }
        if (ended_) return Result::End;
        char bytes[4096];
        const ssize_t got = ::read(STDIN_FILENO, bytes, sizeof bytes);
        if (got < 0 && errno == EINTR) {
            if (take_interrupt()) return Result::Interrupted;
            continue;
        }
        if (got <= 0) ended_ = true;
        if (got > 0) rest_.append(bytes, static_cast<size_t>(got));
    }
}

Editor::Result Editor::read(const std::string &prompt, std::string &line) {
    if (!terminal_) return read_plainly(line);
    terminal_->prompt = prompt;
    int length = 0;
    const char *text = el_gets(terminal_->line, &length);
    if (take_interrupt()) {
        show("^C\n");
        return Result::Interrupted;
    }
    if (!text || length <= 0) {
        // The terminal's cursor stands behind the prompt.
        show("\n");
        return Result::End;
    }
    line.assign(text, static_cast<size_t>(length));
    while (line.ends_with('\n') || line.ends_with('\r'))
        line.pop_back();
    terminal_->keep(line);
    return Result::Line;
}

}  // namespace tapir::interactive
