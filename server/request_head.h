// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The bytes of a request before its body. The server refuses a header that can be understood in two ways. A proxy in
 * front of the server may have understood it in the other way; then the rest of the body would be another client's
 * request.
 */
#pragma once

#include <cstddef>
#include <string_view>

#include "common/outcome.h"

namespace tapir::server {

// How long the head at the beginning of `bytes` is, with the empty line; 0: more of it has to come. BadRequest: it is
// refused, also before it is whole when it cannot become good.
Outcome<size_t> check_head(std::string_view bytes);

}  // namespace tapir::server
