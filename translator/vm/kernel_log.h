// SPDX-License-Identifier: GPL-2.0-or-later
// Reading a guest's kernel log for signs of harm.
#pragma once

#include <string>
#include <string_view>

namespace tapir::vm {

class KernelLog {
  public:
    // One record of /dev/kmsg: "<priority>,<sequence>,<microseconds>,<flags>;text".
    void add(std::string_view record);
    // The first line that tells of a bug, warning, oops, lock-up, stall or lockdep report; "" if none did.
    const std::string &trouble() const { return trouble_; }
    // All of it, "[   12.345678] text" per line. User space's own records are left out.
    const std::string &text() const { return text_; }

  private:
    std::string text_, trouble_;
};

bool is_trouble(std::string_view line);

}  // namespace tapir::vm
