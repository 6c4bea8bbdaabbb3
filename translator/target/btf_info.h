// SPDX-License-Identifier: GPL-2.0-or-later
// The BTF of a kernel and its modules: where it is, read when it is asked for.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "target/btf.h"
#include "target/scope.h"

namespace tapir::target {

// Where BTF may be found. Empty members are not tried.
struct BtfSources {
    std::string release;                  // "6.1.0-56-amd64"
    std::string build_dir;                // a build tree or headers: vmlinux in it
    std::string image;                    // vmlinuz; else <root>/boot/vmlinuz-<release>
    std::string root;                     // prefix of /sys, /boot, /lib and /usr; "" is the machine itself
    std::vector<std::string> debug_dirs;  // where debug packages are, with the root: /usr/lib/debug
    std::string cache_dir;                // unpacked parts of images are kept in its index/; empty: not kept
    bool running = false;                 // this kernel runs here: ask /sys/kernel/btf first
};

// Where BTF came from, by the object it describes.
struct BtfObject {
    std::string path;
    std::unique_ptr<BtfTypes> types;  // null without BTF; `path` then has no meaning
    mutable bool used = false;        // something that depends on this very object was taken from it
};

class BtfInfo {
  public:
    BtfInfo() = default;
    explicit BtfInfo(BtfSources sources) : sources_(std::move(sources)) {}

    // Null if the kernel has no BTF. The results live as long as this.
    const BtfObject *kernel() const;
    // The build-id of the running kernel, else of its image or vmlinux; "" if it is not known.
    std::string kernel_build_id() const;
    // `file` is the module's, below or without the root; it is not looked at if the running kernel has the BTF.
    const BtfObject *module(const std::string &name, const std::string &file) const;
    // Returns why existing BTF of the kernel ("") or of a module that was asked for is not read; "" if nothing is
    // wrong.
    std::string problem(const std::string &name) const;
    // The objects that anything was taken from until now, those without a build-id excepted; the kernel first.
    std::vector<BuiltObject> used() const;
    // Paths of files that were read until now.
    std::vector<std::string> opened() const;
    // The places that were looked at without success, each with the reason when there was something.
    const std::vector<std::string> &tried() const { return tried_; }

  private:
    struct Place {
        std::string path;
        bool blob = false;       // not within an ELF file
        std::string notes = {};  // of a blob: where the notes of its object are
    };
    struct Opened : BtfObject {
        Place place;
        std::string problem;
    };
    std::vector<Place> kernel_places() const;
    const BtfObject *open(const std::string &name, const std::vector<Place> &places, const BtfTypes *base) const;

    BtfSources sources_;
    std::string build_id(const Place &place) const;

    mutable std::map<std::string, Opened> open_;
    mutable std::vector<std::string> tried_;
};

}  // namespace tapir::target
