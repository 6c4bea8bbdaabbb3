// SPDX-License-Identifier: GPL-2.0-or-later
// One ELF object and its DWARF: a kernel image, a kernel module, later a program or a library.
#pragma once

#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "dwarf/go_program.h"
#include "dwarf/symbol_table.h"

namespace tapir::dwarf {

// Address of the first instruction that a subprogram or inlined instance executes: DW_AT_entry_pc, DW_AT_low_pc, or the
// start of its first range, which is the part that is entered where a compiler has put unlikely code elsewhere (DWARF
// 5, section 2.18). Nothing when it has no code.
std::optional<uint64_t> entry_pc(Dwarf_Die *die);

// Names of an object's DIEs, Object::id_of(): the offset in .debug_info, with one of these set for a DIE elsewhere.
constexpr uint64_t kInSupplement = uint64_t{1} << 63;  // the file that dwz made of what several objects had in common
constexpr uint64_t kInTypeUnit = uint64_t{1} << 62;    // .debug_types
constexpr uint64_t kInSplit = uint64_t{1} << 55;       // a .dwo file; bits 32 to 54 have its number

// The unit that a DW_TAG_imported_unit imports; false for other DIEs.
bool imported_unit(Dwarf_Die *die, Dwarf_Die &unit);

struct CallsFound;

struct FreeFrame {
    void operator()(Dwarf_Frame *frame) const { std::free(frame); }
};
using Frame = std::unique_ptr<Dwarf_Frame, FreeFrame>;

// Returns the path of a file with the debug information of a build, from elsewhere than this machine's debug
// directories; "" if there is none. Several threads may call it at the same time.
using FindBuild = std::function<std::string(const std::string &build_id)>;

// Opened for reading. Debug information in a separate file (build-id, .gnu_debuglink), in a dwz supplement, or in
// compressed sections is found and read as if it were in the object itself. Not thread-safe.
class Object {
  public:
    // `debug_path` is a colon-separated list of directories in which separate debug files are looked for, as libdwfl
    // takes it (dwfl_standard_find_debuginfo). Nothing, and a reason in `error`, when the file is not a readable ELF
    // object; an object without debug information opens and has none. `elsewhere`, which may be empty, is asked for
    // debug information and dwz supplements that are not there. libdw asks no server: it would wait without a deadline.
    static std::unique_ptr<Object> open(const std::string &path, std::string &error,
                                        const std::string &debug_path = ":.debug:/usr/lib/debug",
                                        const FindBuild &elsewhere = {});
    // The same once more, for another thread; nothing when it cannot be opened any longer.
    std::unique_ptr<Object> again() const;
    ~Object();
    Object(const Object &) = delete;
    Object &operator=(const Object &) = delete;

    const std::string &path() const { return path_; }
    // Lower-case hexadecimal; "" when the object has none.
    const std::string &build_id() const { return build_id_; }
    // Null if the object has no DWARF, or if its supplement is missing: half of the names would be missing or wrong.
    Dwarf *dwarf() const;
    // The dwz supplement of dwarf(), or null.
    Dwarf *supplement() const;
    // Returns why existing debug information cannot be used; "" otherwise.
    const std::string &debug_problem() const;
    // Finds the DIE of an id from id_of(); false if no DIE has it.
    bool die_at(uint64_t id, Dwarf_Die &die) const;
    uint64_t id_of(Dwarf_Die *die) const;
    // The unit in a .dwo file that a skeleton unit stands for; false, and a reason, when it cannot be read.
    bool split_unit(Dwarf_CU *skeleton, Dwarf_Die &unit, std::string &why) const;
    // Results that callers.h has found so far.
    std::shared_ptr<CallsFound> &calls_found() const { return calls_found_; }
    // Drops the debug information, for this reason.
    void refuse(std::string why) const;
    // The file the debug information was read from.
    const std::string &debug_file() const;
    Dwfl_Module *module() const { return module_; }

    // Returns the call frame information for `pc`, an address as in the DWARF; null if it does not cover `pc`.
    Frame frame(uint64_t pc) const;
    // Read when first asked for.
    const SymbolTable &symbols() const;
    const GoProgram &go() const;
    std::optional<uint64_t> symbol_address(std::string_view name) const { return symbols().address_of(name); }
    // The bytes of the object's code at an address; false where it has none.
    bool read_code(uint64_t address, std::span<unsigned char> bytes) const;
    // Likewise the first of `bytes`, as many as there are before the end of the section.
    std::span<const unsigned char> read_code_to_end(uint64_t address, std::span<unsigned char> bytes) const;
    // Returns the offset in the object's thread-local storage of a variable, by the address of its initial value.
    // Nothing if that is not such an address, or could also be an offset.
    std::optional<uint64_t> thread_offset(uint64_t address) const;
    // As `uname -m` prints it, of 64-bit machines that are known here; "" for others.
    std::string_view machine() const;

  private:
    Object() = default;
    bool find_supplement() const;
    Dwarf *fetched_supplement(const std::string &build_id) const;
    void find_skeletons() const;
    Dwarf *split_file(uint64_t number) const;
    std::string why_no_split(Dwarf_Die *skeleton) const;
    bool report(std::string &error);
    void open_dwarf();
    void open_separate(const char *debug_file);
    std::string why_unreadable(bool has_file) const;
    static int find_debug_file(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base, const char *file,
                               const char *link, GElf_Word crc, char **found);

    std::string path_, build_id_, debug_path_;
    char *debug_path_chars_ = nullptr;
    Dwfl_Callbacks callbacks_ = {};
    FindBuild elsewhere_;
    Dwfl *dwfl_ = nullptr, *before_ = nullptr;  // the latter without the file below: what was taken from it lives on
    int separate_ = -1;                         // a debug file that was fetched or expanded, until libdwfl has it
    Dwfl_Module *module_ = nullptr;
    mutable bool dwarf_tried_ = false;
    mutable std::string expansion_problem_;
    mutable std::vector<Dwarf_CU *> skeletons_;             // units whose content is in .dwo files
    mutable std::unordered_map<Dwarf *, uint64_t> splits_;  // these files, by the numbers of their skeletons
    mutable Dwarf *dwarf_ = nullptr, *supplement_ = nullptr, *fetched_supplement_ = nullptr;
    mutable int supplement_file_ = -1;  // of fetched_supplement_
    mutable std::string debug_file_, debug_problem_;
    mutable std::unique_ptr<GoProgram> go_;
    mutable std::unique_ptr<SymbolTable> symbols_;
    mutable std::shared_ptr<CallsFound> calls_found_;
};

}  // namespace tapir::dwarf
