// SPDX-License-Identifier: GPL-2.0-or-later
#include "driver/live.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <string_view>

#include "backend/launch.h"
#include "common/find_program.h"
#include "common/plain_text.h"

namespace tapir::driver {

namespace {

constexpr char kVariable[] = "TAPIR_LIVE", kCapture[] = "TAPIR_PUSH_CAPTURE";

// Keeps what a program that is killed leaves of a terminal.
class KeptTerminal {
  public:
    KeptTerminal() { is_terminal_ = isatty(STDOUT_FILENO) && tcgetattr(STDOUT_FILENO, &before_) == 0; }

    void restore() const {
        if (!is_terminal_) return;
        // The main screen, a cursor, no attributes, and keys of the cursor as usual.
        constexpr std::string_view kUsual = "\033[?1049l\033[?25h\033[0m\033[?1l\033>\r";
        if (write(STDOUT_FILENO, kUsual.data(), kUsual.size()) < 0) return;
        tcsetattr(STDOUT_FILENO, TCSADRAIN, &before_);
    }

  private:
    termios before_ = {};
    bool is_terminal_ = false;
};

bool is_null_device(int descriptor) {
    struct stat status;
    return fstat(descriptor, &status) == 0 && S_ISCHR(status.st_mode) && status.st_rdev == makedev(1, 3);
}

// A guest has this process's standard streams alone. Commands go there by standard input, if nothing else does. If
// something does, stap-live finds them closed, and sends a signal in place of "stop".
int as_standard_input(int commands) {
    const bool taken = is_null_device(STDIN_FILENO) && dup2(commands, STDIN_FILENO) >= 0;
    close(commands);
    return taken ? STDIN_FILENO : -1;
}

// Metrics are named after the tool, or the script's file: "biolatency" of "tools/disk/biolatency.stp".
std::string name_of(const Options &options) {
    std::string name = options.script_file.value_or(options.tool ? options.tool->path : "");
    name.erase(0, name.rfind('/') + 1);
    name.resize(std::min(name.find('.'), name.size()));
    for (char &c : name)
        if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
    return name.empty() || name == "_" ? "script" : name;
}

}  // namespace

void take_live_descriptor(Options &options) {
    const char *number = std::getenv(kVariable);
    uint64_t descriptor = 0;
    if (!number || !options.live.takes_commands()) return;
    if (parse_unsigned(number, descriptor) && fcntl(static_cast<int>(descriptor), F_GETFD) >= 0)
        options.live.commands = static_cast<int>(descriptor);
    if (options.vm && options.live.commands >= 0) options.live.commands = as_standard_input(options.live.commands);
    options.format = "json";
    const char *const capture = std::getenv(kCapture);
    if (capture && options.record.empty() && !options.live.push.empty()) options.record = capture;
    unsetenv(kCapture);
    // Programs of the script are none of this.
    unsetenv(kVariable);
}

bool is_shown_live(const Options &options) {
    return options.live.on() && options.format != "json" && options.action == Action::Script && options.last_pass == 5;
}

int show_live(const Options &options, const std::vector<std::string> &argv) {
    const std::string beside = program_beside("stap-live");
    Program program{{beside.empty() ? "stap-live" : beside}};
    std::string title;
    for (size_t i = 0; i < argv.size(); i++)
        title += i ? " " + argv[i] : argv[i].substr(argv[i].rfind('/') + 1);
    char seconds[32];
    std::snprintf(seconds, sizeof seconds, "--refresh=%.3f", static_cast<double>(options.live.refresh_ms) / 1000);
    program.argv.insert(program.argv.end(), {seconds, "--title=" + title});
    if (options.live.top) program.argv.push_back("--top=" + std::to_string(options.live.top));
    program.argv.emplace_back("--");
    program.argv.insert(program.argv.end(), argv.begin(), argv.end());
    const KeptTerminal terminal;
    const std::optional<Ending> ending = wait_for(options, program);
    if (!ending) return 1;
    if (ending->signal) terminal.restore();
    return ending->code();
}

bool is_pushed(const Options &options) {
    return !options.live.push.empty() && options.live.commands < 0 && options.action == Action::Script &&
           options.last_pass == 5;
}

int push(const Options &options, const std::vector<std::string> &argv) {
    const std::string beside = program_beside("stap-push");
    Program program{{beside.empty() ? "stap-push" : beside, "--to", options.live.push, "--name", name_of(options)}};
    if (!options.record.empty()) program.argv.push_back("--capture=" + options.record);
    if (options.format == "json") program.argv.emplace_back("--records");
    program.argv.emplace_back("--");
    program.argv.insert(program.argv.end(), argv.begin(), argv.end());
    const std::optional<Ending> ending = wait_for(options, program);
    return ending ? ending->code() : 1;
}

}  // namespace tapir::driver
