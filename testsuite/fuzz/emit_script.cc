// SPDX-License-Identifier: GPL-2.0-or-later
// Passes 1 to 3 on any bytes, with the tapset library: they end, and what is refused is refused with a reason. The
// first byte chooses the options.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "translate.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0) return 0;
    tapir::native::Settings settings;
    settings.guru = data[0] & 1;
    settings.unoptimized = data[0] & 2;
    settings.args = {"1", "two"};
    std::string text(reinterpret_cast<const char *>(data) + 1, size - 1);
    tapir::native::Translation translation = tapir::native::translate(text, settings);
    if (translation.ok ? translation.c.empty() : translation.diagnostics.empty()) {
        fprintf(stderr, "neither C nor a reason\n");
        abort();
    }
    return 0;
}
