// SPDX-License-Identifier: GPL-2.0-or-later
// Programs and libraries: finding their files, and where their contents are mapped.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dwarf/object.h"
#include "target/scope.h"

namespace tapir::target {

// The loadable segments of an ELF file (System V ABI, "Program Header").
class ProgramLayout {
  public:
    // Nothing and a reason in `error` when the file has no code to be loaded.
    static std::optional<ProgramLayout> read(const dwarf::Object &object, std::string &error);

    // Returns the file offset of code at a linked address; nothing outside of code.
    std::optional<uint64_t> code_offset(uint64_t linked_address) const;
    // Likewise of anything that is loaded from the file, data too.
    std::optional<uint64_t> offset(uint64_t linked_address) const;
    // Returns the linked address of code at an offset of the file; nothing outside of code.
    std::optional<uint64_t> code_address(uint64_t offset) const;
    // Is there memory for so many bytes at an address, be it from the file or not (.bss)?
    bool has_memory(uint64_t linked_address, uint64_t bytes) const;
    // Its addresses are those of the processes that run it, as linked.
    bool is_fixed() const { return is_fixed_; }
    // The linked address of its first instruction; nothing for a library, which no process runs.
    std::optional<uint64_t> start() const { return start_; }
    const BuiltProgram &built() const { return built_; }

  private:
    struct Segment {
        uint64_t offset, address, bytes, memory;
        bool code;
    };
    std::optional<uint64_t> find(uint64_t linked_address, bool code_only) const;

    std::vector<Segment> segments_;
    bool is_fixed_ = false;
    std::optional<uint64_t> start_;
    BuiltProgram built_;
};

// Has the file code of C++ or Rust that exceptions or panics pass through? By the personality routines of these
// languages (Itanium C++ ABI: Exception Handling, 1.6.1), as far as its symbols name them.
bool unwinds_for_exceptions(const dwarf::Object &object);

// Does the file refer to functions by which coroutines take turns, those of the C library (makecontext()) or of Boost
// (make_fcontext())?
bool switches_stacks(const dwarf::Object &object);

// The files that a script's name of a program means: a path, a pattern of paths, a name that is looked for along $PATH,
// or a build-id, see files_of_build_id(). Paths have no symbolic links in them, the kernel's to files of processes
// excepted; only regular files are taken. The patterns /lib*/... and /usr/lib*/... mean the libraries' directories of
// all architectures, also where these are below one directory (/usr/lib/x86_64-linux-gnu). Sorted, each once. With a
// root of target/process_root.h, absolute paths and those of $PATH are below it.
std::vector<std::string> find_programs(std::string_view name, const std::string &root = {});
// Near names of a file that find_programs() does not find: files of the path's directory, or programs along $PATH.
std::vector<std::string> similar_programs(std::string_view name, const std::string &root = {});
// The directories of $PATH and those of the dynamic linker, below a root.
std::vector<std::string> installed_directories(const std::string &root);
// Finds the libraries of a program that a name means: a path, a name, or a pattern of either. Names are searched among
// the libraries that the program is linked with and those in the dynamic linker's directories.
std::vector<std::string> find_libraries(std::string_view name, const dwarf::Object &program);
// The libraries that a program is linked with, directly or not, and its dynamic linker, by the paths that the linker
// has of them. They begin with the root of target/process_root.h where the program's does. Sorted, each once.
std::vector<std::string> needed_libraries(const dwarf::Object &program);
// Like find_libraries(), among the files that a process has mapped, even if these have been renamed or deleted since.
// Without wildcards, a name can also be the one that the dynamic linker knows.
std::vector<std::string> find_mapped_libraries(std::string_view name, int64_t pid);
// Near names of one that find_libraries() does not find.
std::vector<std::string> similar_libraries(std::string_view name, const dwarf::Object &program);

}  // namespace tapir::target
