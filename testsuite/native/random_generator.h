// SPDX-License-Identifier: GPL-2.0-or-later
// Builds the trees of random programs.
#pragma once

#include <random>
#include <set>
#include <string>
#include <vector>

#include "random_node.h"

namespace tapir::native {

class Generator {
  public:
    explicit Generator(uint64_t seed) : random_(seed) {}

    NodePtr program();
    Functions functions();

  private:
    int pick(int n) { return static_cast<int>(random_() % static_cast<uint64_t>(n)); }
    template <class List>
    auto pick_from(const List &list) {
        return *(std::begin(list) + pick(static_cast<int>(std::size(list))));
    }
    std::string pick(std::initializer_list<const char *> list) { return pick_from(list); }

    NodePtr element(bool text, int depth);
    NodePtr target(bool text, int depth);
    NodePtr masked(int depth, int64_t mask);
    NodePtr small();
    NodePtr literal_number();
    NodePtr statistic(int depth);
    NodePtr bucket(int depth);
    NodePtr call(bool text, int depth);
    NodePtr number(int depth);
    NodePtr string(int depth);

    NodePtr block(int depth);
    NodePtr loop(NodePtr loop, int depth);
    NodePtr foreach (int depth);
    NodePtr sample();
    NodePtr removal();
    NodePtr simple_statement();
    NodePtr statement(int depth);
    bool writable(const NodePtr &target) const;

    std::mt19937_64 random_;
    std::set<std::string> frozen_;  // arrays and statistics a foreach is at
    int loops_ = 0;
    int in_loop_ = 0;
    bool in_function_ = false;
};

}  // namespace tapir::native
