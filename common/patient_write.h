// SPDX-License-Identifier: GPL-2.0-or-later
// Writing without blocking inside write(), for any descriptor. Callers that may block use write_all() (files.h).
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>

namespace tapir {

// One attempt. Returns how many bytes went; -1 with errno, which is EAGAIN where none go at the moment.
ssize_t write_at_once(int fd, std::string_view data);

// Called when `fd` cannot take more at once; waits until it can. False: give up.
using WaitWritable = std::function<bool(int fd)>;

enum class WriteResult : uint8_t { Ok, Failed, GaveUp };

// Writes all of `data`. `written` counts the bytes that arrived, also on failure; then errno has the reason.
WriteResult write_patiently(int fd, std::string_view data, const WaitWritable &wait, size_t &written);

}  // namespace tapir
