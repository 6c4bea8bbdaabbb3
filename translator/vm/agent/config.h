// SPDX-License-Identifier: GPL-2.0-or-later
// The agent's configuration in its initramfs. One statement per line, words separated by tabs:
//   module FILE               insert FILE of the initramfs; in dependency order
//   root TAG                  9p tag of the root file system
//   modules RELEASE tag TAG   a lib/modules/RELEASE to be shown on top of the root's own: its 9p tag,
//   modules RELEASE path PATH or where the root file system has it
//   share TAG PATH            9p tag of a writable directory, mounted at PATH
//   network                   give the first network card its address
//   probe                     say Hello and stop: no root file system is needed
#pragma once

#include <string>
#include <vector>

namespace tapir::vm::agent {

struct Share {
    std::string tag, path;
};

struct Config {
    std::vector<std::string> modules;
    std::string root_tag;
    std::string modules_release;  // "" when the root's own are right
    std::string modules_tag, modules_path;
    std::vector<Share> shares;
    bool network = false;
    bool probe = false;
};

// False when the file cannot be read or has a line that is none of the above.
bool read_config(const char *path, Config &config);

}  // namespace tapir::vm::agent
