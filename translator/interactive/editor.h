// SPDX-License-Identifier: GPL-2.0-or-later
// Lines that are typed: with editing, a history and completion at a terminal, and as they come from elsewhere.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tapir::interactive {

// Work that goes on while a line is typed.
class Background {
  public:
    virtual ~Background() = default;
    // Descriptors to wait for.
    virtual std::vector<int> descriptors() const = 0;
    // Milliseconds after which there may be news without these; -1: none.
    virtual int wait_ms() const = 0;
    // Takes what there is to show: whole lines.
    virtual std::string news() = 0;
};

// Words that can stand in place of the one that ends at the cursor.
struct Candidates {
    size_t begin = 0;  // of the word
    std::vector<std::string> words;
};

class Editor {
  public:
    enum class Result : unsigned char { Line, Interrupted, End };
    using Complete = std::function<Candidates(std::string_view line)>;

    // `history` is a file, or "".
    Editor(Background &background, std::string history, Complete complete);
    ~Editor();
    Editor(const Editor &) = delete;
    Editor &operator=(const Editor &) = delete;

    // At a terminal?
    bool edits() const;
    // Reads a line, without its newline. News of the background stand above the prompt.
    Result read(const std::string &prompt, std::string &line);
    // Shows text where lines are not being typed.
    void show(std::string_view text);

  private:
    struct Terminal;

    Result read_plainly(std::string &line);

    Background &background_;
    std::unique_ptr<Terminal> terminal_;  // null: there is none
    std::string rest_;                    // read and not yet returned
    bool ended_ = false;
};

// Ctrl-C was typed since the last call.
bool take_interrupt();

}  // namespace tapir::interactive
