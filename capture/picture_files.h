// SPDX-License-Identifier: GPL-2.0-or-later
// Names of files that stap-report fills with pictures of samples.
#pragma once

#include <string_view>

namespace tapir::capture {

inline constexpr std::string_view kPictureSuffixes[] = {
    ".folded", ".svg", ".html", ".pb.gz", ".speedscope.json", ".chrome.json", ".firefox.json",
};

inline bool names_picture(std::string_view file) {
    for (std::string_view suffix : kPictureSuffixes)
        if (file.size() > suffix.size() && file.ends_with(suffix)) return true;
    return false;
}

}  // namespace tapir::capture
