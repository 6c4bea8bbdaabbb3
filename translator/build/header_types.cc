// SPDX-License-Identifier: GPL-2.0-or-later
#include "build/header_types.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "base/files.h"
#include "base/hash.h"
#include "build/compiler.h"
#include "build/process.h"

namespace fs = std::filesystem;

namespace tapir::build {

namespace {

constexpr const char *kName = "header_types";

// Unused types are what this is for.
constexpr const char *kMakefile =
    "obj-m := header_types.o\nccflags-y := -g -fno-eliminate-unused-debug-types -fno-lto -Wno-error\n";

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

std::string build(const target::Kernel &kernel, const std::string &text, const std::string &work, std::string &why) {
    const Compiler compiler = choose_compiler(kernel);
    if (compiler.program.empty()) {
        why = compiler.wanted + ", which kernel " + kernel.release + " was built with, is not installed";
        return "";
    }
    for (const auto &[file, bytes] :
         {std::pair<std::string, std::string>{"Makefile", kMakefile}, {std::string(kName) + ".c", text}}) {
        why = write_file(work + "/" + file, bytes);
        if (!why.empty()) return "";
    }
    Command make;
    make.argv = {"make", "-C", kernel.build_dir, "M=" + work};
    make.argv.insert(make.argv.end(), compiler.make_args.begin(), compiler.make_args.end());
    make.argv.push_back(std::string(kName) + ".o");
    const Result result = run(make);
    const std::string object = work + "/" + kName + ".o";
    if (result.ok() && access(object.c_str(), R_OK) == 0) return object;
    why = first_error(result.output);
    return "";
}

}  // namespace

std::string compile_header_types(const target::Kernel &kernel, const std::string &headers, const std::string &cache_dir,
                                 std::string &why) {
    const std::string text = includes(headers);
    if (text.empty()) {
        why = "headers are written as <linux/tcp.h>";
        return "";
    }
    if (kernel.build_dir.empty()) {
        why = "the headers of kernel " + kernel.release + " are not installed";
        return "";
    }
    const std::string key = Hasher().add(kernel.release).add(kernel.build_dir).add(kMakefile).add(text).hex();
    const std::string directory = cache_dir + "/index", kept = directory + "/headers-" + key + ".o";
    if (!cache_dir.empty() && access(kept.c_str(), R_OK) == 0) return kept;
    const char *tmp = std::getenv("TMPDIR");
    const std::string work = make_directory(tmp && *tmp ? tmp : "/tmp", "tapir-headers-", why);
    if (work.empty()) return "";
    TemporaryDirectory temporary(work);
    const std::string object = build(kernel, text, work, why);
    if (object.empty()) return "";
    std::error_code error;
    const std::string fresh = kept + "." + std::to_string(getpid());
    if (!cache_dir.empty()) fs::create_directories(directory, error);
    if (!cache_dir.empty() && !error) fs::copy_file(object, fresh, fs::copy_options::overwrite_existing, error);
    if (!cache_dir.empty() && !error && std::rename(fresh.c_str(), kept.c_str()) == 0) return kept;
    temporary.release();  // it is read until this process ends
    return object;
}

}  // namespace tapir::build
