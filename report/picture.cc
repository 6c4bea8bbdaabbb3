// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/picture.h"

namespace tapir::report {

namespace {

// The text is for terminals: programs that write pictures do not take a name in .txt for one.
constexpr Format kFormats[] = {
    {"text", ".txt", nullptr, true},
#define TAPIR_PICTURE(name, suffix, writer, compares) {#name, suffix, writer, compares},
#include "capture/formats.def"
#undef TAPIR_PICTURE
};

}  // namespace

const Format *find_format(std::string_view name) {
    for (const Format &format : kFormats)
        if (format.name == name) return &format;
    return nullptr;
}

const Format *format_of_file(std::string_view path) {
    for (const Format &format : kFormats)
        if (path.size() > format.suffix.size() && path.ends_with(format.suffix)) return &format;
    return nullptr;
}

std::string format_names() {
    std::string out;
    for (const Format &format : kFormats)
        out += (out.empty() ? "" : ", ") + std::string(format.name);
    return out;
}

std::string format_suffixes() {
    std::string out;
    for (const Format &format : kFormats)
        out += (out.empty() ? "" : ", ") + std::string(format.suffix);
    return out;
}

}  // namespace tapir::report
