// SPDX-License-Identifier: GPL-2.0-or-later
// Writes the archive an initramfs is: cpio "newc", owner root, time 0, so equal contents give equal bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tapir::vm {

class CpioArchive {
  public:
    // Names are relative to the root ("dev", "lib/x.ko"); parents must be added before what is in them.
    void add_directory(std::string_view name) { add(name, 0040755, ""); }
    void add_file(std::string_view name, std::string_view bytes, uint32_t permissions = 0644) {
        add(name, 0100000 | permissions, bytes);
    }
    // The whole archive, with its trailer. Nothing can be added afterwards.
    std::string finish();

  private:
    void add(std::string_view name, uint32_t mode, std::string_view bytes);
    void pad();

    std::string bytes_;
    uint32_t next_inode_ = 1;
};

}  // namespace tapir::vm
