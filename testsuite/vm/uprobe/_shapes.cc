// SPDX-License-Identifier: GPL-2.0-or-later
// Classes, references and results of C++ whose values are known.
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#define NOINLINE __attribute__((noipa))

namespace shapes {
enum class Colour : unsigned char { Red = 1, Green = 2 };
int drawn = 41;

struct Base {
    virtual ~Base() {}
    virtual int area() const { return 0; }
    int id = 7;
    static int count;
};
int Base::count = 3;

struct Shared {
    virtual ~Shared() {}
    long shared = 99;
};

struct Circle : Base, virtual Shared {
    Circle(int r, const char *n) : radius(r), name(n) {}
    NOINLINE int area() const override { return radius * radius; }
    NOINLINE int area(int scale) const { return radius * radius * scale; }
    int radius;
    Colour colour = Colour::Green;
    unsigned low : 3 = 5, high : 5 = 9;
    union {
        int number = 77;
        float fraction;
    };
    std::string name;
    static constexpr int kLimit = 12;
};

struct Special : Circle {
    Special() : Circle(5, "a name too long to be kept in the string itself") {}
    int more = 4;
};
}  // namespace shapes

struct Pair {
    long first;
    int second;
};
struct Large {
    long values[4];
};

NOINLINE int look(int &number, const shapes::Circle &circle, shapes::Circle &&moved) {
    return number + circle.radius + moved.radius;
}
template <typename T>
NOINLINE T biggest(T a, T b) {
    return a > b ? a : b;
}
NOINLINE Pair make_pair(int n) {
    return {n, n + 1};
}
NOINLINE Large make_large(int n) {
    return {{n, n + 1, n + 2, n + 3}};
}
NOINLINE std::unique_ptr<int> make_owned(int n) {
    return std::make_unique<int>(n);
}
NOINLINE int &element(std::vector<int> &of, size_t at) {
    return of[at];
}
NOINLINE int throws(int n) {
    if (n % 2) throw n;
    return n;
}
NOINLINE int catches(int n) {
    try {
        return throws(n);
    } catch (int thrown) {
        return -thrown;
    }
}

int main() {
    shapes::Special special;
    shapes::Circle moved(2, "moved");
    std::vector<int> numbers = {10, 20, 30};
    int number = 1, sum = 0;

    sum += look(number, special, static_cast<shapes::Circle &&>(moved));
    sum += special.area() + special.area(2);
    sum += biggest(3, 4) + static_cast<int>(biggest(5L, 6L));
    sum += static_cast<int>(make_pair(8).first + make_large(20).values[3]) + *make_owned(123) + element(numbers, 1);
    for (int i = 0; i < 100; i++)
        sum += catches(i);
    std::printf("%d\n", sum);
    return 0;
}
