// SPDX-License-Identifier: GPL-2.0-or-later
// A signal that ends the program leaves neither its working directories nor its child programs behind.
#pragma once

#include <signal.h>

#include <string>
#include <thread>

#include "common/descriptor.h"

namespace tapir {

// While it lives, SIGINT, SIGTERM and SIGHUP first end all programs that this one started, and those that they started,
// and remove the directories that are there for a while (TemporaryDirectory); then the signal has its usual effect. A
// signal that is ignored stays so. Make at most one, and before other threads are: they have to leave these signals to
// it.
class CleanInterruption {
  public:
    CleanInterruption();
    ~CleanInterruption();
    CleanInterruption(const CleanInterruption &) = delete;
    CleanInterruption &operator=(const CleanInterruption &) = delete;

  private:
    void watch();

    sigset_t before_;
    Descriptor signals_, stop_;
    std::thread thread_;
};

// TemporaryDirectory and make_directory() use these: a signal removes the directories that are remembered.

// Makes a directory as mkdtemp(3) does and remembers it. No signal comes in between.
bool make_remembered(std::string &pattern);
void remember_directory(const std::string &path);
void forget_directory(const std::string &path);

}  // namespace tapir
