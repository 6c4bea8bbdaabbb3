// SPDX-License-Identifier: GPL-2.0-or-later
// A kernel's memory in the format of kdump: pages that makedumpfile or QEMU's dump-guest-memory has compressed.
// libkdumpfile reads it. That is loaded when the first such dump is opened, and is neither needed to build nor to run
// anything else: kdump_none.cc is there where this is not. Contents are not trusted.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "common/outcome.h"

namespace tapir::core {

class KdumpReader {
  public:
    // Returns why such dumps cannot be read here, with advice, or "".
    static std::string missing();
    // The descriptor stays the caller's, open as long as the result. Faults, whose text continues after the file's
    // name: CoreForeign, CoreDamaged, CoreUnreadable.
    static Outcome<std::unique_ptr<KdumpReader>> open(int file);
    ~KdumpReader();

    // VMCOREINFO: "KEY=VALUE" lines; "" if the dump lacks it.
    const std::string &facts() const { return facts_; }
    // Copies physical memory. False where it is not in the dump.
    bool read(void *to, uint64_t address, uint32_t length) const;

  private:
    KdumpReader() = default;

    [[maybe_unused]] void *context_ = nullptr;  // unused in builds without the library
    std::string facts_;
};

}  // namespace tapir::core
