// SPDX-License-Identifier: GPL-2.0-or-later
#include "merge/sheet.h"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>

namespace tapir::merge {

std::string number_text(const tapir_screen &screen, Wide number, const std::string &unit) {
    char text[TAPIR_MEASURE_MAX];
    const tapir_unit known = tapir_unit_of(unit.c_str());
    if (known.kind != TAPIR_UNIT_PLAIN || !fits(number)) return {text, tapir_measure(text, &screen, &known, number)};
    const auto size = static_cast<uint64_t>(number < 0 ? -number : number);
    return (number < 0 ? "-" : "") + std::string(text, tapir_count_whole(text, size));
}

void Sheet::column(tapir_column kind, std::string_view head) {
    std::string capitals(head);
    std::transform(capitals.begin(), capitals.end(), capitals.begin(),
                   [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    tapir_table_column(&table_, kind, capitals.c_str());
}

void Sheet::cell(std::string_view text) {
    tapir_table_cell(&table_, std::string(text).c_str());
}

void Sheet::number(Wide number, const std::string &unit) {
    cell(number_text(screen_, number, unit));
}

std::string Sheet::text() const {
    char *text = nullptr;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    if (!out) return {};
    tapir_screen wide = screen_;
    if (!tapir_table_print(&table_, &screen_, out)) {
        wide.width = TAPIR_SCREEN_MOST;
        tapir_table_print(&table_, &wide, out);
    }
    std::fclose(out);
    std::string result(text, length);
    std::free(text);
    return result;
}

}  // namespace tapir::merge
