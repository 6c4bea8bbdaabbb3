// SPDX-License-Identifier: GPL-2.0-or-later
// A program in C++ that has some of everything.
#pragma once

namespace tapir::dwarf {

// Lines matter: tests name them.
inline const char *const kCxxProgram =
    "volatile int sink;\n"                                                                                // 1
    "#define NOINLINE __attribute__((noinline))\n"                                                        // 2
    "namespace shapes {\n"                                                                                // 3
    "enum class Colour : unsigned char { Red = 1, Green = 2 };\n"                                         // 4
    "struct Base { virtual ~Base() {} int id = 7; static int count; virtual int area() const; };\n"       // 5
    "int Base::count = 3;\n"                                                                              // 6
    "int Base::area() const { return id; }\n"                                                             // 7
    "struct Shared { int shared = 99; virtual void touch() {} };\n"                                       // 8
    "struct Circle : Base, virtual Shared {\n"                                                            // 9
    "    int radius; Colour colour; unsigned low : 3, high : 5;\n"                                        // 10
    "    union { int number; float fraction; };\n"                                                        // 11
    "    struct Inner { int deep; } inner;\n"                                                             // 12
    "    static constexpr int kLimit = 12;\n"                                                             // 13
    "    Circle(int r);\n"                                                                                // 14
    "    ~Circle() override;\n"                                                                           // 15
    "    int area() const override;\n"                                                                    // 16
    "    int area(int scale, const char *why) const;\n"                                                   // 17
    "    template <typename T> NOINLINE T scaled(T by) { sink = radius; return by * radius; }\n"          // 18
    "};\n"                                                                                                // 19
    "NOINLINE Circle::Circle(int r) : radius(r), colour(Colour::Green), low(5), high(9), number(77) {\n"  // 20
    "    sink = r; inner.deep = kLimit;\n"                                                                // 21
    "}\n"                                                                                                 // 22
    "NOINLINE Circle::~Circle() { sink = 0; }\n"                                                          // 23
    "NOINLINE int Circle::area() const { sink = radius; return radius * radius; }\n"                      // 24
    "NOINLINE int Circle::area(int scale, const char *why) const { sink = why[0]; return scale; }\n"      // 25
    "NOINLINE int operator<<(const Circle &c, int by) { sink = by; return c.radius << by; }\n"            // 26
    "inline __attribute__((always_inline)) int inlined(int x) { sink = x; return x + 2; }\n"              // 27
    "}\n"                                                                                                 // 28
    "namespace {\n"                                                                                       // 29
    "NOINLINE int hidden(int x) { sink = x; return shapes::inlined(x) + 1; }\n"                           // 30
    "}\n"                                                                                                 // 31
    "template <typename T> NOINLINE T biggest(T a, T b) { sink = 1; return a > b ? a : b; }\n"            // 32
    "NOINLINE int by_reference(int &x, const shapes::Circle &c, shapes::Circle &&m) {\n"                  // 33
    "    sink = x;\n"                                                                                     // 34
    "    return c.radius + m.radius;\n"                                                                   // 35
    "}\n"                                                                                                 // 36
    "template <typename F> NOINLINE int call(F f) { return f(3); }\n"                                     // 37
    "int main(int argc, char **argv) {\n"                                                                 // 38
    "    shapes::Circle c(argc + 1), m(3);\n"                                                             // 39
    "    int r = argc;\n"                                                                                 // 40
    "    auto add = [&r](int k) NOINLINE { sink = k; return k + r; };\n"                                  // 41
    "    return c.area() + c.area(2, argv[0]) + int(c.scaled(2L)) + hidden(argc) + biggest(argc, 2) +\n"  // 42
    "           int(biggest(2L, 3L)) + call(add) + (c << 2) + by_reference(r, c, (shapes::Circle &&)m);\n"
    "}\n";

}  // namespace tapir::dwarf
