// SPDX-License-Identifier: GPL-2.0-or-later
// A program that has some of everything.
#pragma once

namespace tapir::dwarf {

// Lines matter: tests name them.
inline const char *const kProgram =
    "typedef struct point { int x, y; } point_t;\n"                              // 1
    "enum colour { RED = 1, GREEN = -2 };\n"                                     // 2
    "volatile int sink;\n"                                                       // 3
    "static inline __attribute__((always_inline)) int twice(int value) {\n"      // 4
    "    sink = value;\n"                                                        // 5
    "    return value * 2;\n"                                                    // 6
    "}\n"                                                                        // 7
    "static __attribute__((noinline)) int helper(int a, int b) {\n"              // 8
    "    sink = a;\n"                                                            // 9
    "    return a - b;\n"                                                        // 10
    "}\n"                                                                        // 11
    "__attribute__((noinline)) int outer(int count, point_t *p) {\n"             // 12
    "    int local = helper(count, p->x);\n"                                     // 13
    "\n"                                                                         // 14
    "    if (local == 7) goto out;\n"                                            // 15
    "    sink = twice(local);\n"                                                 // 16
    "out:\n"                                                                     // 17
    "    sink = p->y;\n"                                                         // 18
    "    return sink + local;\n"                                                 // 19
    "}\n"                                                                        // 20
    "int main(int argc, char **argv) {\n"                                        // 21
    "    point_t p = {argc, RED};\n"                                             // 22
    "    return outer(argc, &p) + outer(2, &p) + (argv[0] ? 0 : (int)GREEN);\n"  // 23
    "}\n";                                                                       // 24

}  // namespace tapir::dwarf
