// SPDX-License-Identifier: GPL-2.0-or-later
// dump_script [-i] FILE: the C (or with -i the IR) of a script, for looking at a failing case.
#include <cstring>
#include <iostream>

#include "translate.h"

int main(int argc, char **argv) {
    bool ir = argc > 1 && !std::strcmp(argv[1], "-i");
    if (argc < 2 + ir) return 2;
    tapir::native::Settings settings;
    settings.guru = true;
    tapir::native::Translation t = tapir::native::translate(tapir::native::read_file(argv[1 + ir]), settings);
    std::cerr << t.diagnostics;
    std::cout << (ir ? t.ir : t.c);
    return t.ok ? 0 : 1;
}
