// SPDX-License-Identifier: GPL-2.0-or-later
// What a signal that ends the program must not leave behind: directories it works in, and programs it runs.
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

// What is to be removed. For TemporaryDirectory.
void remember_directory(const std::string &path);
void forget_directory(const std::string &path);

}  // namespace tapir
