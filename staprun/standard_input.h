// SPDX-License-Identifier: GPL-2.0-or-later
// Standard input for scripts that ask for it: what comes in is written, a byte at a time, to the session's file
// __stdin.
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

    // Does the script read input? Nobody else should then: who shares the descriptor gets what the script does not.
    bool wanted() const { return file_ >= 0; }
    // What to wait for until it is readable; -1: nothing for the moment. A terminal is asked only from the foreground,
    // and gives its bytes unedited, without showing them.
    int descriptor();
    // Hands over what is there. To be called when the descriptor is readable.
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
