// SPDX-License-Identifier: GPL-2.0-or-later
// The program on a host: a few lines of POSIX shell that tell what the host is, keep a private directory for as long as
// the connection lasts, run staprun in it when told to, and pass on signals.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tapir::remote {

// A host's description of itself.
struct Facts {
    std::string release;          // uname -r
    std::string machine;          // uname -m
    std::string version;          // uname -v
    std::string build_id;         // of its running kernel, lower-case hexadecimal; "" if it cannot be told
    std::string uid;              // of who has logged in; "" if it cannot be told
    std::string boot;             // which start of which machine it is; "" if it cannot be told
    std::string directory;        // private, on a file system that programs can be run from; "" = none could be made
    std::string staprun;          // path of an installed staprun, ""
    std::string staprun_version;  // what it answers to --version, lines separated by newlines
};

// The command for ssh that starts the keeper. `token`, of letters and digits, names its directory and marks its lines,
// which separates them from output of login scripts. Works in any login shell. It wants to be sent kAlive every
// `alive_seconds` from its last fact on: when it has heard none for six to seven times as long, it takes the connection
// for lost.
std::string keeper_command(const std::string &token, unsigned alive_seconds);
constexpr std::string_view kAlive = "ALIVE\n";

// The command that puts standard input into the file `name` of `directory` and prints the file's SHA-256 or, where the
// host has no sha256sum, its size, on the last line.
std::string upload_command(const std::string &directory, const std::string &name);

// Takes one line of the keeper (without its newline). Returns true after the last one.
bool take_fact(std::string_view line, const std::string &token, Facts &facts);

// The line that makes the keeper run a program with arguments; after it, each line but kAlive is the name of a
// signal for it (INT, TERM). At the end of the lines the program is made to end. The keeper's exit status is the
// program's.
std::string run_line(const std::string &program, const std::vector<std::string> &arguments);

// Does a shell, and ssh in its options, take this absolute path as it is?
bool is_plain_path(const std::string &path);

// The GNU build-id in the hexadecimal dump of ELF notes, such as /sys/kernel/notes has; "".
std::string build_id_of_hex_notes(std::string_view hexadecimal);

}  // namespace tapir::remote
