// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/standard_output.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

namespace tapir {

namespace {

// Why the first write failed; stdout itself remembers only that one did.
int first_error = 0;

void note(bool written) {
    if (!written && !first_error) first_error = errno ? errno : EIO;
}

}  // namespace

void print_output(std::string_view text) {
    errno = 0;
    note(std::fwrite(text.data(), 1, text.size(), stdout) == text.size());
}

void flush_output() {
    errno = 0;
    note(std::fflush(stdout) == 0);
}

Outcome<void> finish_output() {
    flush_output();
    return output_outcome(first_error);
}

Outcome<void> output_outcome(int error) {
    if (!error || error == EPIPE) return {};
    return Fault{FaultTag::FileUnwritable, std::string("standard output cannot be written: ") + std::strerror(error)};
}

}  // namespace tapir
