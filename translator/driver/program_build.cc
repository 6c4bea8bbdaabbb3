// SPDX-License-Identifier: GPL-2.0-or-later
#include "driver/program_run.h"

#include <algorithm>
#include <cstdio>

#include "common/build_id.h"
#include "common/files.h"
#include "common/standard_output.h"
#include "driver/clock.h"
#include "driver/result_key.h"
#include "driver/tapset_path.h"
#include "options/tell.h"
#include "target/cache_dir.h"
#include "target/symbol_readers.h"

namespace tapir::driver {

namespace {

// Functions of the kernel are probed that the script does not name: while the function tracer or kprobes are switched
// off nothing is seen, which staprun says.
bool needs_tracer(const ir::Module &module) {
    for (const ir::Handler &handler : module.handlers)
        for (const probes::Attach &attach : handler.attaches)
            if (attach.facts().needs_tracer) return true;
    return false;
}

// Whether the script has samples (tapsets/flame.stpm).
bool has_samples(const ir::Module &module) {
    return std::any_of(module.globals.begin(), module.globals.end(), [](const ir::Global &global) {
        return global.name == "__samples" || global.name == "__samples_of" || global.name == "__samples_in";
    });
}

// Returns the build ID of the kernel's image, or of vmlinux in its build tree; "" without both.
std::string build_id_of(const target::Kernel &kernel) {
    for (const std::string &file : {kernel.image, kernel.build_dir + "/vmlinux"})
        for (const char *section : {".notes", ".note.gnu.build-id"}) {
            bool unpacked = false;
            const std::string notes = file.empty() ? "" : target::read_section(file, section, unpacked);
            if (std::string id = build_id_of_notes(notes); !id.empty()) return id;
        }
    return {};
}

}  // namespace

// Makes the directory of -k; returns "" without -k, or if it cannot be made.
std::string ProgramRun::kept_directory() const {
    if (!options().keep_temporary) return {};
    const Outcome<std::string> made = make_directory(temporary_root(), "stap");
    if (made)
        std::fprintf(stderr, "Keeping temporary directory \"%s\"\n", made->c_str());
    else
        tell(options(), Voice::Notice, "Cannot keep a temporary directory: " + made.fault().message());
    return made ? *made : "";
}

bool ProgramRun::make_builder() {
    return backend_->make_builder(*state_.kernel, {data_root(), kept_directory()});
}

bool ProgramRun::use_cached_result() {
    build::Builder &builder = backend_->builder();
    bool usable = last_pass_ >= 4 && options().cache == CacheMode::Use && options().module_name.empty() &&
                  !options().keep_temporary && options().dump_after.empty();
    result_key_ = last_pass_ >= 4 ? result_key(state_, builder.base_key()) : "";
    if (!usable) return false;
    // The files of the script's programs are looked up again.
    std::optional<build::Product> found =
        builder.find_result(result_key_with(state_, result_key_, builder.find_note(result_key_)));
    if (!found) return false;
    state_.module_path = found->path;
    for (int pass : {3, 4})
        if (options().verbosity[pass] > 0)
            std::fprintf(stderr, "Pass %d: using cached %s\n", pass, found->path.c_str());
    return true;
}

bool ProgramRun::build() {
    PassClock clock;
    build::Script script;
    script.c_text = state_.c_text;
    script.kernel_headers = state_.module.user_c;
    script.name = options().module_name;
    for (const NameValue &entry : options().modinfo)
        script.modinfo.emplace_back(entry.name, entry.value);
    if (needs_tracer(state_.module)) script.modinfo.emplace_back("tapir_needs", "ftrace");
    if (has_samples(state_.module)) script.modinfo.emplace_back("tapir_samples", "1");
    build::Builder &builder = backend_->builder();
    const std::optional<build::Product> product = builder.build(script);
    if (!product) return false;
    state_.module_path = product->path;
    // A run that warned is not remembered: the next one would be silent.
    if (diagnostics().all().empty() && options().module_name.empty()) {
        const std::string lookups = state_.debug ? state_.debug->lookups() : "";
        if (!lookups.empty()) builder.store_note(result_key_, lookups);
        builder.store_result(result_key_with(state_, result_key_, lookups), *product);
    }
    if (options().verbosity[4] > 0)
        std::fprintf(stderr, product->cached ? "Pass 4: using cached %s\n" : "Pass 4: compiled C into \"%s\" in %s.\n",
                     product->cached ? product->path.c_str() : builder.shown(*product).c_str(), clock.times().c_str());
    return true;
}

int ProgramRun::prepare() {
    if (!make_builder()) return failed(4);
    PassClock clock;
    bool built = false;
    if (!backend_->builder().prepare(&built)) return failed(4);
    flush_messages();
    print_output(std::string(built ? "Prepared " : "Already prepared for ") + state_.kernel->release + " in " +
                 clock.times() + ".\n");
    if (options().verbosity[0] > 0)
        if (const std::string id = build_id_of(*state_.kernel); !id.empty()) print_output("build-id " + id + "\n");
    return 0;
}

}  // namespace tapir::driver
