// SPDX-License-Identifier: GPL-2.0-or-later
// Programs and libraries that a script probes: staprun opens them, because paths are the user's, and passes them to the
// module.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <string>
#include <vector>

#include "common/outcome.h"
#include "module_control.h"

namespace tapir::staprun {

class Programs {
  public:
    // Opens every program of the module that is there, and checks that it is the one that the script was translated
    // for; else BuildMismatch or ControlFailed. Whether the script can do without a file that is missing is for the
    // module to say.
    Outcome<void> open(Control &control, uint32_t count);
    // True if there is a file that can change.
    bool any() const { return !files_.empty(); }
    // Returns the changes of their files since: a text for each file that was replaced, removed or written to, once. A
    // file with a new time but the same build-id, or without one the same bytes, is unchanged.
    std::vector<std::string> changes();

  private:
    enum class Change : uint8_t { None, Replaced, Removed, Written };
    struct File {
        std::string path;
        struct stat status;    // when it was opened, or last compared
        std::string identity;  // its build-id, or what stands for it; "" = not known
        bool written = false;
        Change told = Change::None;
    };
    static Change change_of(File &file);

    std::vector<File> files_;
};

}  // namespace tapir::staprun
