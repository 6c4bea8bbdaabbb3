// SPDX-License-Identifier: GPL-2.0-or-later
#include "driver/doctor.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "arch/arch.h"
#include "build/compiler.h"
#include "build/native.h"
#include "build/tools.h"
#include "common/files.h"
#include "common/find_program.h"
#include "core/kdump_reader.h"
#include "driver/find_builds.h"
#include "target/cache_dir.h"
#include "target/distribution.h"
#include "vm/accel.h"

namespace tapir::driver {
namespace {

using machine::Finding;
using machine::State;

Finding compiler_finding(const build::Compiler &compiler) {
    if (compiler.program.empty())
        return {State::Missing, "compiler",
                "the kernel was built with " + compiler.wanted +
                    ", and neither that nor another C compiler is installed: " + build::compiler_advice(compiler),
                true};
    if (compiler.substitute)
        return {State::Note, "compiler",
                compiler.program + "; the kernel was built with " + compiler.wanted +
                    ", whose options it may not know: " + build::compiler_advice(compiler)};
    return {State::Ok, "compiler", compiler.program + ", as the kernel was built with"};
}

Finding cache_finding() {
    const std::string cache = target::cache_dir();
    const Outcome<std::string> made = make_directory(cache, ".doctor-");
    if (!made)
        return {State::Note, "cache",
                "it cannot be written (" + made.fault().message() +
                    "), so that each script is built from the beginning, in seconds: name another directory with "
                    "TAPIR_CACHE_DIR"};
    rmdir(made->c_str());
    return {State::Ok, "cache", cache};
}

}  // namespace

machine::Group examine_building(const target::Kernel &kernel, const std::string &problem, const MakeShared &prepare) {
    machine::Group group{"Building scripts for " + kernel.release, {}};
    const auto add = [&group](Finding finding) { group.findings.push_back(std::move(finding)); };
    if (!problem.empty()) {
        add({State::Missing, "headers", problem, true});
        add(cache_finding());
        return group;
    }
    add({State::Ok, "headers", kernel.build_dir, true});
    const build::Compiler compiler = build::choose_compiler(kernel, target::cache_dir());
    add(compiler_finding(compiler));
    const auto problems = build::check_tools(kernel, compiler);
    for (const build::ToolProblem &tool : problems)
        add({State::Missing, tool.tool, tool.text, true});
    if (problems.empty()) add({State::Ok, "tools", "make, linker and the tools of the headers run"});
    add(cache_finding());
    if (!problems.empty() || compiler.program.empty()) return group;
    std::string text;
    const bool prepared = prepare(text);
    add({prepared ? State::Ok : State::Missing, "runtime", text, true});
    return group;
}

machine::Group examine_describing(const target::Kernel &kernel, const target::DebugInfo &debug,
                                  const std::string &symbols_from) {
    machine::Group group{"Knowing the kernel", {}};
    const auto add = [&group](Finding finding) { group.findings.push_back(std::move(finding)); };
    const bool has_btf = debug.btf() != nullptr;
    if (debug.described_kernel())
        add({State::Ok, "debug information", debug.opened().empty() ? "DWARF" : debug.opened().front()});
    else
        add({has_btf ? State::Note : State::Missing, "debug information",
             std::string("none: ") + target::install_debug_information(kernel.root, kernel.release) +
                 ", or let 'stap-prep --kernel-debug" + (kernel.is_running ? "" : " " + kernel.release) + "' get it" +
                 (has_btf
                      ? "; without it there are no local variables, source lines and inlined functions, and BTF tells "
                        "parameters, results and types"
                      : "; without it and without BTF there are no $variables, @cast and tracepoints' arguments")});
    if (has_btf)
        add({State::Ok, "BTF", "types, parameters of functions and arguments of tracepoints"});
    else
        add({State::Note, "BTF", "none (CONFIG_DEBUG_INFO_BTF, or neither the kernel runs nor its image is here)"});
    if (symbols_from.empty())
        add({State::Missing, "symbols",
             "neither the kernel's image nor System.map nor addresses in /proc/kallsyms: wildcards over functions do "
             "not "
             "work, and names are not checked; run as root, or install the kernel's image"});
    else
        add({State::Ok, "symbols", symbols_from});
    const debuginfod::DebugServers servers = debuginfod::servers_of_environment();
    add({servers.urls.empty() ? State::Note : State::Ok, "debuginfod", about_servers(servers)});
    return group;
}

StillFacts read_still_facts() {
    StillFacts facts;
    facts.compiler = build::found_compiler();
    std::error_code error;
    const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
    facts.library = build::find_still_library(self.parent_path().string());
    facts.no_kdump = core::KdumpReader::missing();
    std::ifstream("/proc/sys/kernel/yama/ptrace_scope") >> facts.scope;
    facts.is_root = geteuid() == 0;
    return facts;
}

machine::Group examine_still(const StillFacts &facts) {
    machine::Group group{"Looking at core files and snapshots (--core, --snapshot)", {}};
    if (facts.compiler.empty())
        group.findings.push_back({State::Missing, "C compiler", "none: " + target::install_program("/", "gcc")});
    else
        group.findings.push_back({State::Ok, "C compiler", facts.compiler});
    if (facts.library.empty())
        group.findings.push_back({State::Missing, "library",
                                  "libtapir-still.so is not where stap is installed: install stap again, with all its "
                                  "parts"});
    else
        group.findings.push_back({State::Ok, "library", facts.library});
    if (facts.no_kdump.empty())
        group.findings.push_back({State::Ok, "kdump", "libkdumpfile reads compressed dumps of kernels"});
    else
        group.findings.push_back({State::Note, "kdump", facts.no_kdump});
    if (facts.scope == 0)
        group.findings.push_back({State::Ok, "tracing", "a user may look at the user's own processes"});
    else if (facts.scope > 2)
        group.findings.push_back({State::Off, "tracing",
                                  "kernel.yama.ptrace_scope is 3: no user may look at processes (--snapshot) until the "
                                  "machine boots again"});
    else if (facts.is_root)
        group.findings.push_back({State::Ok, "tracing", "root may look at processes"});
    else
        group.findings.push_back({State::Note, "tracing",
                                  "kernel.yama.ptrace_scope is " + std::to_string(facts.scope) +
                                      ": only root may look at processes that run already (--snapshot)" +
                                      (facts.scope == 1 ? "; 'sysctl kernel.yama.ptrace_scope=0' lets users look at "
                                                          "their own"
                                                        : "")});
    return group;
}

machine::Group examine_guests() {
    machine::Group group{"Trying scripts in a guest (--vm)", {}};
    const Outcome<std::string> qemu = find_program(std::string(arch::host().guest.program));
    if (!qemu) {
        group.findings.push_back(
            {State::Missing, "QEMU",
             "not installed: " + target::install_program("/", std::string(arch::host().guest.debian_package)), false});
        return group;
    }
    group.findings.push_back({State::Ok, "QEMU", *qemu});
    const std::string verdict = read_file(target::cache_dir() + "/kvm-verdict").value_or("");
    const bool device = access("/dev/kvm", R_OK | W_OK) == 0;
    if (device && verdict == vm::kvm_circumstances() + " works\n")
        group.findings.push_back({State::Ok, "KVM", "a guest has booted with it"});
    else if (device && verdict != vm::kvm_circumstances() + " fails\n")
        group.findings.push_back({State::Note, "KVM", "/dev/kvm is there; the first guest tries whether it works"});
    else
        group.findings.push_back({State::Note, "KVM",
                                  std::string(device ? "/dev/kvm is there and does not work"
                                                     : "/dev/kvm is not there, or this user may not use it") +
                                      ": guests are emulated, which is about ten times slower"});
    return group;
}

}  // namespace tapir::driver
