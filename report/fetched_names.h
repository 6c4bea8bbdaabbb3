// SPDX-License-Identifier: GPL-2.0-or-later
// Names of functions from files by build-id, which servers have. The process that reads the capture has no network: it
// tells which builds lack names, the process that waits for it fetches their files, and hands them over open.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "capture/capture_reader.h"
#include "common/descriptor.h"
#include "common/outcome.h"
#include "debuginfod/debug_servers.h"
#include "report/debug_information.h"

namespace tapir::report {

// Files that were handed over, by build-id.
using FetchedFiles = std::map<std::string, std::vector<std::unique_ptr<DebugInformation>>>;

// Build-ids, a line each, of the files with places that have no name, those with most of them first; with `all` of all
// files with places. At most 32.
std::string wanted_builds(const capture::Capture &capture, bool all);

// The files of such lines, which are not trusted: those below /usr/lib/debug, else in the cache, else of a server.
// Stops when the time for all files is over. `notices` says what failed, but not which files no server has.
std::vector<Descriptor> fetch_builds(std::string_view lines, const debuginfod::DebugServers &servers,
                                     std::vector<std::string> &notices);

// Reads the descriptors from `first` on. Those that are no ELF files are left out.
FetchedFiles take_files(int first, size_t count);

// Gives places that have no name that of a symbol of a file of the same build.
void add_fetched_names(capture::Capture &capture, const FetchedFiles &files);

}  // namespace tapir::report
