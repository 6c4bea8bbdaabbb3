// SPDX-License-Identifier: GPL-2.0-or-later
// make_capture NAME FILE: writes a capture of which all sums are known. NAME is clean, counts, before, after, hostile,
// timed, large, leak, locks, web, web-before, or what is wrong with it: cut, stripped, dropped, skipped, array, full,
// killed.
#include <cstdio>

#include "report/known_captures.h"

int main(int argc, char **argv) {
    std::FILE *file = argc == 3 ? std::fopen(argv[2], "wb") : nullptr;
    if (!file) {
        std::fprintf(stderr, "usage: make_capture NAME FILE\n");
        return 2;
    }
    const bool known = tapir::capture::write_known(argv[1], [file](std::string_view bytes) {
        return std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
    });
    return std::fclose(file) == 0 && known ? 0 : 1;
}
