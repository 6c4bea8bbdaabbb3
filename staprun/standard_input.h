// SPDX-License-Identifier: GPL-2.0-or-later
// Standard input for scripts that ask for it: passes the input, a byte at a time, to the session's file __stdin.
#pragma once

#include <termios.h>

#include <string>

namespace tapir::staprun {

class Input {
  public:
    // Reads `from`; writes to `to`, which is there while the probes of a script that reads input are armed.
    Input(int from, std::string to) : from_(from), to_(std::move(to)) {}
    ~Input() { end(); }
    Input(const Input &) = delete;
    Input &operator=(const Input &) = delete;

    // To be called when the probes are armed. Opens the file if there is one.
    void begin();
    // Leaves a terminal as it was.
    void end();

    // True if the script reads input. Other readers of the descriptor would take input away from the script, so there
    // should be none.
    bool wanted() const { return file_ >= 0; }
    // Returns the descriptor to poll for input; -1 for none at the moment. Reads a terminal only from the foreground,
    // and gets its bytes unedited and without echo.
    int descriptor();
    // Passes available input on. Call it when the descriptor is readable.
    void take();

  private:
    bool foreground() const;
    void set_terminal();

    int from_;
    std::string to_;
    int file_ = -1;
    bool terminal_ = false;
    bool saved_ = false;
    termios before_ = {};
};

}  // namespace tapir::staprun
