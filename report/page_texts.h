// SPDX-License-Identifier: GPL-2.0-or-later
// The files of report/page, as the build put them into the program.
#pragma once

#include <string_view>

namespace tapir::report {

extern const std::string_view kSvgStyle, kSvgScript;
extern const std::string_view kPageStyle, kPageScript, kPageBody;
// Hexadecimal.
extern const std::string_view kPageStyleSha256, kPageScriptSha256;

}  // namespace tapir::report
