// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/process_id.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "common/files.h"

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

std::vector<int64_t> processes_where(const std::function<bool(int64_t pid)> &wanted, const std::string &proc) {
    std::vector<int64_t> found;
    std::error_code error;
    for (std::filesystem::directory_iterator at(proc, error), end; !error && at != end; at.increment(error)) {
        const std::string name = at->path().filename().string();
        if (name.find_first_not_of("0123456789") != std::string::npos) continue;
        const int64_t pid = std::strtoll(name.c_str(), nullptr, 10);
        if (wanted(pid)) found.push_back(pid);
    }
    std::sort(found.begin(), found.end());
    return found;
}

std::vector<int64_t> child_processes(int64_t pid, const std::string &proc) {
    return processes_where(
        [&](int64_t process) {
            // The name of the program, in parentheses, may have blanks and parentheses in it.
            const std::string stat = read_file(proc + "/" + std::to_string(process) + "/stat").value_or("");
            const size_t behind = stat.rfind(')');
            if (behind == std::string::npos) return false;
            std::istringstream rest(stat.substr(behind + 1));
            std::string state;
            int64_t parent = 0;
            return rest >> state >> parent && parent == pid;
        },
        proc);
}

}  // namespace tapir
