// SPDX-License-Identifier: GPL-2.0-or-later
#include "options/picture_options.h"

#include <array>
#include <charconv>
#include <string_view>

#include "capture/picture_files.h"
#include "common/command_text.h"

namespace tapir::driver {

namespace {

// Suffixes of pictures that stap-report does not make, and that no output in text form has.
constexpr std::array<std::string_view, 10> kOtherPictures = {".png", ".jpg",  ".jpeg", ".gif", ".webp",
                                                             ".pdf", ".svgz", ".htm",  ".bmp", ".ps"};

constexpr size_t kMostCommand = 4096;

bool is_number(const std::string &text, double low, double high) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() && value >= low && value <= high;
}

std::string suffixes() {
    std::string out;
    for (const std::string_view suffix : capture::kPictureSuffixes)
        out += (out.empty() ? "" : ", ") + std::string(suffix);
    return out;
}

}  // namespace

bool keeps_samples(const Options &options) {
    return !options.record.empty() || capture::names_picture(options.output);
}

std::vector<std::string> picture_conflicts(const Options &o) {
    std::vector<std::string> out;
    for (const std::string_view suffix : kOtherPictures)
        if (o.output.size() > suffix.size() && o.output.ends_with(suffix))
            out.push_back("The -o file '" + o.output + "' is of a kind that is not made: pictures of samples are " +
                          suffixes() + ", and a browser shows .html and .svg.");
    const auto only_pictures = [&](const char *option) {
        if (!capture::names_picture(o.output))
            out.push_back(std::string("The ") + option +
                          " option is for pictures (-o FILE.html, FILE.svg and the like); 'stap report' has it for "
                          "captures.");
    };
    if (!o.min_quality.empty()) {
        if (!is_number(o.min_quality, 0, 100))
            out.push_back("Invalid value '" + o.min_quality + "' for --min-quality (should be 0-100, a percentage).");
        only_pictures("--min-quality");
    }
    if (!o.from.empty()) {
        if (!is_number(o.from, 1e-9, 1e9))
            out.push_back("Invalid value '" + o.from + "' for --from (should be a positive number of seconds).");
        only_pictures("--from");
    }
    if (o.accept_partial) only_pictures("--accept-partial");
    if (!o.own.empty()) only_pictures("--own");
    if (!o.delay.empty() && !is_number(o.delay, 1e-9, 1e9))
        out.push_back("Invalid value '" + o.delay + "' for --delay (should be a positive number of seconds).");
    if (!o.delay.empty() && (o.load_and_detach || o.looks_at_still()))
        out.emplace_back("The --delay option is for sessions that stap waits for: not for -F, --core and --snapshot.");
    return out;
}

void add_report_options(const Options &options, std::vector<std::string> &arguments) {
    if (!options.from.empty()) arguments.insert(arguments.end(), {"--from", options.from});
    if (!options.min_quality.empty()) arguments.insert(arguments.end(), {"--min-quality", options.min_quality});
    if (options.accept_partial) arguments.emplace_back("--accept-partial");
    for (const std::string &pattern : options.own)
        arguments.push_back("--own=" + pattern);
}

void add_picture_options(const Options &options, std::vector<std::string> &arguments) {
    if (!options.delay.empty()) arguments.insert(arguments.end(), {"--delay", options.delay});
    add_report_options(options, arguments);
    // 4096 bytes of a command are enough to recognize it; the kernel refuses words of 128 KiB.
    if (keeps_samples(options))
        arguments.push_back("--command-line=" + command_text("stap", options.raw).substr(0, kMostCommand));
}

}  // namespace tapir::driver
