// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Unwind tables for the module. The module asks, file by file, for tables of code that its stacks met or will meet. A
 * file that is not an ELF file of this machine has no table; stacks end there and say so.
 */
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "module_control.h"
#include "table_cache.h"
#include "unwind/interpreter_file.h"
#include "unwind/python_builtins.h"

namespace tapir::staprun {

// An object's facts, by its table.
struct UserObject {
    std::string path, build_id;
    uint64_t bias = 0;
    std::string block;  // the table; "" without one
    std::vector<unwind::Builtin> builtins;
    uint32_t interpreter = 0;  // which one it is, or starts, from 1 on; 0: none
    // Returns the C function at a place that interpreted programs call, or "".
    std::string_view builtin_at(uint32_t place) const;
    // The function at a place, and where it begins; "": none is known.
    std::string function_at(uint32_t place, uint32_t &start) const;
};

class UserTables {
  public:
    // `lines`: with source lines; `mangled`: with symbols of C++ and Rust as files have them.
    // `cache`: where tables are kept between sessions (table_cache.h), "": nowhere.
    explicit UserTables(Control &control, bool lines = false, bool mangled = false, const std::string &cache = "")
        : control_(control),
          lines_(lines),
          mangled_(mangled),
          cache_(cache, std::string(lines ? "lines" : "no_lines") + (mangled ? "-mangled" : "-demangled")) {}

    // Reads from the module which interpreters it knows; hello has their number. Returns 0 or errno.
    int learn_interpreters(unsigned count);
    const std::vector<unwind::Interpreter> &interpreters() const { return interpreters_; }
    // Returns a sentence for each file of an interpreter that is not a known one, so that its frames are missing.
    std::vector<std::string> unknown_interpreters() const;
    // Makes wanted tables until all are made. Returns false if none was wanted.
    bool serve();
    // At most about so long.
    void serve(uint64_t milliseconds);
    // Before the start, so that not even the first stacks are missed: what all processes, or one, have mapped; the
    // program of a command and the libraries that it is linked with, and this program.
    void announce_processes();
    // And makes the tables: of a command, or with null of a process.
    void announce_target(const std::string *command, int64_t pid);
    void announce_process(int64_t pid);
    void announce_command(const std::string &command);
    // From now on tables are kept here, too.
    void keep() { keep_ = true; }
    // Returns an object by its number; null if its file is unknown, or was not kept.
    const UserObject *object(uint32_t number) const;

  private:
    bool serve_one();
    void announce_file(const std::string &path);
    void answer(const tapir_ioc_unwind_want &want);
    // Returns the interpreter that a file is, or starts, and tells the module; 0: none.
    uint32_t tell_interpreter(uint32_t object, unwind::Image &image, const std::string &path);

    Control &control_;
    bool lines_;
    bool mangled_;
    TableCache cache_;
    bool keep_ = false;
    std::map<uint32_t, UserObject> objects_;
    std::vector<unwind::Interpreter> interpreters_;
    std::map<uint32_t, std::string> interpreter_paths_;  // by object
};

}  // namespace tapir::staprun
