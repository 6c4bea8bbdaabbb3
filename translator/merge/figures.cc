// SPDX-License-Identifier: GPL-2.0-or-later
#include "merge/figures.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace tapir::merge {
namespace {

double median_of(std::vector<double> &numbers) {
    const size_t half = numbers.size() / 2;
    std::nth_element(numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(half), numbers.end());
    const double upper = numbers[half];
    if (numbers.size() % 2) return upper;
    return (*std::max_element(numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(half)) + upper) / 2;
}

}  // namespace

bool fits(Wide number) {
    return number >= std::numeric_limits<int64_t>::min() && number <= std::numeric_limits<int64_t>::max();
}

int64_t clipped(Wide number) {
    if (fits(number)) return static_cast<int64_t>(number);
    return number < 0 ? std::numeric_limits<int64_t>::min() : std::numeric_limits<int64_t>::max();
}

int64_t average(Wide sum, Wide weight) {
    return clipped(sum / weight);
}

void HostSet::add(uint32_t host) {
    const size_t word = host / 64;
    if (bits_.size() <= word) bits_.resize(word + 1);
    const uint64_t bit = uint64_t{1} << host % 64;
    if (bits_[word] & bit) return;
    bits_[word] |= bit;
    ++count_;
}

void Figure::add(int64_t number, Wide stands_for, Meaning meaning, uint32_t host) {
    any = true;
    sum += meaning == Meaning::Average ? number * stands_for : number;
    weight += meaning == Meaning::Average ? stands_for : 1;
    least = std::min(least, number);
    if (number < most) return;
    if (number > most) most_host = host;
    most = number;
}

Wide Figure::value(Meaning meaning) const {
    switch (meaning) {
        case Meaning::Average:
        case Meaning::Each:
            return sum / weight;
        case Meaning::Least:
            return least;
        case Meaning::Most:
        case Meaning::Bound:
            return most;
        default:
            return sum;
    }
}

void Spread::add(uint32_t host, Wide number, Wide weight) {
    if (parts_.size() <= host) parts_.resize(host + 1);
    Part &part = parts_[host];
    const double added = static_cast<double>(number);
    const bool first = part.weight == 0;
    switch (meaning_) {
        case Meaning::Average:
            part.sum += added * static_cast<double>(weight);
            part.weight += static_cast<double>(weight);
            return;
        case Meaning::Least:
            part.sum = first ? added : std::min(part.sum, added);
            break;
        case Meaning::Most:
        case Meaning::Bound:
            part.sum = first ? added : std::max(part.sum, added);
            break;
        default:
            part.sum += added;
            break;
    }
    part.weight += 1;
}

double Spread::value(uint32_t host) const {
    if (host >= parts_.size() || parts_[host].weight == 0) return std::nan("");
    const bool is_average = meaning_ == Meaning::Average || meaning_ == Meaning::Each;
    return is_average ? parts_[host].sum / parts_[host].weight : parts_[host].sum;
}

double Spread::median() const {
    std::vector<double> numbers;
    for (uint32_t host = 0; host < parts_.size(); ++host)
        if (parts_[host].weight != 0) numbers.push_back(value(host));
    return numbers.empty() ? std::nan("") : median_of(numbers);
}

// The median absolute deviation (MAD) is not moved by the few that are far away. Where more than half of the hosts tell
// the same it is 0, and the mean deviation takes its place.
std::vector<Spread::Far> Spread::far(const std::vector<bool> &counts) const {
    std::vector<Far> found;
    std::vector<double> numbers;
    for (uint32_t host = 0; host < parts_.size(); ++host) {
        if (parts_[host].weight == 0 || host >= counts.size() || !counts[host]) continue;
        found.push_back({host, value(host)});
        numbers.push_back(value(host));
    }
    if (found.size() < kFew) return {};
    const double middle = median_of(numbers);
    double mean = 0;
    for (double &number : numbers) {
        number = std::fabs(number - middle);
        mean += number / static_cast<double>(numbers.size());
    }
    // These are the standard deviation where the numbers are normally distributed.
    const double deviation = median_of(numbers);
    const double unit = deviation > 0 ? deviation * 1.4826 : mean * 1.2533;
    if (!(unit > 0)) return {};
    for (Far &one : found) {
        one.median = middle;
        one.times = (one.value - middle) / unit;
    }
    std::erase_if(found, [](const Far &one) { return std::fabs(one.times) < kFar; });
    std::stable_sort(found.begin(), found.end(),
                     [](const Far &a, const Far &b) { return std::fabs(a.times) > std::fabs(b.times); });
    return found;
}

}  // namespace tapir::merge
