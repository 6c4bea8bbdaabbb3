// SPDX-License-Identifier: GPL-2.0-or-later
#include "build/header_types.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <vector>

#include "build/build_command.h"
#include "build/compiler.h"
#include "common/activity.h"
#include "common/files.h"
#include "common/hash.h"

namespace fs = std::filesystem;

namespace tapir::build {

namespace {

constexpr const char *kName = "header_types";

// The compilation is for unused types. A header may also be named from the top of the kernel's sources.
constexpr const char *kMakefile =
    "obj-m := header_types.o\n"
    "ccflags-y := -g -fno-eliminate-unused-debug-types -fno-lto -Wno-error -I$(srctree) -I$(objtree)\n";

// "#include <a.h>" for each; "" if the text is something else, which must not reach the compiler.
std::string includes(const std::string &headers) {
    std::string text;
    for (size_t at = 0; at < headers.size();) {
        const size_t end = headers.find('>', at);
        if (headers[at] != '<' || end == std::string::npos || end == at + 1) return "";
        for (size_t i = at + 1; i < end; ++i) {
            const char c = headers[i];
            if (!isalnum(static_cast<unsigned char>(c)) && c != '/' && c != '_' && c != '-' && c != '.') return "";
        }
        text += "#include " + headers.substr(at, end + 1 - at) + "\n";
        at = end + 1;
    }
    return text;
}

// The first complaint of the compiler.
std::string first_error(const std::string &output) {
    const size_t at = output.find("error: ");
    return at == std::string::npos ? "the compiler failed" : output.substr(at, output.find('\n', at) - at);
}

Fault unusable(const std::string &why) {
    return {FaultTag::HeadersUnusable, why};
}

// The path of the object.
Outcome<std::string> made(const Command &command, const std::string &work) {
    const Outcome<Result> result = run(command);
    if (!result) return unusable(result.fault().message());
    std::string object = work + "/" + kName + ".o";
    if (result->ok() && access(object.c_str(), R_OK) == 0) return object;
    return unusable(first_error(result->output));
}

std::string source_in(const std::string &work) {
    return work + "/" + kName + ".c";
}

// Returns the text as this machine's compiler preprocesses it, or the compiler's complaint; "" if it cannot run.
std::string preprocessed(const std::string &work) {
    Command command;
    command.argv = {"cc", "-E", "-P", source_in(work)};
    const Outcome<Result> result = run(command);
    return result ? result->output : "";
}

Outcome<std::string> build_for_programs(const std::string &work) {
    Command compile;
    compile.argv = {
        "cc", "-g", "-fno-eliminate-unused-debug-types", "-c", source_in(work), "-o", work + "/" + kName + ".o"};
    return made(compile, work);
}

Outcome<std::string> build_for_kernel(const target::Kernel &kernel, const std::string &work, const std::string &cache) {
    const Compiler compiler = choose_compiler(kernel, cache);
    if (compiler.program.empty())
        return unusable(compiler.wanted + ", which kernel " + kernel.release + " was built with, is not installed");
    if (const Outcome<void> written = write_file(work + "/Makefile", kMakefile); !written)
        return unusable(written.fault().message());
    Command make;
    make.system = compiler.system;
    make.argv = {"make", "-C", kernel.build_dir, "M=" + work};
    make.argv.insert(make.argv.end(), compiler.make_args.begin(), compiler.make_args.end());
    make.argv.push_back(std::string(kName) + ".o");
    return made(make, work);
}

}  // namespace

Outcome<std::string> compile_header_types(const target::Kernel *kernel, const std::string &headers,
                                          const std::string &cache_dir) {
    const std::string text = includes(headers);
    if (text.empty()) return unusable("headers are written as <linux/tcp.h>");
    if (kernel && kernel->build_dir.empty())
        return unusable("the headers of kernel " + kernel->release + " are not installed");
    std::unique_ptr<TemporaryDirectory> work;
    const auto write_source = [&]() -> Outcome<void> {
        const Outcome<std::string> path = make_directory(temporary_root(), "tapir-headers-");
        if (!path) return unusable(path.fault().message());
        const Outcome<void> written =
            (work = std::make_unique<TemporaryDirectory>(*path), write_file(source_in(*path), text));
        return written ? written : unusable(written.fault().message());
    };
    if (!kernel)
        if (const Outcome<void> written = write_source(); !written) return written.fault();
    // A kernel's headers stay as they are; what else the text means is in the preprocessed text.
    Hasher hash;
    if (kernel)
        hash.add(kernel->release).add(kernel->build_dir).add(kMakefile).add(text);
    else
        hash.add(preprocessed(work->path()));
    const std::string key = hash.hex();
    const std::string directory = cache_dir + "/index", kept = directory + "/headers-" + key + ".o";
    if (!cache_dir.empty() && access(kept.c_str(), R_OK) == 0) return kept;
    if (kernel)
        if (const Outcome<void> written = write_source(); !written) return written.fault();
    const Activity activity("compiling " + headers + " for its types, once");
    Outcome<std::string> object =
        kernel ? build_for_kernel(*kernel, work->path(), cache_dir) : build_for_programs(work->path());
    if (!object) return object;
    std::error_code error;
    const std::string fresh = kept + "." + std::to_string(getpid());
    if (!cache_dir.empty()) fs::create_directories(directory, error);
    if (!cache_dir.empty() && !error) fs::copy_file(*object, fresh, fs::copy_options::overwrite_existing, error);
    if (!cache_dir.empty() && !error && std::rename(fresh.c_str(), kept.c_str()) == 0) return kept;
    static std::vector<std::unique_ptr<TemporaryDirectory>> read_until_the_end;
    read_until_the_end.push_back(std::move(work));
    return object;
}

}  // namespace tapir::build
