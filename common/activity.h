// SPDX-License-Identifier: GPL-2.0-or-later
// Shows on a terminal what the program is busy with, once that takes more than a second.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace tapir {

// Progress. Messages show the share of parts; for bytes they show the numbers, too.
struct Extent {
    uint64_t done = 0;
    uint64_t whole = 0;  // 0 = not known
    bool bytes = false;
};

// Lasts as long as the work. Activities nest: the latest is shown. They end in the reverse order of their beginning.
class Activity {
  public:
    // Shows activities on this terminal from now on. Without it they cost a look at a variable. Call it once.
    static void show_on(int terminal);

    // `what` as in "preparing kernel 6.1.0". Another thread calls `extent`, if given, several times a second until
    // the object's end.
    explicit Activity(std::string what, std::function<Extent()> extent = {});
    // Removes the line from the terminal.
    ~Activity();
    Activity(const Activity &) = delete;
    Activity &operator=(const Activity &) = delete;

  private:
    bool told_ = false;
};

// The line: "downloading linux-image-6.1.0: 34 of 68 MB, 50 %, 12 s", cut to fit `columns`.
std::string activity_line(const std::string &what, const Extent &extent, unsigned seconds, size_t columns);

}  // namespace tapir
