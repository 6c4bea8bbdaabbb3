// SPDX-License-Identifier: GPL-2.0-or-later
// From an empty initramfs to the guest's file system.
#pragma once

#include <string>

#include "common/outcome.h"
#include "vm/agent/config.h"

namespace tapir::vm::agent {

// /dev, /proc and /sys of the initramfs.
void mount_essentials();

// Inserts the configured modules in order; the text says which failed and why, each with "; " after it: it goes with
// other failures that follow from it.
std::string insert_modules(const Config &config);

// Builds the root (read-only 9p below a tmpfs overlay), adds modules and shares, and makes it this process's root.
// Else GuestNotPrepared.
Outcome<void> enter_root(const Config &config);

}  // namespace tapir::vm::agent
