// SPDX-License-Identifier: GPL-2.0-or-later
// A process with pipes that are not waited for.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

namespace tapir::remote {

class Child {
  public:
    struct Setting {
        bool input = false;  // a pipe to its standard input; else that is /dev/null or `input_fd`
        int input_fd = -1;
        bool group = false;  // a process group of its own, which signals go to
    };

    Child() = default;
    ~Child();
    Child(const Child &) = delete;
    Child &operator=(const Child &) = delete;

    // Starts argv[0], looked up in PATH. The caller's signals are blocked and those of the terminal ignored; the latter
    // the process inherits. It is sent SIGTERM when the calling thread ends. Returns "" or why it cannot be started.
    std::string start(const std::vector<std::string> &argv, const Setting &setting);

    bool started() const { return pid_ > 0; }
    bool ended() const { return ended_; }
    bool alive() const { return started() && !ended_; }
    // Of a process that has ended: exit status, or 128 + signal.
    int status() const { return status_; }

    // Descriptors for poll(); -1 where there is nothing to wait for.
    int input_descriptor() const { return sent_ < pending_.size() || close_input_ ? input_ : -1; }
    int output_descriptor() const { return output_; }
    int errors_descriptor() const { return errors_; }

    // Queues bytes for standard input, which must outlive the writing if given as a view.
    void send(std::string bytes);
    void send_view(std::string_view bytes);
    // Standard input ends after what is queued.
    void end_input();
    // Writes what goes at the moment. Returns how many bytes went.
    size_t write();
    // Append some of what is there to `text`; false when there is nothing at the moment, or not any more.
    bool read_output(std::string &text) { return read(output_, text); }
    bool read_errors(std::string &text) { return read(errors_, text); }

    // Takes the status if the process has ended. True when that is news.
    bool reap();
    void signal(int number);
    // Ends it at once and waits for that.
    void kill();
    // Of one that has ended: makes this object fit for another.
    void forget();

  private:
    bool read(int &fd, std::string &text);
    void close_all();

    pid_t pid_ = 0;
    bool group_ = false;
    bool ended_ = false;
    bool close_input_ = false;
    int status_ = 0;
    int input_ = -1, output_ = -1, errors_ = -1;
    std::string own_;
    std::string_view pending_;
    size_t sent_ = 0;
};

}  // namespace tapir::remote
