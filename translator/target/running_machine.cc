// SPDX-License-Identifier: GPL-2.0-or-later
#include "target/running_machine.h"

#include <filesystem>

#include "base/name_patterns.h"
#include "common/quoting.h"
#include "target/program_files.h"
#include "target/running_files.h"

namespace tapir::target {

std::vector<std::string> RunningMachine::find(const std::string &name) const {
    return find_programs(name, root_);
}

NotFound RunningMachine::why_none(const std::string &name) const {
    if (has_wildcard(name)) return {"no file matches", ""};
    const bool path = name.find('/') != std::string::npos;
    std::error_code error;
    if (path && std::filesystem::exists(root_ + name, error)) return {"it is not a regular file", ""};
    if (!path && is_build_id(name))
        return {
            "no file has this build-id: none that /usr/lib/debug/.build-id or /usr/lib/.build-id links to, that "
            "runs now, or that is in the directories of PATH or of the dynamic linker",
            ""};
    const std::string here = "./" + name;
    if (!path && std::filesystem::is_regular_file(here, error))
        return {"there is no such program in the directories of PATH",
                "for the file in this directory, write process(" + quote(here) + ")"};
    return {(path ? "there is no such file" : "there is no such program in the directories of PATH") +
                similar_text(similar_programs(name, root_), path ? "similar files" : "similar programs"),
            ""};
}

std::string RunningMachine::program_of(int64_t pid) const {
    return program_of_process(pid);
}

std::string RunningMachine::why_no_program(int64_t pid) const {
    return "there is no process " + std::to_string(pid) + ", or its program is not known";
}

std::string RunningMachine::program(std::string &why) const {
    why.clear();
    return {};
}

std::string RunningMachine::why_no_frames() const {
    return "frames are looked at in what stands still; --core=FILE names a core file, -x PID --snapshot a process";
}

}  // namespace tapir::target
