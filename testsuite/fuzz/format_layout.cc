// SPDX-License-Identifier: GPL-2.0-or-later
// The formatter on any bytes: it ends, and what it accepts has the same tokens, comments and trees. A second run
// changes nothing. The first byte chooses the style.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "base/diagnostics.h"
#include "format/format_script.h"

using namespace tapir;

namespace {

void require(bool good, const char *what, const std::string &detail) {
    if (good) return;
    fprintf(stderr, "%s\n%s\n", what, detail.c_str());
    abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const std::string text(reinterpret_cast<const char *>(data), size);
    formatter::Style style;
    if (text.starts_with('\t')) style.unit = "\t";
    const SourceFile script("fuzz.stp", text, Origin::UserScript);
    Diagnostics problems;
    const auto first = formatter::format_script(script, style, problems);
    require(first.has_value() != problems.has_errors(), "a refusal without a reason, or a reason without a refusal",
            render_all(problems, false));
    if (!first) return 0;
    // The formatter looks itself, but must not be the only one to.
    const SourceFile formatted("fuzz.stp", *first, Origin::UserScript);
    Diagnostics differences;
    require(formatter::check_formatted(script, formatted, differences), "another script", *first);
    Diagnostics again;
    const auto second = formatter::format_script(formatted, style, again);
    require(second.has_value(), "a formatted script is refused", *first + render_all(again, false));
    require(*second == *first, "a second run changes something", *first + "----\n" + *second);
    return 0;
}
