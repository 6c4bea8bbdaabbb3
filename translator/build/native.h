// SPDX-License-Identifier: GPL-2.0-or-later
// Pass 4 where a script looks at what stands still: C text to a program of this machine.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "build/product.h"

namespace tapir::build {

struct NativeOptions : BuilderOptions {
    std::string headers;  // the directory of <tapir/...>
    std::string library;  // the directory of libtapir-still.so
};

// A script with a name becomes a program that stands alone: it needs no library.
class NativeBuilder : public Builder {
  public:
    NativeBuilder(NativeOptions options, Diagnostics &diagnostics);

    std::optional<Product> build(const Script &script) override;
    std::string base_key() override;
    // Programs share what is installed.
    bool prepare(bool *built) override {
        *built = false;
        return true;
    }

  private:
    std::optional<std::string> compile(std::string_view c_text, const std::string &work, bool alone);
    std::optional<Product> place(const std::string &path, const std::string &bytes);

    NativeOptions options_;
    std::string compiler_;  // its path; "" without one
};

// Returns the C compiler for programs, or "".
std::string found_compiler();

// Where libtapir-still.so is for a program in a directory: beside it as in a build tree, or as installed. "": nowhere.
std::string find_still_library(const std::string &program_directory);

}  // namespace tapir::build
