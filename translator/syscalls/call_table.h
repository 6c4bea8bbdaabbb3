// SPDX-License-Identifier: GPL-2.0-or-later
// The tables of system calls (tapsets/*.table, docs/syscalls.md): variables, and how arguments are shown.
#pragma once

extern "C" {
#include <tapir/syscall.h>
}

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "base/source.h"

namespace tapir::syscalls {

// Texts of all of these point into the table's files.

struct Name {
    uint64_t value, mask;
    std::string_view name;
};
// Flags or values of an enumeration.
struct Names {
    std::string_view name, unknown;
    bool flags = false;
    bool plain = false, permissions = false;
    std::vector<Name> list;
};

struct Record;
struct Choice;
// How a value is shown: struct tapir_show says what members of the same names mean.
struct Show {
    tapir_show_kind kind = TAPIR_SHOW_NONE;
    int other = -1;  // index in the same list
    uint8_t size[2] = {4, 4};
    uint16_t at[2] = {0, 0};
    uint16_t count = 0;
    std::string_view name;
    const Names *names = nullptr;
    const Record *record = nullptr;
    std::shared_ptr<const Show> element;
    std::vector<Choice> choices;
};
struct Choice {
    uint64_t value, mask;
    Show show;
};
struct Record {
    std::string_view name;
    uint16_t size[2] = {0, 0}, alignment[2] = {1, 1};
    std::vector<Show> fields;
};

// The source of a script's variable: a call's argument in one form, or an expression over other variables.
enum class Form : uint8_t { Number, Text, Unquoted, Script };
struct Variable {
    std::string name;
    Form form = Form::Number;
    unsigned argument = 0;         // index into Call::args
    std::string_view script = {};  // of Form::Script
    bool at_return = false;        // exists at returns only; the others exist at both
};

struct Call {
    std::string_view kernel;  // as the kernel's tables of numbers name it: "newfstatat"
    std::string_view alias;   // syscall.ALIAS: "fstatat"
    std::string_view name;    // what `name` says
    bool narrow = false;      // how 32-bit programs call it, where that differs
    tapir_result result = TAPIR_RESULT_SIGNED;
    std::vector<Show> args;  // in the order in which they are shown
    std::vector<Variable> variables;
    SourceRef at;

    // Adds the next argument of a call that no table has, shown by its C type ("const char __user *") and name, both
    // kept.
    void add_by_type(std::string_view type, std::string_view name);
};

// One more name of calls: syscall.NAME.
struct Alias {
    std::string_view name;
    std::string_view kernel;  // the call
    bool narrow = false;      // of 32-bit programs only
};

// The reason why many kernels have no call of a name: a half-sentence for messages.
struct Absence {
    std::string_view name;
    std::string_view reason;
};

class Table {
  public:
    // Adds the entries of a file, which must outlive the table. An entry replaces one of the same name from an earlier
    // file, for reads from then on. False if there were errors.
    bool read(const SourceFile &file, Diagnostics &diagnostics);

    // Finds a call by the kernel's name; for 32-bit programs (`narrow`) the entry made for them, else the common one.
    const Call *find(std::string_view kernel, bool narrow) const;
    const Names *names(std::string_view name) const;
    const Record *record(std::string_view name) const;
    // In the order of the files.
    const std::deque<Call> &calls() const { return calls_; }
    const std::vector<Alias> &aliases() const { return aliases_; }
    const std::vector<Absence> &absences() const { return absences_; }
    // Returns why a kernel may lack a call of the name; "" if the tables give no reason.
    std::string_view reason(std::string_view name) const;

  private:
    friend class TableReader;
    std::deque<Call> calls_;
    std::deque<Names> names_;
    std::deque<Record> records_;
    std::vector<Alias> aliases_;
    std::vector<Absence> absences_;
    std::map<std::pair<std::string_view, bool>, const Call *> call_index_;
    std::map<std::string_view, const Names *> names_index_;
    std::map<std::string_view, const Record *> record_index_;
};

}  // namespace tapir::syscalls
