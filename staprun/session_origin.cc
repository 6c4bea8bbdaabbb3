// SPDX-License-Identifier: GPL-2.0-or-later
#include "session_origin.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <vector>

#include "common/command_text.h"
#include "common/command_words.h"
#include "common/descriptor.h"
#include "common/files.h"
#include "started_names.h"
#include "target_command.h"

namespace tapir::staprun {

namespace {

// More of a command says nothing more of what a picture is of.
constexpr size_t kMostText = 4096;

// Commands that start another one, which is the one to name.
constexpr std::array<std::string_view, 18> kStarters = {"env",     "timeout", "nice",   "nohup", "setsid", "taskset",
                                                        "stdbuf",  "chrt",    "ionice", "sudo",  "time",   "setarch",
                                                        "numactl", "sh",      "bash",   "dash",  "zsh",    "ksh"};

bool is_starter(const std::string &path) {
    const std::string_view name = std::string_view(path).substr(path.rfind('/') + 1);
    return std::find(kStarters.begin(), kStarters.end(), name) != kStarters.end();
}

std::string program_of(const std::string &command) {
    std::vector<std::string> words;
    if (!split_words(command, words)) return "";
    std::string starter;
    for (const std::string &word : words) {
        const std::string path = typed_path(word);
        if (path.empty()) continue;
        if (!is_starter(path)) return path;
        if (starter.empty()) starter = path;
    }
    return starter;
}

std::string command_of_process(const std::string &directory) {
    std::string line;
    const Descriptor file(open((directory + "/cmdline").c_str(), O_RDONLY | O_CLOEXEC));
    if (file.get() < 0) return "";
    [[maybe_unused]] const int error = read_descriptor(file.get(), kMostText, line);
    // Programs that show their state there leave blanks or zeros behind it.
    line.erase(line.find_last_not_of(std::string_view("\0 ", 2)) + 1);
    std::string out;
    for (size_t at = 0; at < line.size();) {
        const size_t end = std::min(line.find('\0', at), line.size());
        const std::string word = line.substr(at, end - at);
        // One word with blanks and nothing else is such a text, and was not typed.
        const bool shown = !at && end == line.size();
        out += (out.empty() ? "" : " ") + (shown ? word : shell_word(word));
        at = end + 1;
    }
    return out;
}

std::string program_of_process(const std::string &directory) {
    char path[PATH_MAX];
    const ssize_t length = readlink((directory + "/exe").c_str(), path, sizeof path);
    if (length <= 0 || length == sizeof path) return "";
    const std::string file(path, static_cast<size_t>(length));
    const std::string link = started_name_of(directory, file);
    return link.empty() ? file : link;
}

}  // namespace

SessionOrigin find_origin(const std::string &command_line, const std::string &command, int64_t process,
                          const std::string &proc) {
    SessionOrigin out;
    out.command = command_line.substr(0, kMostText);
    if (process > 0) {
        const std::string directory = proc + "/" + std::to_string(process);
        out.pid = static_cast<uint64_t>(process);
        out.target = command_of_process(directory);
        out.program = program_of_process(directory);
    } else if (!command.empty()) {
        out.target = command.substr(0, kMostText);
        out.program = program_of(command);
    }
    return out;
}

}  // namespace tapir::staprun
