// SPDX-License-Identifier: GPL-2.0-or-later
// Scripts that are tools, by their paths and by their names.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "base/source.h"
#include "tool/head.h"

namespace tapir::tool {

struct Script {
    std::string path;  // "" for a text of the command line
    std::unique_ptr<SourceFile> file;
    Head head;
};

inline constexpr size_t kMostText = size_t{1} << 20;  // scripts are below 100 kB; larger ones are no tools

// True if a text may have a head. Cheap; false is certain.
bool has_head(std::string_view text);

// Returns the script if it is a tool; null if it is not, or if it cannot be read, which pass 1 will report.
std::shared_ptr<const Script> load_script(const std::string &path, Diagnostics &diagnostics);
std::shared_ptr<const Script> script_of_text(const std::string &text, Diagnostics &diagnostics);

// A directory of tools has scripts, and groups: directories of scripts.

// All tools of the directories, sorted by name; of two with the same name the first one's. Scripts with faults in their
// heads and files that are no tools are left out.
std::vector<std::shared_ptr<const Script>> list_tools(const std::vector<std::string> &directories);

// The path of the script NAME.stp, or of the tool NAME, in the first directory that has one; else of the tool that has
// NAME as another name; "" if there is none.
std::string find_tool(const std::string &name, const std::vector<std::string> &directories);

// The list of `stap run`: tools below their groups, each with its question. `word` selects those that have it in a
// name, question or group; "" selects all.
std::string list_text(const std::vector<std::shared_ptr<const Script>> &tools, const std::string &word, size_t width);

}  // namespace tapir::tool
