// SPDX-License-Identifier: GPL-2.0-or-later
// Pass 4: C text to a kernel module.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "build/cache.h"
#include "build/template.h"
#include "target/kernel.h"
#include "trust/kernel_signer.h"

namespace tapir::build {

struct BuildOptions {
    std::string source_root;             // the directory that holds runtime/ and kmod/
    std::string cache_root;              // target::cache_dir()
    CacheMode cache = CacheMode::Use;    // for modules; the kernel's template is kept in any case
    std::vector<std::string> make_args;  // -B NAME=VALUE, for kbuild
    std::string work;     // -k: an existing directory that gets the intermediate files; "" = a private one
    std::string version;  // Tapir's
    Note note;            // for -v
    std::shared_ptr<trust::KernelSigner> signer;  // --sign-key: signs each module for the kernel; null: none does
};

struct Script {
    std::string_view c_text;
    bool kernel_headers = false;  // the text includes <linux/...>: the user embedded C
    std::string name;             // -m: is_module_name(); "" = stap_<hash>
    std::string output;           // with a name: where the module goes; "" = NAME.ko in the working directory
    std::vector<std::pair<std::string, std::string>> modinfo;  // --modinfo NAME=VALUE
};

struct Module {
    std::string path;
    std::string name;
    bool cached = false;  // found, not built
};

class Builder {
  public:
    Builder(const target::Kernel &kernel, BuildOptions options, Diagnostics &diagnostics);
    ~Builder();

    // --prepare: makes the template of this kernel, if it is not there. Returns false after reporting. `built` says
    // whether there was something to do.
    bool prepare(bool *built = nullptr);

    // The module for a script. Without a name it lies in the cache, or, when the cache is disabled or cannot be
    // written, in the options' work directory (this object's own one, gone with it, if that is ""). Returns nothing
    // after reporting.
    std::optional<Module> build(const Script &script);

    // The module, or a copy of it under another name that is signed again: a signed module keeps its name when it is
    // loaded, and one of that name is loaded already. The copy lies in the options' work directory. Returns nothing
    // after reporting.
    std::optional<Module> with_free_name(const Module &module);

    // Returns a key of all inputs of this kernel's modules besides the script, for a cache in front of all passes.
    // Builds nothing.
    std::string base_key();

    // The cache in front of passes 2 to 4: key -> path of a module. The key must cover script texts, options, tapset
    // index state and base_key().
    std::optional<Module> find_result(const std::string &key);
    void store_result(const std::string &key, const Module &module);
    // Finds a text beside a result, under the same key; "" without one.
    std::string find_note(const std::string &key);
    void store_note(const std::string &key, const std::string &text);

  private:
    static std::string with_modinfo(const Script &script);
    std::optional<std::string> link(const Script &script);
    std::string work_directory();
    bool sign(std::string &bytes);
    std::optional<Module> publish(const Script &script, const std::string &key, std::string bytes);
    void note(int level, const std::string &text) const;
    TemplateOptions template_options();

    const target::Kernel &kernel_;
    BuildOptions options_;
    Diagnostics &diagnostics_;
    Cache modules_, results_;
    std::unique_ptr<Template> template_;
    std::unique_ptr<TemporaryDirectory> own_work_;
    bool prepare_failed_ = false;     // and reported
    std::string base_key_, sources_;  // once they are known
};

}  // namespace tapir::build
