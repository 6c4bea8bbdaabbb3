// SPDX-License-Identifier: GPL-2.0-or-later
// Calls of methods, templates and operators, down to a system call.
#include <unistd.h>

namespace shapes {
struct Circle {
    int radius;
    __attribute__((noinline)) int area(const char *unit) const;
    __attribute__((noinline)) int operator()(int times) const;
};
template <typename T, typename U>
struct Pair {
    T first;
    U second;
    __attribute__((noinline)) int ask() const { return getppid() + static_cast<int>(sizeof *this) + first; }
};
int Circle::area(const char *unit) const {
    return Pair<Pair<int, long>, long>{{1, 2}, 3}.first.ask() + radius + unit[0];
}
int Circle::operator()(int times) const {
    return area("cm") * times;
}
}  // namespace shapes

static int always = 3;
extern "C" int plain() {
    return shapes::Circle{always}(2) + 1;
}
namespace {
namespace inner {
__attribute__((noinline)) int call() {
    return plain() + 1;
}
}  // namespace inner
}  // namespace

int main() {
    return inner::call() == 0;
}
