// SPDX-License-Identifier: GPL-2.0-or-later
// The part of a module that depends on the kernel but not on the script: runtime and kmod compiled once per kernel.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "build/compiler.h"
#include "build/plan.h"
#include "common/files.h"
#include "target/kernel.h"

namespace tapir::build {

// For -v: notes with the verbosity from which they are shown.
using Note = std::function<void(int level, const std::string &text)>;

struct TemplateOptions {
    std::string source_root;             // holds runtime/ and kmod/
    std::string cache;                   // templates are kept in its templates/
    std::vector<std::string> make_args;  // -B
    std::string sources;                 // sources_digest(source_root)
    Note note;
};

// A template that is ready for use. Its directory stays as it is for as long as the object lives only if nothing cleans
// the cache meanwhile; a build that finds files missing reports it.
class Template {
  public:
    // Finds it in the cache or builds it; `built` says which. Safe to call in many processes at once: one builds, the
    // others wait for it. When the cache cannot be written the template is built in a temporary directory and lives as
    // long as this object.
    static std::unique_ptr<Template> open(const target::Kernel &kernel, const TemplateOptions &options,
                                          Diagnostics &diagnostics, bool *built = nullptr);

    const std::string &directory() const { return directory_; }
    // The key of all its inputs.
    const std::string &key() const { return key_; }
    const Plan &plan() const { return plan_; }
    // The system of the compiler: it contains the plan's programs.
    const std::string &system() const { return system_; }

  private:
    Template() = default;
    std::string directory_, key_, system_;
    Plan plan_;
    std::unique_ptr<TemporaryDirectory> temporary_;
};

// Key of the template for a kernel: changes with the kernel, its configuration, the compiler, runtime and kmod sources,
// and the options.
std::string template_key(const target::Kernel &kernel, const Compiler &compiler, const TemplateOptions &options);

// The files of arch/c/, kmod/ and runtime/ a module is made from, relative to their root, sorted.
std::vector<std::string> source_files(const std::string &source_root);

// Digests their names and contents. Costs reading them (under 1 MB).
std::string sources_digest(const std::string &source_root);

// Digests their names, sizes and times: while it stays the same, so does the digest. "" if that is uncertain: a file
// changed in the last seconds may change again within the resolution of its times.
std::string sources_stamp(const std::string &source_root);

// One whole kbuild run over runtime, kmod and `script` in the empty directory `work`; leaves everything there. Returns
// false after reporting, with the compiler's messages.
bool run_kbuild(const target::Kernel &kernel, const Compiler &compiler, const TemplateOptions &options,
                const std::string &work, std::string_view script, Tag failure, Diagnostics &diagnostics);

}  // namespace tapir::build
