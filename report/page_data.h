// SPDX-License-Identifier: GPL-2.0-or-later
// The data that a page holds for its script.
#pragma once

#include <string>

#include "report/call_tree.h"
#include "report/origin.h"
#include "report/picture.h"

namespace tapir::report {

// JSON: frames, threads, how values are shown.
std::string page_texts(const Picture &picture, const PictureOrigin &origin);
// Base64 of the tree and its samples, as numbers. report/page/script/10_data.js reads them.
std::string page_numbers(const Picture &picture, const CallTree &tree);

}  // namespace tapir::report
