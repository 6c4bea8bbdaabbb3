// SPDX-License-Identifier: GPL-2.0-or-later
// A module file in memory, as far as staprun must understand it before the kernel sees it. Every offset in it is
// untrusted.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "common/outcome.h"

namespace tapir {

class ModuleFile {
  public:
    // NotAModule unless `image` is a Tapir module of this ABI for this machine.
    Outcome<void> parse(std::string image);

    const std::string &image() const { return image_; }
    const std::string &name() const { return name_; }          // as /proc/modules will show it
    const std::string &vermagic() const { return vermagic_; }  // may be empty: the kernel decides
    std::string release() const;                               // first word of vermagic
    // `uname -v` of the kernel it was built for; "" if its headers did not have it.
    const std::string &kernel_build() const { return kernel_build_; }
    // True if it refers to that symbol of the kernel.
    bool imports(std::string_view symbol) const { return imports_.count(symbol) != 0; }
    // True if it probes functions of the kernel that the script does not name, by kprobes that use the function tracer.
    bool probes_functions() const { return probes_functions_; }
    // True if its script has samples of stacks (@sample).
    bool has_samples() const { return has_samples_; }
    bool is_signed() const { return signed_; }
    bool renamed() const { return renamed_; }

    // Gives the module another name, in memory. False: too long, or the file is signed (a change would break the
    // signature).
    bool rename(const std::string &name);

  private:
    std::string image_;
    std::string name_;
    std::string vermagic_;
    std::string kernel_build_;
    std::set<std::string, std::less<>> imports_;
    size_t name_offset_ = 0;
    bool probes_functions_ = false;
    bool has_samples_ = false;
    bool signed_ = false;
    bool renamed_ = false;
};

// "base_<number>", with base cut so that the whole fits into a module name.
std::string unique_module_name(const std::string &base, uint64_t number);

// Where `word` from the command line is: itself when it has a '/' or ends in ".ko", else NAME.ko under
// /lib/modules/<release>/tapir or .../systemtap; the first of the candidates if none exists.
std::string find_module_path(const std::string &word, const std::string &release);

}  // namespace tapir
