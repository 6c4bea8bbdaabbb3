// SPDX-License-Identifier: GPL-2.0-or-later
// Exit statuses of staprun that its callers tell apart from 1, a failure.
#pragma once

namespace tapir {

// The session did well, but the command of -c failed (staprun --command-status).
inline constexpr int kCommandFailed = 4;

}  // namespace tapir
