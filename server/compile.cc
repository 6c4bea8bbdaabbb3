// SPDX-License-Identifier: GPL-2.0-or-later
#include "server/compile.h"

#include <sys/file.h>

#include <chrono>
#include <sstream>

#include "common/hash.h"
#include "module/module_file.h"
#include "server/lock.h"

namespace tapir::server {
namespace {

std::string module_name(const BuildRequest &request, const std::string &key) {
    return request.module_name.empty() ? "stap_" + key.substr(0, 32) : request.module_name;
}

Fault unusable(const std::string &why) {
    return {FaultTag::ModuleUnusable, "the module that was made is of no use: " + why};
}

}  // namespace

Outcome<void> check_module(const std::string &module, const std::string &name, const KernelEntry &kernel) {
    ModuleFile file;
    if (const Outcome<void> parsed = file.parse(module); !parsed) return unusable(parsed.fault().text);
    if (file.name() != name || file.vermagic() != kernel.vermagic || file.kernel_build() != kernel.build)
        return unusable("it has another name or kernel than was asked for");
    return {};
}

std::string suspect(const BuildRequest &request) {
    std::vector<TextFile> files = {{request.name, request.script}};
    files.insert(files.end(), request.tapsets.begin(), request.tapsets.end());
    for (const TextFile &file : files) {
        std::istringstream lines(file.text);
        std::string line;
        for (int number = 1; std::getline(lines, line); ++number)
            for (const char *word : {"MODULE_", "modinfo", "this_module"})
                if (line.find(word) != std::string::npos)
                    return ", as " + file.name + ":" + std::to_string(number) + " may";
    }
    return "";
}

Outcome<std::string> finish_module(std::string module, const std::string &name, const KernelEntry &kernel,
                                   const CompileSettings &settings) {
    if (const Outcome<void> good = check_module(module, name, kernel); !good) return good.fault();
    if (!settings.kernel_signer) return module;
    Outcome<std::string> made = trust::sign_for_kernel(module, *settings.kernel_signer, settings.kernel_digest);
    if (!made) return unusable(made.fault().text);
    return made;
}

Compiler::Compiler(CompileSettings settings, const Kernels &kernels, Results &results)
    : settings_(std::move(settings)),
      kernels_(kernels),
      results_(results),
      translator_(kernels.toolchain().identity()) {}

Outcome<KernelEntry> Compiler::check(const BuildRequest &request) const {
    const auto kernel = kernels_.find(request.release);
    if (!kernel)
        return Fault{FaultTag::KernelUnknown, "this server does not compile for kernel " + request.release +
                                                  "; GET /v1/kernels lists those it does, PUT /v1/kernels/" +
                                                  request.release + " adds it"};
    if (!kernels_.is_prepared(*kernel, translator_)) {
        if (const std::string why = kernels_.failure(request.release); !why.empty())
            return Fault{FaultTag::KernelUnusable,
                         "kernel " + request.release +
                             " could not be prepared for this version of the server; it has to be added "
                             "again: " +
                             why};
        return Fault{FaultTag::KernelPreparing,
                     "kernel " + request.release + " is being prepared for this version of the server; ask again"};
    }
    const auto differs = [&](const char *what, const std::string &asked, const std::string &known) -> Outcome<void> {
        return !asked.empty() && !known.empty() && asked != known
                   ? Outcome<void>(Fault{FaultTag::KernelDiffers, std::string("the ") + what + " of kernel " +
                                                                      request.release + " is '" + known +
                                                                      "' here, not '" + asked +
                                                                      "': it is another build of the same release"})
                   : Outcome<void>();
    };
    // Headers alone have no build-id. Then staprun refuses a module for another build.
    if (const Outcome<void> same = differs("build-id", request.build_id, kernel->build_id); !same) return same.fault();
    if (const Outcome<void> same = differs("vermagic", request.vermagic, kernel->vermagic); !same) return same.fault();
    if (!request.architecture.empty() && request.architecture != kernel->architecture)
        return Fault{FaultTag::KernelDiffers, "kernel " + request.release + " is for " + kernel->architecture +
                                                  " here, not for " + request.architecture};
    for (const std::string &set : request.tapset_sets)
        if (!settings_.tapset_sets.contains(set))
            return Fault{FaultTag::TapsetsUnknown, "there is no set of tapsets '" + set + "'"};
    return *kernel;
}

std::string Compiler::key_of(const BuildRequest &request, const KernelEntry &kernel) const {
    Hasher hash;
    hash.add("2").add(translator_).add(directory_stamp(kernels_.toolchain().data + "/tapsets"));
    hash.add(kernel.serialize()).add(canonical(request));
    for (const std::string &set : request.tapset_sets)
        hash.add(set).add(directory_stamp(settings_.tapset_sets.at(set)));
    if (settings_.kernel_signer)
        hash.add(trust::fingerprint(settings_.kernel_signer->certificate.get())).add(settings_.kernel_digest);
    return hash.hex();
}

SandboxJob Compiler::job_for(const BuildRequest &request, const KernelEntry &kernel, const std::string &name) const {
    SandboxJob job = kernels_.job_for(kernel);
    job.limits = settings_.limits;
    job.files.push_back({request.name, request.script});
    std::vector<std::string> &words = job.command;
    words.push_back("-p" + std::to_string(request.last_pass));
    if (request.last_pass == 4) {
        words.insert(words.end(), {"-m", name});
        job.result = name + ".ko";
    }
    words.push_back(request.guru ? "-g" : "--array-size-max=" + std::to_string(kMostElements));
    words.insert(words.end(), request.options.begin(), request.options.end());
    if (!request.tapsets.empty()) words.insert(words.end(), {"-I", "/tmp/work/tapsets"});
    for (const TextFile &file : request.tapsets)
        job.files.push_back({"tapsets/" + file.name, file.text});
    for (const std::string &set : request.tapset_sets) {
        job.binds.push_back({settings_.tapset_sets.at(set), "/tapsets/" + set});
        words.insert(words.end(), {"-I", "/tapsets/" + set});
    }
    // A script's arguments may look like options.
    words.insert(words.end(), {"--", request.name});
    words.insert(words.end(), request.arguments.begin(), request.arguments.end());
    return job;
}

Ending Compiler::compile(const BuildRequest &request, const KernelEntry &kernel, const std::string &key, Job &job,
                         const std::function<bool()> &cancelled) const {
    const std::chrono::seconds patience(2 * settings_.limits.wall_s + 10);
    // One of a fixed number of files for all keys, so that they need no clearing away.
    const PatientLock mine(settings_.locks + "/key-" + key.substr(0, 3), LOCK_EX, patience, cancelled);
    if (auto found = results_.find(key)) return {std::move(*found)};
    // Lets a server that waits to replace the kernel go first: otherwise there could always be a compilation in its
    // way.
    { const PatientLock turn(kernels_.turn_file(kernel.release), LOCK_SH, patience, cancelled); }
    const PatientLock use(kernels_.lock_file(kernel.release), LOCK_SH, patience, cancelled);
    if (!mine.held() || !use.held())
        return {Fault{FaultTag::Busy,
                      "another server compiles the same, or prepares the kernel, and does not come to an end",
                      "ask again"}};
    // Compiles for the very kernel that the key was made of.
    const auto now = kernels_.find(kernel.release);
    if (!now || now->serialize() != kernel.serialize())
        return {Fault{FaultTag::Busy, "kernel " + kernel.release + " was replaced meanwhile", "ask again"}};
    const std::string name = module_name(request, key);
    SandboxJob sandbox = job_for(request, kernel, name);
    sandbox.on_message = [&job](std::string_view line) { job.tell(std::string(line)); };
    sandbox.cancelled = cancelled;
    job.tell("compiling");
    SandboxOutcome outcome = run_in_sandbox(sandbox);
    if (!outcome.completed) return {outcome.completed.fault(), outcome.messages};
    if (outcome.status != 0) {
        const std::string how = outcome.status > 128 ? "was ended by signal " + std::to_string(outcome.status - 128)
                                                     : "failed with status " + std::to_string(outcome.status);
        return {Fault{FaultTag::ScriptRefused, "the translation " + how}, outcome.messages};
    }
    Result result;
    result.key = key;
    result.name = name;
    result.release = kernel.release;
    result.architecture = kernel.architecture;
    result.vermagic = kernel.vermagic;
    result.build = kernel.build;
    result.messages = outcome.messages;
    result.guru = request.guru || !request.tapsets.empty();
    result.tapset_sets = request.tapset_sets;
    if (request.last_pass == 4) {
        // Only C of the request's own can make a module say something else of itself.
        if (const Outcome<void> good = check_module(outcome.result, name, kernel); !good && result.guru)
            return {Fault{FaultTag::ScriptRefused, good.fault().text +
                                                       "; embedded C cannot change what its module says of "
                                                       "itself" +
                                                       suspect(request)},
                    outcome.messages};
        Outcome<std::string> module = finish_module(std::move(outcome.result), name, kernel, settings_);
        if (!module) return {module.fault(), outcome.messages};
        result.module = std::move(*module);
        result.sha256 = sha256(result.module);
    } else {
        result.output = std::move(outcome.output);
        result.sha256 = sha256("");
    }
    if (const Outcome<void> kept = results_.store(result); !kept)
        job.tell("the result cannot be kept: " + kept.fault().text);
    return {std::move(result)};
}

}  // namespace tapir::server
