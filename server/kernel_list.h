// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The kernels that are compiled for: STATE/kernels/RELEASE/ has kernel.json and, in cache/, stap's files for it: the
 * template that scripts are linked with, indexes, and the headers if they are not the machine's own. The server itself
 * reads only kernel.json, and compilations see the files read-only. A kernel appears whole or not at all.
 */
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "server/sandbox.h"

namespace tapir::server {

// The stap to run, and its modules' dependencies beside kernel and script.
struct Toolchain {
    std::string stap;  // absolute
    std::string data;  // holds tapsets/, runtime/ and kmod/

    // Changes with stap and the runtime's sources; costs reading them.
    std::string identity() const;
    // Read-only, where /usr does not have them.
    std::vector<SandboxBind> binds() const;
};

// Digests the names, sizes and modification times of all files below a directory.
std::string directory_stamp(const std::string &path);

struct KernelEntry {
    std::string release, architecture, vermagic;
    std::string build;       // `uname -v`; "" if the headers do not have it
    std::string build_id;    // of vmlinux; "" when it is not known
    std::string which;       // what -r is given: the release, or the directory of a build tree of the machine's
    bool own = false;        // its headers are in cache/
    std::string translator;  // Toolchain::identity() when it was prepared
    std::string place;       // its place, which prepared files contain; "" in files of older servers
    int64_t prepared = 0;    // seconds since 1970

    std::string serialize() const;
    static std::optional<KernelEntry> parse(const std::string &text);
};

class Kernels {
  public:
    using Progress = std::function<void(const std::string &)>;

    // `groups`: for the sandboxes; may be nullptr. `cancelled` ends preparations; may be empty.
    Kernels(std::string state, Toolchain toolchain, const MemoryGroups *groups = nullptr,
            std::function<bool()> cancelled = {});

    // Sets the limit of a client's archive when unpacked; 2 GB by default.
    void limit_archives(uint64_t bytes) { archive_bytes_ = bytes; }

    // Removes what servers that were killed have left half done.
    void sweep() const;

    std::vector<KernelEntry> list() const;
    std::optional<KernelEntry> find(const std::string &release) const;

    // One whose headers are installed on this machine. `build_id` may be "".
    Outcome<void> add_installed(const std::string &release, const std::string &build_id, const Progress &progress);
    // A prepared build tree of this machine.
    Outcome<void> add_directory(const std::string &path, const std::string &build_id, const Progress &progress);
    // Packages of Debian's form: headers, the kbuild package, and optionally image and debug information.
    Outcome<void> add_packages(const std::vector<std::string> &files, const Progress &progress);
    // A tar archive, compressed or not, of paths as from the root of the machine that runs the kernel. `replace`: one
    // of that release that is there goes. TooLarge before anything is unpacked.
    Outcome<void> add_archive(const std::string &release, const std::string &file, bool replace,
                              const Progress &progress);
    // True if it was prepared by a translator of that identity, in its current place.
    bool is_prepared(const KernelEntry &kernel, const std::string &translator) const {
        return kernel.translator == translator && kernel.place == directory(kernel.release);
    }
    // Prepares kernels again that another version of stap has prepared, or that have moved since. A failed one does not
    // hold up the others.
    void refresh(const Progress &progress);
    // Returns why refresh() could not prepare it; "" otherwise.
    std::string failure(const std::string &release) const;

    // stap for that kernel in a sandbox; limits and words after these are the caller's.
    SandboxJob job_for(const KernelEntry &kernel) const;
    // Kept while a kernel is used, so that it is not replaced meanwhile.
    std::string lock_file(const std::string &release) const;
    // A server holds it exclusively while it waits for that lock in order to replace the kernel.
    std::string turn_file(const std::string &release) const { return state_ + "/locks/turn-" + release; }

    const Toolchain &toolchain() const { return toolchain_; }

  private:
    struct Work;
    using Fill = std::function<Outcome<void>(Work &)>;
    Outcome<void> add(Work work, const Progress &progress, const Fill &fill) const;
    SandboxJob preparation() const;
    Outcome<void> check_archive(const std::string &file) const;
    Outcome<void> unpack(const Work &work, const std::vector<std::string> &files, const std::string &script) const;
    Outcome<void> prepare(Work &work, const Progress &progress) const;
    Outcome<void> publish(const Work &work) const;
    Outcome<void> put_in_place(const std::string &from, const std::string &release, bool replace) const;
    void forget_failure(const std::string &release) const;
    std::string gate() const { return state_ + "/locks/drafts"; }
    std::string directory(const std::string &release) const { return state_ + "/kernels/" + release; }

    std::string state_;
    Toolchain toolchain_;
    const MemoryGroups *groups_;
    std::function<bool()> cancelled_;
    uint64_t archive_bytes_ = 2ull << 30;
    mutable std::mutex mutex_;
    mutable std::map<std::string, std::string> failures_;  // of refresh(), by release
};

}  // namespace tapir::server
