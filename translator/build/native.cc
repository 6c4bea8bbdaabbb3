// SPDX-License-Identifier: GPL-2.0-or-later
#include "build/native.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "common/find_program.h"
#include "common/hash.h"
#include "common/run_program.h"

namespace tapir::build {

namespace {

constexpr std::string_view kMain =
    "\nint tapir_still_main(int argc, char **argv);\n"
    "int main(int argc, char **argv)\n{\n\treturn tapir_still_main(argc, argv);\n}\n";
constexpr const char *kLibrary = "libtapir-still.so", *kLines = "libtapir-still-lines.a", *kAlone = "libtapir-still.a";

// The kernel's own way to write C; optimization costs as much time as the linker takes.
const char *const kFlags[] = {"-std=gnu89", "-O1", "-w", "-fno-strict-aliasing", "-fno-plt"};

}  // namespace

std::string found_compiler() {
    for (const char *name : {"gcc", "cc", "clang"})
        if (const Outcome<std::string> path = find_program(name)) return *path;
    return {};
}

std::string find_still_library(const std::string &program_directory) {
    for (const char *where : {"/../lib/", "/../" TAPIR_LIBRARY_DIRECTORY "/tapir/process/"})
        if (const std::string directory = program_directory + where; is_file(directory + kLibrary)) return directory;
    return {};
}

NativeBuilder::NativeBuilder(NativeOptions options, Diagnostics &diagnostics)
    : Builder(options, "programs", diagnostics), options_(std::move(options)), compiler_(found_compiler()) {}

std::string NativeBuilder::base_key() {
    Hasher key;
    key.add("native").add(options_.version).add(file_identity("/proc/self/exe")).add(file_identity(compiler_));
    key.add(file_identity(options_.library + kLibrary)).add(file_identity(options_.library + kLines));
    return key.hex();
}

// The program's bytes; nothing after a report.
std::optional<std::string> NativeBuilder::compile(std::string_view c_text, const std::string &work, bool alone) {
    if (options_.library.empty()) {
        diagnostics_.report(Tag::LinkFailed,
                            "libtapir-still.so, which scripts on core files are linked with, is not where stap is "
                            "installed; install stap again, with all its parts");
        return std::nullopt;
    }
    if (compiler_.empty()) {
        diagnostics_.report(Tag::CompilerMissing,
                            "no C compiler is here, and a script on a core file is compiled for this machine; install "
                            "gcc");
        return std::nullopt;
    }
    const std::string source = work + "/script.c", made = work + "/script";
    if (const Outcome<void> written = write_file(source, std::string(c_text) + std::string(kMain)); !written) {
        diagnostics_.report(Tag::OutputUnwritable, written.fault().message());
        return std::nullopt;
    }
    Program program{{compiler_}};
    for (const char *flag : kFlags)
        program.argv.push_back(flag);
    const std::vector<std::string> words = {"-I" + options_.headers, "-o", made, source, options_.library + kLines};
    const std::vector<std::string> shared = {options_.library + kLibrary, "-Wl,-rpath," + options_.library,
                                             "-Wl,--allow-shlib-undefined"};
    // Then the program runs on any machine of the architecture.
    const std::vector<std::string> whole = {options_.library + kAlone, "-static", "-lstdc++", "-liberty", "-lz", "-lm"};
    for (const std::vector<std::string> &list : {words, alone ? whole : shared})
        program.argv.insert(program.argv.end(), list.begin(), list.end());
    Collected said;
    program.output = Stream::collected(said);
    program.errors = Stream::with_output();
    const Outcome<Ending> ended = run_program(program);
    if (!ended) {
        diagnostics_.report(Tag::CompileFailed,
                            "the C compiler did not compile the script: " + ended.fault().message());
        return std::nullopt;
    }
    std::optional<std::string> bytes = ended->good() ? read_file(made) : std::nullopt;
    if (!bytes)
        diagnostics_.report(Tag::CompileFailed,
                            (alone ? "the C compiler did not make a program that stands alone, which needs the static "
                                     "libraries of C and C++, libiberty and zlib:\n"
                                   : "the C compiler rejected the script:\n") +
                                said.text);
    return bytes;
}

std::optional<Product> NativeBuilder::place(const std::string &path, const std::string &bytes) {
    // A program that runs at the moment must not be written to.
    if (!replace_file(path, bytes) || chmod(path.c_str(), 0755) != 0) {
        diagnostics_.report(Tag::OutputUnwritable, "cannot write the program: " + path + ": " + std::strerror(errno));
        return std::nullopt;
    }
    return Product{path};
}

std::optional<Product> NativeBuilder::build(const Script &script) {
    const std::string key = Hasher().add(base_key()).add(script.c_text).hex();
    const bool alone = !script.name.empty();
    if (!alone)
        if (const auto path = products_.find(key)) return Product{*path, true};
    const std::string work = work_directory();
    if (work.empty()) return std::nullopt;
    const std::optional<std::string> bytes = compile(script.c_text, work, alone);
    if (!bytes) return std::nullopt;
    if (alone) return place(script.output.empty() ? "./" + script.name : script.output, *bytes);
    if (const Outcome<std::string> path = products_.store(key, "script", *bytes)) {
        if (chmod(path->c_str(), 0700) == 0) return Product{*path};
    } else if (options_.cache != CacheMode::Disabled) {
        options_.note(1, "The program is not kept in the cache: " + path.fault().message());
    }
    return place(work + "/script", *bytes);
}

}  // namespace tapir::build
