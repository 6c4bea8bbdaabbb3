// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/process_id.h"

#include <fstream>

namespace tapir {

std::string why_no_process(int64_t pid, const std::string &proc) {
    const std::string number = std::to_string(pid);
    // It has the directories of other threads as well, although it does not list them.
    std::ifstream status(proc + "/" + number + "/status");
    for (std::string word; status >> word;) {
        int64_t process = 0;
        if (word != "Tgid:" || !(status >> process)) continue;
        if (process == pid) return {};
        return number + " is a thread of process " + std::to_string(process) + "; give the number of the process";
    }
    // Where others' processes are hidden (hidepid), this may be one of them.
    return std::ifstream(proc + "/1/status") ? "there is no process " + number : "";
}

}  // namespace tapir
