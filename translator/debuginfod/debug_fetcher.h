// SPDX-License-Identifier: GPL-2.0-or-later
// Files by build-id from debuginfod servers and from build servers, which speak the same protocol. curl(1) speaks it
// for us, as for build servers: a process of its own that can be ended at any time, with the user's settings of
// proxies.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "debuginfod/debug_cache.h"
#include "debuginfod/debug_servers.h"
#include "debuginfod/file_signature.h"

namespace tapir::debuginfod {

// A file that a server has.
struct DebugOffer {
    std::string url;     // of the server
    uint64_t bytes = 0;  // 0 = it does not tell
};

// Not for several threads.
class DebugFetcher {
  public:
    using Tell = std::function<void(const std::string &)>;

    // `tell` gets lines about large files that are being fetched, with their sizes, and about all if the settings ask
    // for it; may be empty.
    explicit DebugFetcher(DebugServers servers, Tell tell = {});

    // False: no server is known, and find() only looks into the cache.
    bool asks() const { return !servers_.urls.empty(); }
    // The path of a file of exactly this build, in the cache. Else DebugFileMissing, if the servers have none, or
    // DebugFileNotFetched: the time is over, a server does not answer, or sends something else. A server that failed is
    // not asked again. All calls together take no longer than the deadline.
    Outcome<std::string> find(FileKind kind, const std::string &build_id);
    // Asks which server has the file, and for its size alone. Else faults as of find().
    Outcome<DebugOffer> offer(FileKind kind, const std::string &build_id);
    // The first fault that was not just a missing file: a server that failed, or the deadline.
    const std::optional<Fault> &failure() const { return failure_; }

  private:
    struct Attempt;

    Outcome<std::string> fetch(FileKind kind, const std::string &build_id);
    void tell_size(const Attempt &attempt, const std::string &url, const std::string &name) const;
    Attempt ask(const std::string &url, const std::string &name, const std::string &directory, uint64_t most_bytes);
    void give_up(const std::string &url, const Attempt &attempt, const Fault &why);
    std::optional<Fault> judge(const Attempt &attempt, const std::string &url, FileKind kind,
                               const std::string &build_id);
    Outcome<void> check_signature(const Attempt &attempt, FileKind kind, const std::string &build_id);
    std::string configuration(const std::string &url, const std::string &name, const std::string &directory,
                              unsigned seconds, uint64_t most_bytes) const;
    unsigned seconds_left() const;

    DebugServers servers_;
    Tell tell_;
    DebugCache cache_;
    std::optional<Outcome<void>> signers_loaded_;
    FileSigners signers_;
    std::string token_;                            // of servers_.known, once it is needed
    std::set<std::string> given_up_;               // servers that failed
    std::chrono::steady_clock::duration asked_{};  // the time that servers took
    std::map<std::pair<FileKind, std::string>, Fault> failed_;
    std::optional<Fault> failure_;
    bool swept_ = false;
};

}  // namespace tapir::debuginfod
