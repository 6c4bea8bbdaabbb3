// SPDX-License-Identifier: GPL-2.0-or-later
// Names of files that stap-report fills with pictures of samples.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tapir::capture {

inline constexpr std::string_view kPictureSuffixes[] = {
#define TAPIR_PICTURE(name, suffix, writer, compares) suffix,
#include "capture/formats.def"
#undef TAPIR_PICTURE
};

inline bool names_picture(std::string_view file) {
    for (std::string_view suffix : kPictureSuffixes)
        if (file.size() > suffix.size() && file.ends_with(suffix)) return true;
    return false;
}

// The exit status of a run whose picture was made, or whose capture was kept, but misleads: too much of it is cut or
// lost, or it is not sealed.
inline constexpr int kPoorPicture = 3;

// "1 sample", "12,642 samples"
inline std::string counted_text(uint64_t count, const char *thing) {
    std::string digits = std::to_string(count);
    for (size_t at = digits.size(); at > 3; at -= 3)
        digits.insert(at - 3, ",");
    return digits + " " + thing + (count == 1 ? "" : "s");
}

// "12 samples, 3 rows"; without what there is none of, but one of both.
inline std::string content_text(uint64_t samples, uint64_t rows) {
    if (!rows) return counted_text(samples, "sample");
    return (samples ? counted_text(samples, "sample") + ", " : "") + counted_text(rows, "row");
}

}  // namespace tapir::capture
