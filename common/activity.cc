// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/activity.h"

#include <pthread.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

namespace tapir {

namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kPatience = std::chrono::seconds(1);  // until the first line is shown
constexpr auto kPeriod = std::chrono::milliseconds(250);
constexpr size_t kUsualColumns = 80;

struct Entry {
    std::string what;
    std::function<Extent()> extent;
    Clock::time_point begin;
};

// One for the process, and never destroyed: its thread may outlive main().
class Display {
  public:
    static Display &get() {
        static Display *const display = new Display;
        return *display;
    }

    void show_on(int terminal) {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (terminal_ >= 0) return;
        terminal_ = terminal;
    }

    bool push(std::string what, std::function<Extent()> extent) {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (terminal_ < 0 || (!running_ && !start())) return false;
        entries_.push_back({std::move(what), std::move(extent), Clock::now()});
        changed_.notify_one();
        return true;
    }

    void pop() {
        const std::lock_guard<std::mutex> lock(mutex_);
        entries_.pop_back();
        write("");
    }

  private:
    // Without the thread nothing is shown.
    bool start() {
        // Signals are for the threads that expect them.
        sigset_t all, before;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before);
        try {
            std::thread([this] { tell(); }).detach();
            running_ = true;
        } catch (const std::system_error &) {
        }
        pthread_sigmask(SIG_SETMASK, &before, nullptr);
        return running_;
    }

    void tell() {
        std::unique_lock<std::mutex> lock(mutex_);
        for (;;) {
            if (entries_.empty()) {
                changed_.wait(lock);
                continue;
            }
            const Entry &entry = entries_.back();
            const auto taken = Clock::now() - entry.begin;
            if (taken >= kPatience) {
                const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(taken).count();
                write(activity_line(entry.what, entry.extent ? entry.extent() : Extent(),
                                    static_cast<unsigned>(seconds), columns()));
            }
            changed_.wait_for(lock, kPeriod);
        }
    }

    size_t columns() const {
        winsize size = {};
        return ioctl(terminal_, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col - 1u : kUsualColumns - 1;
    }

    // Replaces the line on the terminal; "" only removes it.
    void write(const std::string &line) {
        if (line.empty() && !shown_) return;
        const std::string text = "\r\033[K" + line;
        if (::write(terminal_, text.data(), text.size()) > 0) shown_ = !line.empty();
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<Entry> entries_;
    int terminal_ = -1;
    bool running_ = false, shown_ = false;
};

std::string in_megabytes(uint64_t bytes) {
    return std::to_string((bytes + 500000) / 1000000);
}

}  // namespace

void Activity::show_on(int terminal) {
    Display::get().show_on(terminal);
}

Activity::Activity(std::string what, std::function<Extent()> extent)
    : told_(Display::get().push(std::move(what), std::move(extent))) {}

Activity::~Activity() {
    if (told_) Display::get().pop();
}

std::string activity_line(const std::string &what, const Extent &extent, unsigned seconds, size_t columns) {
    std::string state;
    if (extent.bytes && extent.whole)
        state = in_megabytes(extent.done) + " of " + in_megabytes(extent.whole) + " MB, ";
    else if (extent.bytes)
        state = in_megabytes(extent.done) + " MB, ";
    if (extent.whole)
        state += std::to_string(static_cast<unsigned>(100.0 * static_cast<double>(std::min(extent.done, extent.whole)) /
                                                      static_cast<double>(extent.whole))) +
                 " %, ";
    state = ": " + state + std::to_string(seconds) + " s";
    if (what.size() + state.size() <= columns) return what + state;
    constexpr std::string_view kCut = "...";
    if (columns <= state.size() + kCut.size()) return state.substr(2, columns);
    return what.substr(0, columns - state.size() - kCut.size()) + std::string(kCut) + state;
}

}  // namespace tapir
