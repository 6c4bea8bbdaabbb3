// SPDX-License-Identifier: GPL-2.0-or-later
// Names by which users start programs, where those are links: redis-server, a link to redis-check-rdb.
#pragma once

#include <map>
#include <string>

namespace tapir::staprun {

// Maps the file that runs to the link. Files that were started by several links are not in the map.
using StartedNames = std::map<std::string, std::string>;

// From the words of `command` (may be empty), and from the processes that live below `proc`. Opens no file but those
// of `proc`.
StartedNames find_started_names(const std::string &command, const std::string &proc = "/proc");

// The file that is run for a word of a command, in its real directory and by the name in the word: that of a link if it
// is one. "" if there is none.
std::string typed_path(const std::string &word);

// Returns the link by which one process was started, whose folder in /proc this is and which runs `file`; "" if its
// command line names no link to it.
std::string started_name_of(const std::string &process, const std::string &file);

// "" if it is started by its own name.
std::string started_name(const StartedNames &names, const std::string &path);

}  // namespace tapir::staprun
