// SPDX-License-Identifier: GPL-2.0-or-later
// Numbers that many hosts tell, added up without a loss; and how far each host's is from the others'.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "merge/meaning.h"

namespace tapir::merge {

__extension__ typedef __int128 Wide;

// Within 64 bits, as records have numbers.
int64_t clipped(Wide number);
// Does it fit into 64 bits?
bool fits(Wide number);
// Rounded towards zero, as the language's @avg; `weight` is not 0.
int64_t average(Wide sum, Wide weight);

// Which hosts have told something.
class HostSet {
  public:
    void add(uint32_t host);
    uint32_t count() const { return count_; }
    size_t bytes() const { return bits_.capacity() * sizeof(uint64_t); }

  private:
    std::vector<uint64_t> bits_;
    uint32_t count_ = 0;
};

// All that has come of one number of a row, or of a global.
struct Figure {
    Wide sum = 0, weight = 0;
    int64_t least = std::numeric_limits<int64_t>::max(), most = std::numeric_limits<int64_t>::min();
    uint32_t most_host = 0;  // that has told `most`
    bool any = false;

    // `weight` is what an average stands for; 1 or more.
    void add(int64_t number, Wide weight, Meaning meaning, uint32_t host);
    // The number that is shown. There must be any.
    Wide value(Meaning meaning) const;
};

// One figure of each host, such as the sum of a column.
class Spread {
  public:
    Spread(std::string name, std::string unit, Meaning meaning)
        : name_(std::move(name)), unit_(std::move(unit)), meaning_(meaning) {}

    void add(uint32_t host, Wide number, Wide weight);

    struct Far {
        uint32_t host = 0;
        double value = 0, median = 0;
        double times = 0;  // the usual distance from the median that it is away; negative: below
    };
    // The hosts that are far from the others, the farthest first. Hosts of which `counts` is false, or that told
    // nothing, are none of these. Of fewer than kFew hosts none is far.
    std::vector<Far> far(const std::vector<bool> &counts) const;

    static constexpr size_t kFew = 5;
    static constexpr double kFar = 3.5;  // in units of the standard deviation that the MAD stands for

    const std::string &name() const { return name_; }
    const std::string &unit() const { return unit_; }
    // The host's figure; NaN: it told none.
    double value(uint32_t host) const;
    // The median of the hosts that told something; NaN: none did.
    double median() const;

  private:
    struct Part {
        double sum = 0, weight = 0;
    };
    std::string name_, unit_;
    Meaning meaning_;
    std::vector<Part> parts_;
};

}  // namespace tapir::merge
