// SPDX-License-Identifier: GPL-2.0-or-later
// Makes the table of an object (tapir/unwind.h) from its ELF file.
#pragma once

#include <tapir/unwind.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "unwind/elf_file.h"

namespace tapir::unwind {

struct TableOptions {
    bool rows = true;
    bool symbols = true;
    bool lines = false;
    bool mangled = false;                                 // names of C++ and Rust stay as in the file
    std::string path;                                     // as the object is to be called
    std::string_view debug_directory = "/usr/lib/debug";  // where the separate files of stripped objects are
};

struct TableFacts {
    unsigned damaged = 0;        // entries that make no sense
    unsigned inexpressible = 0;  // rows with a reason instead of a rule
    unsigned outside = 0;        // entries for code that is not in the file
};

class Table {
  public:
    const tapir_unwind_table &header() const { return *reinterpret_cast<const tapir_unwind_table *>(block_.get()); }
    std::string_view block() const { return {block_.get(), bytes_}; }

  private:
    friend class TableWriter;
    std::unique_ptr<char[]> block_;
    size_t bytes_ = 0;
};

// Returns an error, or "". An object without unwind information gets a table without rows.
std::string make_table(Image &image, const TableOptions &options, Table &table, TableFacts &facts);

}  // namespace tapir::unwind
