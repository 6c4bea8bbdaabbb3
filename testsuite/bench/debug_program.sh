#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# debug_program.sh DIRECTORY [UNITS]: makes DIRECTORY/program, a C++ program with about 18 MB of debug information for each of UNITS
# (default 6) units. A unit takes the compiler a minute.
set -eu
directory=$1 units=${2:-6} types=40
mkdir -p "$directory"
cd "$directory"
for ((u = 0; u < units; u++)); do
    cat >"unit$u.cc" <<END
#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>
namespace unit$u {
template <int N> struct Key {
    int numbers[N + 1];
    std::string name;
    bool operator<(const Key &other) const { return numbers[0] < other.numbers[0]; }
    bool operator==(const Key &other) const { return numbers[0] == other.numbers[0]; }
};
template <int N> struct Hash { size_t operator()(const Key<N> &key) const { return key.numbers[0]; } };
template <int N> struct Work {
    std::map<Key<N>, std::vector<Key<N>>> ordered;
    std::unordered_map<Key<N>, std::string, Hash<N>> hashed;
    std::set<Key<N>> keys;
    std::vector<std::shared_ptr<Key<N>>> shared;
    __attribute__((noinline)) int step(int value, const std::string &text) {
        Key<N> key{};
        key.numbers[0] = value;
        key.name = text;
        ordered[key].push_back(key);
        hashed[key] = text;
        keys.insert(key);
        shared.push_back(std::make_shared<Key<N>>(key));
        std::function<int(int)> grown = [&](int x) { return x + (int)ordered.size(); };
        std::sort(ordered[key].begin(), ordered[key].end());
        return grown(value) + (int)keys.count(key);
    }
};
int run(int value) {
    int sum = 0;
$(for ((t = 0; t < types; t++)); do echo "    sum += Work<$t>().step(value, \"text\");"; done)
    return sum;
}
}
END
    g++ -O1 -g -c "unit$u.cc"
done
{
    for ((u = 0; u < units; u++)); do echo "namespace unit$u { int run(int); }"; done
    echo 'int main(int argc, char **) { int sum = 0;'
    for ((u = 0; u < units; u++)); do echo "sum += unit$u::run(argc);"; done
    echo 'return sum == 0; }'
} >main.cc
g++ -g -o program main.cc unit*.o
