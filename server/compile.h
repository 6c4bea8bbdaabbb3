// SPDX-License-Identifier: GPL-2.0-or-later
// From a request to a module.
#pragma once

#include <memory>
#include <string>

#include "server/jobs.h"
#include "server/kernel_list.h"
#include "trust/sign.h"

namespace tapir::server {

struct CompileSettings {
    Limits limits;
    std::map<std::string, std::string> tapset_sets;  // name -> directory
    std::string locks;                               // directory
    // Kernel module signature, appended to every module; no key: none.
    std::shared_ptr<const trust::Signer> kernel_signer;
    std::string kernel_digest = "sha256";
};

// ModuleUnusable if it is not the requested one.
Outcome<void> check_module(const std::string &module, const std::string &name, const KernelEntry &kernel);
// Returns the first line of a request's own C that may change its module's description of itself: ", as NAME:LINE may";
// else "".
std::string suspect(const BuildRequest &request);
// Checks it, and has it signed for the kernel if that is wanted. Else ModuleUnusable.
Outcome<std::string> finish_module(std::string module, const std::string &name, const KernelEntry &kernel,
                                   const CompileSettings &settings);

class Compiler {
  public:
    Compiler(CompileSettings settings, const Kernels &kernels, Results &results);

    // Checks that the request is possible: the kernel is known and is the right build, the sets of tapsets exist.
    Outcome<KernelEntry> check(const BuildRequest &request) const;
    // Returns the digest of the request and of all that the module depends on.
    std::string key_of(const BuildRequest &request, const KernelEntry &kernel) const;
    // Blocks. When several servers share the directories, one compiles and the others wait for it. `cancelled` ends it.
    Ending compile(const BuildRequest &request, const KernelEntry &kernel, const std::string &key, Job &job,
                   const std::function<bool()> &cancelled) const;

  private:
    SandboxJob job_for(const BuildRequest &request, const KernelEntry &kernel, const std::string &name) const;

    CompileSettings settings_;
    const Kernels &kernels_;
    Results &results_;
    std::string translator_;  // identity
};

}  // namespace tapir::server
