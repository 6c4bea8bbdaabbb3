// SPDX-License-Identifier: GPL-2.0-or-later
// Pass 4 for the kernel: C text to a module.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "build/product.h"
#include "target/kernel.h"
#include "trust/kernel_signer.h"

namespace tapir::build {

struct ModuleOptions : BuilderOptions {
    std::string source_root;                      // the directory that holds runtime/ and kmod/
    std::vector<std::string> make_args;           // -B NAME=VALUE, for kbuild
    std::shared_ptr<trust::KernelSigner> signer;  // --sign-key: signs each module for the kernel; null: none does
};

// The kernel's template is kept in any case, and modules as the options say. A script's name is its module's; "" is
// stap_<hash>.
class ModuleBuilder : public Builder {
  public:
    ModuleBuilder(const target::Kernel &kernel, ModuleOptions options, Diagnostics &diagnostics);
    ~ModuleBuilder() override;

    // Makes the template of this kernel.
    bool prepare(bool *built = nullptr) override;
    std::string shown(const Product &product) const override { return product.name() + ".ko"; }

    std::optional<Product> build(const Script &script) override;
    std::string base_key() override;

    // The module, or a copy of it under another name that is signed again: a signed module keeps its name when it is
    // loaded, and one of that name is loaded already. The copy lies in the options' work directory. Returns nothing
    // after reporting.
    std::optional<Product> with_free_name(const Product &module);

  private:
    static std::string with_modinfo(const Script &script);
    std::optional<std::string> link(const Script &script);
    bool sign(std::string &bytes);
    std::optional<Product> publish(const Script &script, const std::string &key, std::string bytes);
    void note(int level, const std::string &text) const;
    TemplateOptions template_options();

    const target::Kernel &kernel_;
    ModuleOptions options_;
    std::unique_ptr<Template> template_;
    bool prepare_failed_ = false;     // and reported
    std::string base_key_, sources_;  // once they are known
};

}  // namespace tapir::build
