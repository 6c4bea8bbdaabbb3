// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/picture.h"

namespace tapir::report {

namespace {

constexpr Format kFormats[] = {
    {"text", ".txt", nullptr, true},
    {"folded", ".folded", render_folded, true},
    {"svg", ".svg", render_svg, true},
    {"html", ".html", render_page, true},
    {"pprof", ".pb.gz", render_pprof, false},
    {"speedscope", ".speedscope.json", render_speedscope, false},
    {"chrome", ".chrome.json", render_chrome, false},
    {"firefox", ".firefox.json", render_firefox, false},
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
