// SPDX-License-Identifier: GPL-2.0-or-later
// The terminal, by ncurses: its alternate screen, and keys.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "live/layout.h"

namespace tapir::live {

class Terminal {
  public:
    Terminal() = default;
    ~Terminal() { leave(); }
    Terminal(const Terminal &) = delete;
    Terminal &operator=(const Terminal &) = delete;

    // Opens where keys come from: standard input if that is a terminal, else the process's own. False: neither is one,
    // or the kind of terminal is unknown.
    bool open();
    // Goes to the alternate screen, or back: then the terminal is as it was.
    void enter();
    void leave();
    bool entered() const { return entered_; }

    int descriptor() const;  // of keys, for poll()
    size_t rows() const;
    size_t columns() const;
    // Draws what changed.
    void draw(const std::vector<Line> &lines);
    // The next key, as display.h has them; -1: none is there. Takes a new size of the terminal, too.
    int key();

  private:
    FILE *keys_ = nullptr;
    void *screen_ = nullptr;
    bool entered_ = false, disturbed_ = false;
};

}  // namespace tapir::live
