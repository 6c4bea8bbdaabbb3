// SPDX-License-Identifier: GPL-2.0-or-later
#include "driver/program_run.h"

#include <unistd.h>
#include <chrono>
#include <cstdio>

#include "backend/launch.h"
#include "common/standard_output.h"
#include "driver/check_tools.h"
#include "driver/doctor.h"
#include "driver/remote.h"
#include "driver/tapset_path.h"
#include "machine/examine.h"
#include "options/tell.h"
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

// Other ways to run scripts, for a machine that cannot.
std::vector<std::pair<std::string, std::string>> other_ways(const std::vector<machine::Group> &groups) {
    bool has_qemu = false, has_kvm = false;
    for (const machine::Group &group : groups)
        for (const machine::Finding &finding : group.findings) {
            has_qemu |= finding.subject == "QEMU" && finding.state == machine::State::Ok;
            has_kvm |= finding.subject == "KVM" && finding.state == machine::State::Ok;
        }
    std::vector<std::pair<std::string, std::string>> ways;
    if (has_qemu)
        ways.emplace_back("stap --vm SCRIPT",
                          std::string("runs them in a guest here; QEMU is ready") + (has_kvm ? "" : ", without KVM"));
    ways.emplace_back("stap -r RELEASE", "builds them for another machine");
    return ways;
}

}  // namespace

bool ProgramRun::prepare_for_doctor(std::string &text) {
    const auto start = std::chrono::steady_clock::now();
    bool built = false;
    const bool good = make_builder() && backend_->builder().prepare(&built);
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

// Whether the tools that are installed can look at this kernel.
machine::Finding ProgramRun::tools_finding() {
    size_t resolved = 0;
    std::string missing;
    for (const ToolVerdict &verdict : check_tools(options(), tool_path(data_root() + "/tools"))) {
        resolved += verdict.state == ToolVerdict::State::Resolved;
        if (verdict.state == ToolVerdict::State::Missing) missing += (missing.empty() ? "" : ", ") + verdict.name;
    }
    if (missing.empty())
        return {machine::State::Ok, "stap run",
                "all " + std::to_string(resolved) + " tools that look at kernels find their probe points"};
    return {machine::State::Note, "stap run",
            "these tools do not find their probe points: " + missing + "; 'stap run --check-all' says what each lacks"};
}

// Returns the findings, the verdict, and the conclusion for programs. `problem`: why the kernel's headers were
// not found.
std::vector<machine::Group> ProgramRun::findings(const std::string &problem, machine::Verdict &verdict,
                                                 std::string &conclusion) {
    const target::Kernel &kernel = *state_.kernel;
    std::vector<machine::Group> groups;
    groups.push_back(examine_building(kernel, problem, [this](std::string &text) { return prepare_for_doctor(text); }));
    groups.push_back(examine_describing(kernel, *state_.debug, state_.symbols.source()));
    if (problem.empty()) groups.back().findings.push_back(tools_finding());
    if (options().vm) {
        const std::string names = machine::failures(groups);
        verdict.good = names.empty();
        verdict.text = names.empty()
                           ? "Scripts can be built for " + kernel.release + ". Its guest's abilities are below."
                           : "Scripts cannot be built for " + kernel.release + "; in the way: " + names + ".";
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
        conclusion = machine::conclusion(groups);
        verdict = machine::verdict(groups, kernel.release);
        if (!verdict.good) verdict.steps = other_ways(groups);
    } else {
        groups.push_back(machine::examine_kinds(kernel.config_text(), nullptr));
        if (!options().remote_build) groups.push_back(examine_guests());
        const std::string names = machine::failures(groups);
        conclusion = names.empty() ? "Scripts can be built for " + kernel.release +
                                         "; 'staprun --doctor' says on its machine whether they can be run."
                                   : "Scripts cannot be built for " + kernel.release + "; in the way: " + names + ".";
        verdict.text = conclusion;
        verdict.good = names.empty();
    }
    verdict.all = "stap --doctor -v";
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

    machine::Verdict verdict;
    std::string conclusion;
    const std::vector<machine::Group> groups = findings(problem, verdict, conclusion);
    if (options().json) {
        print_output(machine::render_json(groups, conclusion));
    } else {
        const Screen screen = screen_of(STDOUT_FILENO, coloring(options()));
        const bool all = options().verbosity[0] > 0;
        print_output((all ? machine::render : machine::summarize)(groups, verdict, screen));
    }
    flush_output();
    const bool usable = machine::failures(groups).empty();
    if (!options().vm || !usable) return usable ? 0 : 1;
    interruption_.reset();
    print_output("\n");
    flush_output();
    vm::VmOptions guest = guest_settings(state_.kernel->release);
    guest.environment.push_back("COLUMNS=" + std::to_string(screen_width(STDOUT_FILENO)));
    std::vector<std::string> command = {staprun_path(), "--doctor"};
    if (options().verbosity[0] > 0) command.push_back("-v");
    const int status = vm::run(guest, command, diagnostics());
    flush_messages();
    return status;
}

}  // namespace tapir::driver
