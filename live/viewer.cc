// SPDX-License-Identifier: GPL-2.0-or-later
#include "live/viewer.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "common/descriptor.h"
#include "common/process.h"
#include "common/screen.h"
#include "live/signals.h"
#include "live/terminal.h"

namespace tapir::live {

namespace {

constexpr int kCommands = 3;      // the command's descriptor with the keys that are for it
constexpr int kTickMs = 1000;     // the clock in the head
constexpr int kEagerMs = 100;     // between two pictures of what came meanwhile
constexpr size_t kPiece = 65536;  // of a file

std::chrono::steady_clock::time_point now() {
    return std::chrono::steady_clock::now();
}

void write_all(int fd, std::string_view text) {
    while (!text.empty()) {
        const ssize_t count = write(fd, text.data(), text.size());
        if (count < 0 && errno == EINTR) continue;
        if (count < 0 && errno == EAGAIN) {
            pollfd waits = {fd, POLLOUT, 0};
            poll(&waits, 1, -1);
            continue;
        }
        if (count <= 0) return;
        text.remove_prefix(static_cast<size_t>(count));
    }
}

class Viewer {
  public:
    explicit Viewer(const ViewerSettings &settings) : settings_(settings), display_(settings.display) {}

    int run() {
        if (!open()) return 1;
        on_terminal_ = !settings_.plain && isatty(STDOUT_FILENO) && terminal_.open();
        utf8_ = screen_of(STDOUT_FILENO, Coloring::Never).utf8;
        while (!done())
            step();
        return finish();
    }

  private:
    bool open();
    bool start();
    bool done() const { return left_ || (ended_ && !(stays() && terminal_.entered())); }
    // A file has been read before anybody could look at it.
    bool stays() const { return settings_.command.empty() && settings_.file != "-"; }
    void step();
    int patience_ms() const;
    void take_input(const pollfd &output, const pollfd &errors);
    void take_records(const std::string &bytes);
    void take_errors(const std::string &bytes);
    void take_keys();
    void take_signals();
    void ask_to_stop();
    void ask(const std::string &command);
    void draw();
    void print_new();
    int finish();
    Frame frame() const { return {terminal_.entered() ? terminal_.columns() : screen_width(STDOUT_FILENO), utf8_}; }

    const ViewerSettings &settings_;
    Display display_;
    Model model_;
    Terminal terminal_;
    Signals signals_;
    Process command_;
    Descriptor commands_, file_;
    std::string rest_;    // of a line of records
    std::string errors_;  // of a line of standard error
    uint64_t printed_ = 0, refreshed_ = 0;
    std::chrono::steady_clock::time_point drawn_ = {};
    bool on_terminal_ = false, utf8_ = false, ended_ = false, left_ = false, stale_ = false, keys_gone_ = false;
};

bool Viewer::open() {
    if (!settings_.command.empty()) return start();
    if (settings_.file == "-") {
        file_ = Descriptor(dup(STDIN_FILENO));
        return true;
    }
    file_ = Descriptor(::open(settings_.file.c_str(), O_RDONLY | O_CLOEXEC));
    if (file_.get() >= 0) return true;
    fprintf(stderr, "stap-live: cannot read '%s': %s\n", settings_.file.c_str(), strerror(errno));
    return false;
}

bool Viewer::start() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return false;
    const Descriptor theirs(ends[0]);
    commands_ = Descriptor(ends[1]);
    fcntl(ends[1], F_SETFL, O_NONBLOCK);
    Program program{settings_.command};
    std::vector<std::string> changes = {"TAPIR_LIVE=" + std::to_string(kCommands)};
    // It cannot see the terminal.
    if (isatty(STDERR_FILENO) && !getenv("TAPIR_MESSAGES")) changes.emplace_back("TAPIR_MESSAGES=terminal");
    if (isatty(STDERR_FILENO)) changes.push_back("COLUMNS=" + std::to_string(screen_width(STDERR_FILENO)));
    program.environment = environment_with(changes);
    // Keys are for this program alone.
    program.input = isatty(STDIN_FILENO) ? Stream::nothing() : Stream::inherited();
    program.output = Stream::pipe();
    program.errors = Stream::pipe();
    program.further = {{kCommands, Stream::descriptor(theirs.get())}};
    program.default_signals = {SIGINT, SIGTERM, SIGHUP};
    const Outcome<void> started = command_.start(program);
    if (started) return true;
    fprintf(stderr, "stap-live: %s\n", started.fault().message().c_str());
    return false;
}

int Viewer::patience_ms() const {
    if (!terminal_.entered()) return -1;
    const auto since = std::chrono::duration_cast<std::chrono::milliseconds>(now() - drawn_).count();
    return static_cast<int>(std::max<int64_t>((stale_ ? kEagerMs : kTickMs) - since, 0));
}

void Viewer::step() {
    const bool runs = command_.started();
    pollfd watched[] = {{signals_.descriptor(), POLLIN, 0},
                        {keys_gone_ ? -1 : terminal_.descriptor(), POLLIN, 0},
                        {runs     ? command_.output_descriptor()
                         : ended_ ? -1
                                  : file_.get(),
                         POLLIN, 0},
                        {runs ? command_.errors_descriptor() : -1, POLLIN, 0}};
    const int ready = poll(watched, std::size(watched), patience_ms());
    // A signal may be that of a new size.
    if (ready < 0 || watched[1].revents) take_keys();
    if (watched[1].revents & (POLLHUP | POLLERR | POLLNVAL)) {
        keys_gone_ = true;
        ask_to_stop();
    }
    if (ready > 0) {
        if (watched[0].revents) take_signals();
        take_input(watched[2], watched[3]);
    }
    if (on_terminal_ && model_.begun() && !terminal_.entered() && !left_) {
        terminal_.enter();
        // Unknown kinds of terminals get blocks.
        on_terminal_ = terminal_.entered();
        stale_ = true;
    }
    if (!on_terminal_)
        print_new();
    else if (terminal_.entered() && patience_ms() == 0)
        draw();
}

void Viewer::take_input(const pollfd &output, const pollfd &errors) {
    if (output.revents) {
        std::string bytes;
        if (command_.started()) {
            command_.read_output(bytes);
        } else {
            bytes.resize(kPiece);
            const ssize_t count = read(file_.get(), bytes.data(), bytes.size());
            if (count < 0 && (errno == EINTR || errno == EAGAIN)) return;
            bytes.resize(static_cast<size_t>(std::max<ssize_t>(count, 0)));
            ended_ = count <= 0;
        }
        take_records(bytes);
    }
    if (errors.revents) {
        std::string bytes;
        command_.read_errors(bytes);
        take_errors(bytes);
    }
    // Processes that the session leaves behind may hold its standard error.
    if (!command_.started() || command_.output_descriptor() >= 0) return;
    ended_ = true;
    std::string rest;
    while (command_.read_errors(rest))
        continue;
    take_errors(rest);
}

void Viewer::take_records(const std::string &bytes) {
    rest_ += bytes;
    size_t from = 0;
    for (size_t end; (end = rest_.find('\n', from)) != std::string::npos; from = end + 1) {
        model_.take(std::string_view(rest_).substr(from, end - from));
        if (!on_terminal_) print_new();
    }
    rest_.erase(0, from);
    stale_ = true;
}

// Until there is a screen that they would destroy, messages go where they always do.
void Viewer::take_errors(const std::string &bytes) {
    if (!terminal_.entered()) {
        write_all(STDERR_FILENO, bytes);
        return;
    }
    errors_ += bytes;
    for (size_t end; (end = errors_.find('\n')) != std::string::npos; errors_.erase(0, end + 1))
        if (end > 0) display_.say(errors_.substr(0, end));
    stale_ = true;
}

void Viewer::take_keys() {
    for (int key; (key = terminal_.key()) >= 0;) {
        drawn_ = {};
        stale_ = true;
        if (key == 0) continue;
        const bool stays_here = display_.press(key);
        if (const std::string command = display_.take_command(); !command.empty()) ask(command);
        if (stays_here) continue;
        if (command_.started())
            ask_to_stop();
        else
            left_ = true;
    }
}

void Viewer::take_signals() {
    for (int signal; (signal = signals_.next()) != 0;) {
        display_.leaving();
        // The terminal sends SIGINT to both.
        if (signal != SIGINT && command_.alive())
            command_.signal(signal);
        else
            ask_to_stop();
    }
}

// A second time it interrupts what the session does at its end.
void Viewer::ask_to_stop() {
    display_.leaving();
    stale_ = true;
    if (!command_.started() || command_.ended()) {
        left_ = !command_.started();
        return;
    }
    // A guest reads signals alone.
    constexpr std::string_view kStop = "stop\n";
    if (write(commands_.get(), kStop.data(), kStop.size()) < 0) command_.signal(SIGINT);
}

void Viewer::ask(const std::string &command) {
    const std::string line = command + "\n";
    const bool good = command_.started() && write(commands_.get(), line.data(), line.size()) > 0;
    if (!good) display_.say("The session takes no commands: keys change the view alone.");
}

void Viewer::draw() {
    terminal_.draw(display_.screen(model_, terminal_.rows(), frame()));
    drawn_ = now();
    stale_ = false;
}

// Where there is no screen: lines as they come, and blocks of tables with each refresh.
void Viewer::print_new() {
    std::string text;
    const auto &lines = model_.lines();
    for (uint64_t fresh = std::min<uint64_t>(model_.lines_seen() - printed_, lines.size()); fresh > 0; fresh--)
        text += lines[lines.size() - fresh] + "\n";
    printed_ = model_.lines_seen();
    if (model_.refreshes() != refreshed_) text += display_.changes_text(model_, frame());
    refreshed_ = model_.refreshes();
    write_all(STDOUT_FILENO, text);
}

int Viewer::finish() {
    model_.finish();
    if (terminal_.entered()) {
        terminal_.leave();
        std::string text;
        const uint64_t lost = model_.lines_seen() - model_.lines().size();
        if (lost) text += "(" + std::to_string(lost) + " earlier lines)\n";
        for (const std::string &line : model_.lines())
            text += fitted(line, 100000, {100000, utf8_}) + "\n";
        write_all(STDOUT_FILENO, text + display_.tables_text(model_, frame()));
    } else {
        print_new();
        write_all(STDOUT_FILENO, display_.changes_text(model_, frame()));
    }
    std::string said;
    for (const std::string &message : display_.messages())
        said += message + "\n";
    write_all(STDERR_FILENO, said + errors_);
    if (model_.damaged()) {
        fprintf(stderr, "stap-live: %llu lines are no records\n", static_cast<unsigned long long>(model_.damaged()));
        if (!command_.started()) return 1;
    }
    if (!command_.started()) {
        if (!model_.begun())
            fprintf(stderr, "stap-live: '%s' has no records\n",
                    settings_.file == "-" ? "standard input" : settings_.file.c_str());
        return model_.begun() ? 0 : 1;
    }
    command_.wait();
    return command_.ending().code();
}

}  // namespace

int view(const ViewerSettings &settings) {
    return Viewer(settings).run();
}

}  // namespace tapir::live
