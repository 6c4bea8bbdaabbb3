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

std::string key_of_note(const std::string &key) {
    return sha256("note " + key);
}

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
    : options_(std::move(options)),
      diagnostics_(diagnostics),
      compiler_(found_compiler()),
      programs_(options_.cache_root + "/programs", options_.cache, configured_cache_limit(options_.cache_root)),
      results_(options_.cache_root + "/results", options_.cache, configured_cache_limit(options_.cache_root)) {}

std::string NativeBuilder::base_key() const {
    Hasher key;
    key.add("native").add(options_.version).add(file_identity("/proc/self/exe")).add(file_identity(compiler_));
    key.add(file_identity(options_.library + kLibrary)).add(file_identity(options_.library + kLines));
    return key.hex();
}

std::string NativeBuilder::work_directory() {
    if (!options_.work.empty()) return options_.work;
    if (!own_work_) {
        const Outcome<std::string> path = make_directory(temporary_root(), "tapir-");
        if (!path) {
            diagnostics_.report(Tag::OutputUnwritable, "cannot make a temporary directory: " + path.fault().message());
            return "";
        }
        own_work_ = std::make_unique<TemporaryDirectory>(*path);
    }
    return own_work_->path();
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

std::optional<NativeProgram> NativeBuilder::place(const std::string &path, const std::string &bytes) {
    // A program that runs at the moment must not be written to.
    if (!replace_file(path, bytes) || chmod(path.c_str(), 0755) != 0) {
        diagnostics_.report(Tag::OutputUnwritable, "cannot write the program: " + path + ": " + std::strerror(errno));
        return std::nullopt;
    }
    return NativeProgram{path};
}

std::optional<NativeProgram> NativeBuilder::build(std::string_view c_text, const std::string &output) {
    const std::string key = Hasher().add(base_key()).add(c_text).hex();
    if (output.empty())
        if (const auto path = programs_.find(key)) return NativeProgram{*path, true};
    const std::string work = work_directory();
    if (work.empty()) return std::nullopt;
    const std::optional<std::string> bytes = compile(c_text, work, !output.empty());
    if (!bytes) return std::nullopt;
    if (!output.empty()) return place(output, *bytes);
    if (const Outcome<std::string> path = programs_.store(key, "script", *bytes)) {
        if (chmod(path->c_str(), 0700) == 0) return NativeProgram{*path};
    } else if (options_.cache != CacheMode::Disabled) {
        options_.note(1, "The program is not kept in the cache: " + path.fault().message());
    }
    return place(work + "/script", *bytes);
}

std::optional<NativeProgram> NativeBuilder::find_result(const std::string &key) {
    const auto program = results_.find_text(key);
    const auto path = program ? programs_.find(*program) : std::nullopt;
    if (!path) return std::nullopt;
    return NativeProgram{*path, true};
}

void NativeBuilder::store_result(const std::string &key, const NativeProgram &program) {
    // A program in the cache lies in a directory named by its key.
    const size_t end = program.path.rfind('/');
    if (!program.path.starts_with(programs_.directory() + "/") || end == std::string::npos) return;
    const size_t begin = program.path.rfind('/', end - 1) + 1;
    static_cast<void>(results_.store(key, "program", std::string_view(program.path).substr(begin, end - begin)));
}

std::string NativeBuilder::find_note(const std::string &key) {
    return results_.find_text(key_of_note(key)).value_or("");
}

void NativeBuilder::store_note(const std::string &key, const std::string &text) {
    static_cast<void>(results_.store(key_of_note(key), "note", text));
}

}  // namespace tapir::build
