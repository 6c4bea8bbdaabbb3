// SPDX-License-Identifier: GPL-2.0-or-later
#include "vm/vm_options.h"

#include <arpa/inet.h>

#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <functional>

#include "common/files.h"

namespace fs = std::filesystem;

namespace tapir::vm {
namespace {

// The state of one parse. Every option's action gets its value ("" for those that take none).
struct Parser {
    CommandLine line;
    Diagnostics &diagnostics;

    bool fail(const std::string &message) {
        diagnostics.report(Tag::UsageError, message);
        return false;
    }

    bool number(const std::string &option, const std::string &text, unsigned least, unsigned most, unsigned &value) {
        auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error == std::errc() && end == text.data() + text.size() && value >= least && value <= most) return true;
        return fail(option + " wants a number from " + std::to_string(least) + " to " + std::to_string(most) +
                    ", not '" + text + "'");
    }
};

struct Option {
    const char *name;   // with dashes
    const char *alias;  // short form, or ""
    const char *value;  // its name in the help text, "" when it takes none
    const char *help;
    bool (*apply)(Parser &, const std::string &);
};

bool set_acceleration(Parser &parser, const std::string &value) {
    Acceleration &acceleration = parser.line.options.acceleration;
    if (value == "auto")
        acceleration = Acceleration::Auto;
    else if (value == "kvm")
        acceleration = Acceleration::Kvm;
    else if (value == "tcg")
        acceleration = Acceleration::Tcg;
    else if (value == "tcg-threads")
        acceleration = Acceleration::TcgThreads;
    else
        return parser.fail("--accel wants auto, kvm, tcg or tcg-threads, not '" + value + "'");
    return true;
}

bool set_environment(Parser &parser, const std::string &value) {
    if (value.empty() || value[0] == '=') return parser.fail("--env wants NAME or NAME=VALUE, not '" + value + "'");
    std::string entry = value;
    if (value.find('=') == std::string::npos) {
        const char *current = getenv(value.c_str());
        if (!current) return parser.fail("--env " + value + ": there is no such variable to pass on");
        entry.append("=").append(current);
    }
    parser.line.options.environment.push_back(entry);
    return true;
}

bool add_share(Parser &parser, const std::string &value) {
    SharedDir share;
    if (!parse_share(value, share, parser.diagnostics)) return false;
    parser.line.options.shares.push_back(share);
    return true;
}

// [ADDRESS:]PORT:GUEST-PORT
bool add_forward(Parser &parser, const std::string &value) {
    const auto wrong = [&] {
        return parser.fail(
            "--forward wants [ADDRESS:]PORT:GUEST-PORT, with an IPv4 address and ports from 1 to 65535, "
            "not '" +
            value + "'");
    };
    const auto port = [](std::string_view text, uint16_t &out) {
        auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
        return error == std::errc() && end == text.data() + text.size() && out != 0;
    };
    const size_t last = value.rfind(':');
    if (last == std::string::npos || last == 0) return wrong();
    const size_t before = value.rfind(':', last - 1);
    const size_t start = before == std::string::npos ? 0 : before + 1;
    ForwardedPort forward;
    if (!port(std::string_view(value).substr(start, last - start), forward.host) ||
        !port(std::string_view(value).substr(last + 1), forward.guest))
        return wrong();
    if (before != std::string::npos) {
        in_addr address;
        forward.address = value.substr(0, before);
        if (inet_pton(AF_INET, forward.address.c_str(), &address) != 1) return wrong();
    }
    parser.line.options.forwards.push_back(forward);
    return true;
}

bool set_root(Parser &parser, const std::string &value) {
    std::error_code error;
    fs::path root = fs::canonical(value, error);
    if (error || !is_directory(root)) return parser.fail("--root " + value + " is not a directory");
    parser.line.options.root = root;
    return true;
}

constexpr Option options_table[] = {
    {"--kernel", "-k", "RELEASE", "kernel to boot, as uname -r prints it (default: the distribution's newest)",
     [](Parser &p, const std::string &v) {
         p.line.options.release = v;
         return true;
     }},
    {"--root", "", "DIR", "file system the guest sees, read-only below a tmpfs (default: /)", set_root},
    {"--share", "", "DIR[:PATH]", "directory the guest may write to, seen at PATH; may be repeated", add_share},
    {"--forward", "", "[ADDRESS:]PORT:GUEST-PORT",
     "TCP connections to this port of the machine (of 127.0.0.1 if not said) reach that of the guest; may be repeated",
     add_forward},
    {"--cpus", "", "N", "processors (default 2)",
     [](Parser &p, const std::string &v) { return p.number("--cpus", v, 1, 255, p.line.options.cpus); }},
    {"--memory", "", "MB", "memory (default 1024)",
     [](Parser &p, const std::string &v) { return p.number("--memory", v, 256, 1u << 20, p.line.options.memory_mb); }},
    {"--timeout", "", "SECS", "end the command after that time, exit status 124",
     [](Parser &p, const std::string &v) { return p.number("--timeout", v, 1, 1u << 30, p.line.options.timeout_s); }},
    {"--hang", "", "SECS",
     "count a guest as hung, exit status 123, when no process of it runs for that time (default 60)",
     [](Parser &p, const std::string &v) { return p.number("--hang", v, 5, 1u << 30, p.line.options.hang_s); }},
    {"--append", "", "ARGS", "further kernel parameters",
     [](Parser &p, const std::string &v) {
         std::string &append = p.line.options.append;
         if (!append.empty()) append += ' ';
         append += v;
         return true;
     }},
    {"--env", "", "NAME[=VALUE]", "environment variable for the command; may be repeated", set_environment},
    {"--chdir", "", "DIR", "working directory in the guest (default: the current one)",
     [](Parser &p, const std::string &v) {
         if (!v.starts_with('/')) return p.fail("--chdir wants an absolute path, not '" + v + "'");
         p.line.options.directory = v;
         return true;
     }},
    {"--tty", "-t", "", "give the command a terminal",
     [](Parser &p, const std::string &) { return p.line.options.terminal = true; }},
    {"--shell", "", "", "an interactive shell, on a terminal; ends with exit, or Ctrl-] three times",
     [](Parser &p, const std::string &) { return p.line.options.terminal = true; }},
    {"--no-stdin", "-n", "", "the command's standard input is /dev/null",
     [](Parser &p, const std::string &) {
         p.line.options.with_stdin = false;
         return true;
     }},
    {"--accel", "", "KIND", "auto (kvm where a test boot with it works, else tcg), kvm, tcg, tcg-threads",
     set_acceleration},
    {"--full-boot", "", "", "boot through the firmware and the kernel's own unpacker (slower, with KASLR)",
     [](Parser &p, const std::string &) { return p.line.options.full_boot = true; }},
    {"--console", "", "FILE", "keep the guest's console there",
     [](Parser &p, const std::string &v) {
         p.line.options.console = v;
         return true;
     }},
    {"--print-kernel", "", "", "only find or fetch the kernel, and print where it is",
     [](Parser &p, const std::string &) {
         p.line.action = CommandLineAction::PrintKernel;
         return true;
     }},
    {"--headers", "", "", "with --print-kernel: the headers for building modules as well",
     [](Parser &p, const std::string &) { return p.line.options.with_headers = true; }},
    {"--debug-info", "", "MODULES",
     "with --print-kernel: the kernel's debug information as well (a large download), and that of the modules in this "
     "comma-separated list, which may be empty",
     [](Parser &p, const std::string &v) {
         for (size_t at = 0; at < v.size();) {
             const size_t end = std::min(v.find(',', at), v.size());
             p.line.debug_modules.push_back(v.substr(at, end - at));
             at = end + 1;
         }
         return p.line.with_debug = true;
     }},
    {"--verbose", "-v", "", "say what takes how long",
     [](Parser &p, const std::string &) { return p.line.options.verbose = true; }},
    {"--help", "-h", "", "this text",
     [](Parser &p, const std::string &) {
         p.line.action = CommandLineAction::Help;
         return true;
     }},
    {"--version", "-V", "", "the version",
     [](Parser &p, const std::string &) {
         p.line.action = CommandLineAction::Version;
         return true;
     }},
};

const Option *find_option(const std::string &name) {
    for (const Option &option : options_table)
        if (name == option.name || (*option.alias && name == option.alias)) return &option;
    return nullptr;
}

// One option at arguments[i]; advances i past its value.
bool parse_one(Parser &parser, const std::vector<std::string> &arguments, size_t &i) {
    std::string name = arguments[i], value;
    bool has_value = false;
    size_t equals = name.find('=');
    if (name.starts_with("--") && equals != std::string::npos) {
        value = name.substr(equals + 1);
        name.resize(equals);
        has_value = true;
    }
    const Option *option = find_option(name);
    if (!option) return parser.fail("unknown option " + name);
    if (!*option->value && has_value) return parser.fail(name + " takes no value");
    if (*option->value && !has_value) {
        if (i + 1 == arguments.size()) return parser.fail(name + " wants a value (" + option->value + ")");
        value = arguments[++i];
    }
    return option->apply(parser, value);
}

}  // namespace

bool parse_share(const std::string &text, SharedDir &share, Diagnostics &diagnostics) {
    size_t colon = text.find(':');
    std::error_code error;
    share.host_path = fs::canonical(text.substr(0, colon), error);
    share.guest_path = colon == std::string::npos ? share.host_path : text.substr(colon + 1);
    if (error || !is_directory(share.host_path)) {
        diagnostics.report(Tag::UsageError, "--share " + text.substr(0, colon) + " is not a directory");
        return false;
    }
    if (!share.guest_path.starts_with('/') || share.guest_path == "/" ||
        share.guest_path.find_first_of("\t\n") != std::string::npos) {
        diagnostics.report(Tag::UsageError, "--share " + text + ": the guest's path must be absolute, and not /");
        return false;
    }
    return true;
}

CommandLine parse_command_line(const std::vector<std::string> &arguments, Diagnostics &diagnostics) {
    Parser parser{{}, diagnostics};
    bool shell = false;
    size_t i = 0;
    for (; i < arguments.size(); ++i) {
        if (arguments[i] == "--") {
            ++i;
            break;
        }
        if (arguments[i].size() < 2 || arguments[i][0] != '-') break;
        shell = shell || arguments[i] == "--shell";
        if (!parse_one(parser, arguments, i)) return parser.line;
    }
    CommandLine &line = parser.line;
    line.command.assign(arguments.begin() + static_cast<ptrdiff_t>(std::min(i, arguments.size())), arguments.end());
    if (shell && line.command.empty()) line.command = {"/bin/sh", "-c", "exec \"${SHELL:-/bin/sh}\" -i"};
    if (line.action == CommandLineAction::Run && line.command.empty())
        parser.fail("no command to run; see stap-vm --help");
    return line;
}

std::string help_text() {
    std::string text =
        "Usage: stap-vm [OPTION]... [--] COMMAND [ARG]...\n"
        "       stap-vm --shell [OPTION]...\n"
        "Runs COMMAND as root in a throw-away virtual machine that boots a distribution kernel over this machine's "
        "own\n"
        "file system. Nothing the guest writes outlives it, except below --share.\n\n";
    for (const Option &option : options_table) {
        std::string left = "  ";
        left.append(*option.alias ? option.alias : "  ").append(*option.alias ? ", " : "  ").append(option.name);
        left.append(*option.value ? "=" : "").append(option.value);
        left.resize(std::max<size_t>(left.size() + 2, 30), ' ');
        text += left + option.help + "\n";
    }
    return text +
           "\nExit status: the command's, or 123 the guest died or hung, 124 timed out, 125 stap-vm itself failed,\n"
           "126 the command cannot be executed in the guest, 127 it was not found there.\n";
}

}  // namespace tapir::vm
