// SPDX-License-Identifier: GPL-2.0-or-later
#include "events.h"

#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <ctime>
#include <initializer_list>
#include <iterator>

namespace tapir::staprun {

SystemEvents::SystemEvents() {
    // A shell without job control starts background commands with SIGINT and SIGQUIT ignored; they must still end a
    // session.
    signal(SIGINT, SIG_DFL);
    signal(SIGQUIT, SIG_DFL);
    signal(SIGCHLD, SIG_DFL);
    signal(SIGPIPE, SIG_IGN);
    sigset_t set;
    sigemptyset(&set);
    for (int number : {SIGINT, SIGTERM, SIGQUIT, SIGUSR2, SIGCHLD})
        sigaddset(&set, number);
    // nohup; an ignored signal would be delivered all the same if it were blocked.
    struct sigaction hangup = {};
    if (sigaction(SIGHUP, nullptr, &hangup) == 0 && hangup.sa_handler != SIG_IGN) sigaddset(&set, SIGHUP);
    sigprocmask(SIG_BLOCK, &set, nullptr);
    fd_ = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
}

SystemEvents::~SystemEvents() {
    if (fd_ >= 0) close(fd_);
}

void SystemEvents::take_signals(Event &event) {
    signalfd_siginfo info;
    while (read(fd_, &info, sizeof info) == sizeof info) {
        switch (info.ssi_signo) {
            case SIGQUIT:
                event.detach = true;
                break;
            case SIGUSR2:
                event.switch_output = true;
                break;
            case SIGCHLD:
                event.children = true;
                break;
            default:
                event.stops++;
                break;
        }
    }
}

Event SystemEvents::wait(const Watch &watch, int timeout_ms) {
    pollfd descriptors[] = {
        {fd_, POLLIN, 0},     {watch.control, POLLIN, 0}, {watch.writable, POLLOUT, 0},
        {watch.reader, 0, 0}, {watch.input, POLLIN, 0},   {watch.commands, POLLIN, 0},
    };
    Event event;
    if (poll(descriptors, std::size(descriptors), timeout_ms) > 0) {
        event.control = descriptors[1].revents != 0;
        event.writable = descriptors[2].revents != 0;
        event.reader_gone = (descriptors[3].revents & POLLERR) != 0;
        event.input = descriptors[4].revents != 0;
        event.commands = descriptors[5].revents != 0;
    }
    take_signals(event);
    return event;
}

uint64_t SystemEvents::now() {
    timespec now = {};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<uint64_t>(now.tv_sec) * 1000000000 + static_cast<uint64_t>(now.tv_nsec);
}

}  // namespace tapir::staprun
