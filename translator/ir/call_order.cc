// SPDX-License-Identifier: GPL-2.0-or-later
#include "ir/call_order.h"

#include <algorithm>

namespace tapir::ir {

namespace {

// Keeps pending calls in a list of its own: chains of calls are longer than a thread's stack.
class Components {
  public:
    explicit Components(const std::vector<std::vector<size_t>> &callees)
        : callees_(callees), number_(callees.size()), low_(callees.size()), waits_(callees.size()) {}

    std::vector<std::vector<size_t>> find() {
        for (size_t i = 0; i < callees_.size(); i++)
            if (!number_[i]) walk(i);
        return std::move(found_);
    }

  private:
    struct Visit {
        size_t function, next_callee;
    };

    void enter(size_t function) {
        number_[function] = low_[function] = ++last_;
        waits_[function] = true;
        waiting_.push_back(function);
        path_.push_back({function, 0});
    }

    void walk(size_t first) {
        enter(first);
        while (!path_.empty()) {
            auto &[function, next] = path_.back();
            if (next == callees_[function].size()) {
                leave(function);
                continue;
            }
            const size_t callee = callees_[function][next++];
            if (!number_[callee])
                enter(callee);
            else if (waits_[callee])
                low_[function] = std::min(low_[function], number_[callee]);
        }
    }

    void leave(size_t function) {
        path_.pop_back();
        if (!path_.empty()) {
            const size_t caller = path_.back().function;
            low_[caller] = std::min(low_[caller], low_[function]);
        }
        if (low_[function] != number_[function]) return;
        const auto begin = std::find(waiting_.rbegin(), waiting_.rend(), function).base() - 1;
        found_.emplace_back(begin, waiting_.end());
        for (size_t member : found_.back())
            waits_[member] = false;
        waiting_.erase(begin, waiting_.end());
    }

    const std::vector<std::vector<size_t>> &callees_;
    std::vector<size_t> number_, low_;  // from 1; 0: not seen yet
    std::vector<bool> waits_;
    std::vector<size_t> waiting_;
    std::vector<Visit> path_;
    std::vector<std::vector<size_t>> found_;
    size_t last_ = 0;
};

}  // namespace

std::vector<std::vector<size_t>> call_order(const std::vector<std::vector<size_t>> &callees) {
    return Components(callees).find();
}

}  // namespace tapir::ir
