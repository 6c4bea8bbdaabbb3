// SPDX-License-Identifier: GPL-2.0-or-later
#include <wordexp.h>

#include <csignal>
#include <cstdlib>

#include "backend/backend.h"
#include "backend/launch.h"
#include "backend/rights.h"
#include "build/module_builder.h"
#include "capture/picture_files.h"
#include "options/picture_options.h"
#include "options/tell.h"
#include "target/process_root.h"
#include "target/program_files.h"
#include "target/running_files.h"
#include "target/running_machine.h"

namespace tapir::driver {

namespace {

// Finds the program that `process` alone means: that of -x, or of the first word of -c.
target::ProgramTarget run_target(const Options &options) {
    target::ProgramTarget target;
    if (options.target_pid > 0) {
        target.pid = options.target_pid;
        target.program = target::program_of_process(options.target_pid);
        if (target.program.empty())
            target.missing =
                "there is no process " + std::to_string(options.target_pid) + " (-x), or its program is not known";
    } else if (!options.command.empty()) {
        wordexp_t words = {};
        const bool split = wordexp(options.command.c_str(), &words, WRDE_NOCMD | WRDE_UNDEF) == 0;
        if (split && words.we_wordc > 0) {
            const auto found = target::find_programs(words.we_wordv[0]);
            if (!found.empty()) target.program = found.front();
        }
        if (split) wordfree(&words);
        if (target.program.empty())
            target.missing = "the program of the command (-c) is not known; name it: process(\"PATH\")";
    }
    return target;
}

int run_staprun(const Options &options, const std::string &module) {
    Program program{staprun_command(options, module)};
    const int status = run_to_end(options, program);
    if (!keeps_samples(options) || status != 128 + SIGKILL) return status;
    // A killed loader leaves what was written until then, and nothing seals it.
    if (!options.record.empty())
        tell(options, Voice::Error,
             "the loader was killed: the capture '" + options.record + "' is not sealed, its samples are lost");
    if (capture::names_picture(options.output))
        tell(options, Voice::Error,
             "the loader was killed: there is no picture '" + options.output + "', its samples are lost");
    return capture::kPoorPicture;
}

class ModuleBackend : public Backend {
  public:
    ModuleBackend(const Options &options, Diagnostics &diagnostics)
        : Backend(options, diagnostics),
          machine_([&options] { return run_target(options); },
                   options.target_pid > 0 ? target::root_of_process(options.target_pid) : "") {}

    bool is_for_kernel() const override { return true; }
    resolve::Reach reach() const override { return {}; }
    const target::Subject &subject() const override { return machine_; }
    bool may_run() override;
    bool make_builder(const target::Kernel &kernel, const BuildPlaces &places) override;
    build::Builder &builder() override { return *builder_; }
    int run(const std::string &product) override;

  private:
    target::RunningMachine machine_;
    std::shared_ptr<trust::KernelSigner> signer_;  // of --sign-key
    std::unique_ptr<build::ModuleBuilder> builder_;
};

bool ModuleBackend::may_run() {
    // A loader that the user names may have rights of its own.
    if (options_.vm || std::getenv("SYSTEMTAP_STAPRUN")) return true;
    const machine::Facts facts = machine::read_facts();
    // Groups are looked up only for those whom they matter to.
    const LoaderRights loader =
        facts.may_load == machine::Answer::No ? read_loader_rights(staprun_path()) : LoaderRights();
    return driver::may_run(facts, loader, options_.use_server, diagnostics_);
}

bool ModuleBackend::make_builder(const target::Kernel &kernel, const BuildPlaces &places) {
    if (!options_.sign.key.empty() && !signer_) {
        Outcome<std::shared_ptr<trust::KernelSigner>> signer = trust::KernelSigner::load(options_.sign);
        if (!signer) {
            diagnostics_.report(Tag::ModuleUnsigned,
                                "modules cannot be signed (--sign-key): " + signer.fault().message());
            return false;
        }
        signer_ = std::move(*signer);
    }
    build::ModuleOptions settings{builder_options(places), places.data, options_.kbuild, signer_};
    builder_ = std::make_unique<build::ModuleBuilder>(kernel, std::move(settings), diagnostics_);
    return true;
}

int ModuleBackend::run(const std::string &product) {
    // A module that is signed for the kernel keeps its name, which another run of the same script may have.
    if (!signer_ || !builder_ || !options_.module_name.empty()) return run_staprun(options_, product);
    const std::optional<build::Product> module = builder_->with_free_name({product, true});
    return module ? run_staprun(options_, module->path) : 1;
}

}  // namespace

std::unique_ptr<Backend> make_module_backend(const Options &options, Diagnostics &diagnostics) {
    return std::make_unique<ModuleBackend>(options, diagnostics);
}

}  // namespace tapir::driver
