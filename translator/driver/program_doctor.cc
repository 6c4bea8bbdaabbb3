// SPDX-License-Identifier: GPL-2.0-or-later
#include "driver/program_run.h"

#include <chrono>
#include <cstdio>

#include "driver/doctor.h"
#include "driver/launch.h"
#include "driver/remote.h"
#include "machine/examine.h"
#include "trust/kernel_signer.h"

namespace tapir::driver {

namespace {

machine::SigningKey described(const trust::KernelSignerFiles &files) {
    machine::SigningKey out;
    out.path = files.key;
    if (const Outcome<std::shared_ptr<trust::KernelSigner>> signer = trust::KernelSigner::load(files)) {
        out.subject = (*signer)->subject();
        out.id = (*signer)->kernel_id();
        out.certificate = (*signer)->files().certificate;
    } else {
        out.problem = signer.fault().message();
    }
    return out;
}

}  // namespace

bool ProgramRun::prepare_for_doctor(std::string &text) {
    const auto start = std::chrono::steady_clock::now();
    bool built = false;
    const bool good = make_builder() && builder_->prepare(&built);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    char seconds[32];
    std::snprintf(seconds, sizeof seconds, "built in %.1f s", taken.count());
    text = built ? seconds : "built before";
    if (good) return true;
    text.clear();
    for (const auto &diagnostic : diagnostics().all())
        if (diagnostic->severity == Severity::Error) text += (text.empty() ? "" : "\n") + diagnostic->message;
    return false;
}

// What is well and what is not, with the verdict. `problem`: why the kernel's headers were not found.
std::vector<machine::Group> ProgramRun::findings(const std::string &problem, std::string &verdict) {
    const target::Kernel &kernel = *state_.kernel;
    std::vector<machine::Group> groups;
    groups.push_back(examine_building(kernel, problem, [this](std::string &text) { return prepare_for_doctor(text); }));
    groups.push_back(examine_describing(kernel, *state_.debug, state_.symbols.source()));
    if (options().vm) {
        verdict = "In the guest:";
    } else if (kernel.is_running && !options().remote_build) {
        const machine::Facts facts = machine::read_facts();
        machine::Details details = machine::read_details(facts);
        if (!options().sign.key.empty()) details.signing_key = described(options().sign);
        for (const trust::KernelSignerFiles &files : trust::usual_kernel_keys())
            details.other_keys.push_back(described(files));
        for (machine::Group &group : machine::examine_target(facts, details))
            groups.push_back(std::move(group));
        groups.push_back(examine_still(read_still_facts()));
        groups.push_back(examine_guests());
        verdict = machine::conclusion(groups);
    } else {
        groups.push_back(machine::examine_kinds(kernel.config_text(), nullptr));
        if (!options().remote_build) groups.push_back(examine_guests());
        const std::string names = machine::failures(groups);
        verdict = names.empty() ? "Scripts can be built for " + kernel.release +
                                      "; 'staprun --doctor' says on its machine whether they can be run."
                                : "Scripts cannot be built for " + kernel.release + "; in the way: " + names + ".";
    }
    return groups;
}

int ProgramRun::examine() {
    // Without headers there is still something to say.
    Diagnostics problems;
    target::FindOptions find;
    if (options().vm) {
        if (!fetch_guest_kernel()) return failed(4);
    } else {
        state_.kernel = target::find_kernel(options().release, find, problems);
    }
    find.require_build_tree = false;
    if (!state_.kernel) state_.kernel = target::find_kernel(options().release, find, diagnostics());
    if (!state_.kernel) return failed(4);
    std::string problem = problems.has_errors() ? problems.all().front()->message : "";
    state_.debug = std::make_unique<target::DebugInfo>(debug_sources(state_));
    state_.symbols = kernel_symbols(state_);

    std::string verdict;
    const std::vector<machine::Group> groups = findings(problem, verdict);
    std::fputs((options().json ? machine::render_json : machine::render)(groups, verdict).c_str(), stdout);
    std::fflush(stdout);
    const bool usable = machine::failures(groups).empty();
    if (!options().vm || !usable) return usable ? 0 : 1;
    interruption_.reset();
    const int status = vm::run(guest_settings(state_.kernel->release), {staprun_path(), "--doctor"}, diagnostics());
    flush_messages();
    return status;
}

}  // namespace tapir::driver
