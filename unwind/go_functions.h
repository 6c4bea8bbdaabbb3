// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Functions of a Go program as Go's own runtime knows them, which walks and names stacks by them. They stay when
 * symbols and debug information are stripped off ("-ldflags=-s -w"). The section .gopclntab of Go 1.18 and later:
 * pcHeader and _func in src/runtime/symtab.go and src/runtime/runtime2.go.
 */
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "unwind/bytes.h"
#include "unwind/cfi.h"
#include "unwind/elf_file.h"

namespace tapir::unwind {

enum class GoSource { Go, Assembly, C };

struct GoFunction {
    uint64_t start = 0, bytes = 0;
    std::string_view name;  // lives as long as the file
    GoSource source = GoSource::Go;
};

// A section, or the part of one from the table on: other linkers than Go's put it among other data. Nothing in a file
// of something else.
std::optional<Section> go_function_table(const ElfFile &file);

class GoFunctions {
  public:
    // `file` must outlive this.
    explicit GoFunctions(const ElfFile &file);
    GoFunctions(const GoFunctions &) = delete;
    GoFunctions &operator=(const GoFunctions &) = delete;

    // Ascending; none in a file of something else, or of another version's layout.
    const std::vector<GoFunction> &all() const { return functions_; }
    // The rows from which Go's linker derives .debug_frame. They live as long as this object.
    const std::vector<Fde> &frames() const { return frames_; }

  private:
    struct Table;
    void read(const Table &table);
    void add(const Table &table, uint64_t start, uint64_t next, uint32_t at);
    uint64_t describe(Bytes depths, uint64_t most, uint32_t quantum, std::string &instructions) const;

    const ElfFile &file_;
    Cie cie_;
    std::vector<GoFunction> functions_;
    std::vector<Fde> frames_;
    std::deque<std::string> instructions_;
};

}  // namespace tapir::unwind
