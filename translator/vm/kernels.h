// SPDX-License-Identifier: GPL-2.0-or-later
// Kernels to boot and to build for: installed ones, and packages unpacked in the cache.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "common/outcome.h"
#include "vm/packages.h"

namespace tapir::vm {

struct KernelFiles {
    std::string release;
    std::string image;                          // vmlinuz
    std::string modules;                        // lib/modules/RELEASE with the modules themselves in it
    std::string build_dir;                      // prepared for kbuild; "" unless headers were wanted
    std::string debug;                          // vmlinux with debug information; "" unless it was wanted
    std::vector<std::string> undescribed = {};  // of modules that were wanted: why there is no debug information
};

struct KernelRequest {
    std::string release;        // "" = the distribution's newest
    bool want_image = true;     // image and modules
    bool want_headers = false;  // build_dir
    // The kernel's debug information, without that of its modules but for those named. Only on top of an image.
    bool want_debug = false;
    std::vector<std::string> debug_modules;
    std::string cache;                    // "" = target::cache_dir()
    std::vector<std::string> roots{"/"};  // file systems installed kernels are looked for in, best first
    Progress progress;
};

// Finds what is wanted below the roots, then in <cache>/kernels/RELEASE, else fetches the packages there. Safe to run
// from several processes at once. Reports why it failed and leaves nothing half done.
std::optional<KernelFiles> ensure_kernel(const KernelRequest &request, Diagnostics &diagnostics);

// The release that "" stands for. Remembered until the package indexes change.
std::optional<std::string> default_release(const KernelRequest &request, Diagnostics &diagnostics);

// Makes unpacked packages usable where they are: absolute links become relative, and header trees include each other
// by relative path. Else PackagesNotRelocated.
Outcome<void> relocate_packages(const std::string &root);

}  // namespace tapir::vm
