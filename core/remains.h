// SPDX-License-Identifier: GPL-2.0-or-later
// A process that stands still: its core file, or itself while it lives, and the files that it had mapped as far as they
// are here and are the very same. Not for several threads at once.
#pragma once

#include <tapir/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/descriptor.h"
#include "common/outcome.h"
#include "core/core_file.h"
#include "core/live_process.h"
#include "core/notes.h"
#include "unwind/interpreter_file.h"
#include "unwind/unwind_table.h"

namespace tapir::core {

struct RemainsOptions {
    // The directory below which the process's files are; "": they are here. A live process has its own.
    std::string sysroot;
    std::string program;  // the file of the program itself; "": the one that the core names
    std::string held;     // with LiveMode::Held: see LiveProcess::open()
    bool symbols = true;  // tables of files have symbols
    bool lines = false;   // and source lines
    bool mangled = false;
    std::vector<unwind::Interpreter> interpreters;  // that are looked for
    // Called once for each incomplete part; may be empty.
    std::function<void(const std::string &)> warn;
};

class Remains {
  public:
    // Faults: those of CoreFile::open(), and CoreEmpty for a core without threads.
    static Outcome<std::unique_ptr<Remains>> open(const std::string &path, RemainsOptions options);
    static Outcome<std::unique_ptr<Remains>> of(CoreFile core, RemainsOptions options);
    // For a live process. Faults: those of LiveProcess::open().
    static Outcome<std::unique_ptr<Remains>> of_process(int64_t pid, LiveMode mode, RemainsOptions options);
    ~Remains();

    const Notes &notes() const { return notes_; }
    // The process, if it lives; else null.
    LiveProcess *live() { return live_.get(); }
    const std::string &sysroot() const { return options_.sysroot; }

    // Reads memory. False if it is unknown; then `dst` is zeroed.
    bool read(void *dst, uint64_t address, uint32_t length);
    // Up to cap - 1 bytes to the first NUL; always terminates. Its length; -1, and "", where it cannot be read.
    int read_string(char *dst, uint64_t address, uint32_t cap);

    // Returns the first memory at or above an address that the process could write and the core has, or null.
    const Segment *writable_from(uint64_t address) const;
    // Returns the mapping at an address, or null if no file was mapped there.
    const Mapping *mapping_of(uint64_t address) const;
    // Returns the file of the program itself; nothing if the core does not have it.
    std::optional<uint32_t> program() const;
    // Returns a file's build-id by the process's memory, or "".
    const std::string &build_id_in_memory(uint32_t file);
    // The file here that is the very same: its path. Faults: MappedMissing, MappedOther.
    Outcome<std::string> local_path(uint32_t file);

    // Is a mapped file the one with a build-id, or, where the core or the file has none, the one at a path here?
    bool is_file(uint32_t file, std::string_view build_id, std::string_view path);
    // How far from where it was linked a program is mapped; of several mappings, the lowest. `text_offset` is that of
    // its code in the file, `text_bias` how much further its address is, as linked.
    std::optional<uint64_t> bias_of(std::string_view build_id, std::string_view path, uint64_t text_offset,
                                    uint64_t text_bias);
    // Returns the table for an address, and its mapping, for tapir_unwind_source. Null if there is no table; `end` then
    // gives the reason.
    const tapir_unwind_table *table_of(uint64_t address, tapir_unwind_mapping &mapping, uint8_t &end);
    // The interpreter of this number among RemainsOptions::interpreters, if the process has mapped one: its object, and
    // its variables' addresses in the process.
    struct FoundInterpreter {
        uint32_t object = 0;
        tapir_file_interpreter file = {};
    };
    std::optional<FoundInterpreter> interpreter(uint32_t number);
    // Returns the number of an object's interpreter, from 1 on; 0: none.
    uint32_t interpreter_of_object(uint32_t object);
    // Returns the path that the process had for an object, or "".
    std::string path_of_object(uint32_t object) const;
    // Returns the table of an object that table_of() has numbered, or null.
    const tapir_unwind_table *table_of_object(uint32_t number) const;

  private:
    struct File;

    Remains(CoreFile core, std::unique_ptr<LiveProcess> live, RemainsOptions options);
    const Segment *segment_of(uint64_t address) const;
    uint32_t read_some(char *to, uint64_t address, uint32_t length);
    File &use(uint32_t file);
    void open_file(uint32_t number, File &file);
    std::optional<bool> is_same(uint32_t number, const File &file);
    std::string first_page(uint32_t number);
    Descriptor open_live(uint32_t number, std::string &path) const;
    void find_beginnings();
    void adopt_copies();
    bool is_copy(uint32_t number, const Mapping &copy);
    bool may_have_code(uint32_t file) const;
    const tapir_file_interpreter &which_interpreter(uint32_t file);
    std::optional<uint32_t> file_above(const Segment &code);
    const tapir_unwind_table *vdso_table(uint64_t address, tapir_unwind_mapping &mapping);
    const tapir_unwind_table *table_before(uint64_t address, tapir_unwind_mapping &mapping, uint8_t &end);
    void warn(const std::string &text) const;

    CoreFile core_;
    std::unique_ptr<LiveProcess> live_;
    RemainsOptions options_;
    const std::vector<Segment> &segments_;  // of either
    Notes notes_;
    std::vector<std::unique_ptr<File>> files_;
    std::vector<std::optional<std::string>> memory_ids_;
    std::vector<const Mapping *> beginnings_;  // of files, the first mapping of each
    mutable const Segment *last_segment_ = nullptr;
    std::unique_ptr<unwind::Table> vdso_;
    bool vdso_tried_ = false, told_of_lost_ = false;
};

}  // namespace tapir::core
