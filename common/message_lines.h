// SPDX-License-Identifier: GPL-2.0-or-later
// Messages that a program writes as they come, cut into lines.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace tapir {

class MessageLines {
  public:
    static constexpr size_t kLongest = 4096;

    // Takes bytes, and calls visit(std::string) for each line that is complete, without its end. A longer line than
    // kLongest comes in pieces; empty lines do not come.
    template <typename Visit>
    void take(std::string_view bytes, const Visit &visit) {
        pending_ += bytes;
        while (cut(false, visit)) {
        }
    }
    // The program has ended: what is left is a line, too.
    template <typename Visit>
    void finish(const Visit &visit) {
        while (cut(true, visit)) {
        }
    }

  private:
    template <typename Visit>
    bool cut(bool all, const Visit &visit) {
        const size_t end = pending_.find('\n');
        if (pending_.empty() || (end == std::string::npos && !all && pending_.size() < kLongest)) return false;
        const std::string line = pending_.substr(0, std::min(end, kLongest));
        pending_.erase(0, line.size() + (end == line.size()));
        if (!line.empty()) visit(line);
        return true;
    }

    std::string pending_;
};

}  // namespace tapir
