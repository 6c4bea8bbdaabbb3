// SPDX-License-Identifier: GPL-2.0-or-later
// As shapes.c, in C++.
#include <algorithm>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

static int state;
volatile long sink;

[[gnu::noinline]] static void stop(int here) {
    if (here == state) std::abort();
    sink = sink + here;
}

namespace shapes {

enum class Kind : unsigned char { Round, Square = 7 };

class Shape {
  public:
    explicit Shape(long size, Kind kind = Kind::Round) : size_(size), kind_(kind) {}
    virtual ~Shape() { stop(9); }
    virtual long area(int scale) const = 0;

  protected:
    long size_;
    Kind kind_;
};

class Square : public Shape {
  public:
    explicit Square(long size) : Shape(size, Kind::Square) { stop(1); }
    long area(int scale) const override {
        const long side = size_ * scale;
        if (kind_ == Kind::Square) stop(2);
        return side * side;
    }
};

#if SHAPE == 1  // virtual calls, references, templates
template <typename T, int N>
[[gnu::noinline]] T fold(const T (&values)[N], T first, const Shape &shape) {
    T all = first;
    for (const T &value : values) {
        all += value;
        if (all > 20) stop(3);
    }
    return all + static_cast<T>(shape.area(N));
}
[[gnu::noinline]] static long by_reference(long &out, const std::string &text, Shape *shape) {
    const unsigned length = static_cast<unsigned>(text.size());
    out += length;
    stop(4);
    return shape->area(2) + out;
}
static void run(int argc) {
    Square square(argc + 3);
    long number = 5;
    const std::string text = "some text that is long enough for the heap";
    number = by_reference(number, text, &square);
    const short values[] = {3, 8, 13};
    const short folded = fold<short, 3>(values, 2, square);
    stop(5);
    sink = folded + number;
}
#elif SHAPE == 2  // lambdas, exceptions
[[gnu::noinline]] static long apply(const std::function<long(long)> &call, int times) {
    long result = 1;
    for (int i = 0; i < times; ++i) {
        result = call(result);
        if (i == 1) stop(3);
    }
    return result;
}
[[gnu::noinline]] static int thrower(int depth, bool really) {
    std::unique_ptr<Square> owned(new Square(depth));
    if (depth > 0) return thrower(depth - 1, really) + 1;
    if (really) throw std::runtime_error("thrown");
    return static_cast<int>(owned->area(1));
}
static void run(int argc) {
    long captured = argc * 4;
    int counter = 0;
    const auto call = [&captured, counter](long value) mutable {
        ++counter;
        captured += value;
        if (counter == 3) stop(4);
        return captured - counter;
    };
    const long applied = apply(call, 4);
    try {
        counter = thrower(3, state != 2);
    } catch (const std::runtime_error &error) {
        const char *what = error.what();
        sink = what[0];
        stop(5);
    }
    sink = applied + counter;
}
#else             // containers and algorithms
struct Row {
    int key;
    double weight;
    std::string name;
    bool operator<(const Row &other) const {
        if (key == 4 && other.key == 7) stop(1);
        return key < other.key;
    }
};
[[gnu::noinline]] static size_t count(const std::map<int, Row> &rows, int least) {
    size_t found = 0;
    for (const auto &[key, row] : rows) {
        if (key >= least) ++found;
        if (row.weight > 2.5) stop(2);
    }
    return found;
}
static void run(int argc) {
    std::vector<Row> rows;
    for (int i = 0; i < 6; ++i)
        rows.push_back({(i * 5 + 2) % 7 + argc, i * 1.25, "row"});
    rows.push_back({4, 0, ""});
    rows.push_back({7, 0, ""});
    std::sort(rows.begin(), rows.end());
    std::map<int, Row> sorted;
    for (const Row &row : rows) {
        sorted.emplace(row.key, row);
        if (sorted.size() == 4) stop(3);
    }
    const size_t found = count(sorted, 4);
    stop(4);
    const auto total =
        std::count_if(rows.begin(), rows.end(), [found](const Row &row) { return row.key > static_cast<int>(found); });
    stop(5);
    sink = total;
}
#endif

}  // namespace shapes

int main(int argc, char **argv) {
    state = argc > 1 ? std::atoi(argv[1]) : 1;
    shapes::run(argc);
    return 0;
}
