// SPDX-License-Identifier: GPL-2.0-or-later
// Pass 4 where a script looks at what stands still: C text to a program of this machine.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/diagnostics.h"
#include "build/cache.h"
#include "build/template.h"
#include "common/files.h"

namespace tapir::build {

struct NativeOptions {
    std::string headers;     // the directory of <tapir/...>
    std::string library;     // the directory of libtapir-still.so
    std::string cache_root;  // target::cache_dir()
    CacheMode cache = CacheMode::Use;
    std::string work;  // -k: an existing directory that gets the intermediate files; "" = a private one
    std::string version;
    Note note;
};

struct NativeProgram {
    std::string path;
    bool cached = false;  // found, not built
};

class NativeBuilder {
  public:
    NativeBuilder(NativeOptions options, Diagnostics &diagnostics);

    // The program of a script; `output` is where it goes, which makes it stand alone: it needs no
    // library. "" is for the cache. Where the cache is disabled or cannot be
    // written, it lies in the options' work directory, or in one that is gone with this object. Nothing after a report.
    std::optional<NativeProgram> build(std::string_view c_text, const std::string &output = {});

    // Returns a key of all inputs of programs besides the script, for a cache in front of all passes.
    std::string base_key() const;
    // The cache in front of all passes: key -> program, and a text beside it, as in Builder.
    std::optional<NativeProgram> find_result(const std::string &key);
    void store_result(const std::string &key, const NativeProgram &program);
    std::string find_note(const std::string &key);
    void store_note(const std::string &key, const std::string &text);

  private:
    std::string work_directory();
    std::optional<std::string> compile(std::string_view c_text, const std::string &work, bool alone);
    std::optional<NativeProgram> place(const std::string &path, const std::string &bytes);

    NativeOptions options_;
    Diagnostics &diagnostics_;
    std::string compiler_;  // its path; "" without one
    Cache programs_, results_;
    std::unique_ptr<TemporaryDirectory> own_work_;
};

// Returns the C compiler for programs, or "".
std::string found_compiler();

// Where libtapir-still.so is for a program in a directory: beside it as in a build tree, or as installed. "": nowhere.
std::string find_still_library(const std::string &program_directory);

}  // namespace tapir::build
