// SPDX-License-Identifier: GPL-2.0-or-later
// The system calls of a kernel as scripts know them: from its headers, with the tables' data for each call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "syscalls/call_table.h"
#include "syscalls/metadata.h"

namespace tapir::syscalls {

// A call of one ABI.
struct Entry {
    std::string name;      // of kernel.syscall("NAME"): the kernel's, or that of what socketcall or ipc stand for
    std::string numbered;  // the kernel's name of the number, whether or not a call is behind it
    uint32_t number = 0;
    bool narrow = false;  // as 32-bit programs call it
    uint8_t part = 0;     // the required first argument of socketcall or ipc; 0: the call is not part of these
    bool ipc = false;
    bool by_name_only = false;  // wildcards do not mean it: it stands for others, or this kernel does not have it
    std::vector<Parameter> parameters;
    Call call;  // alias, variables, how arguments are shown
};

// A kernel that has exactly the calls of the tables.
KernelCalls calls_of_tables(const Table &table);

enum class Abi : uint8_t { Any, Native, Narrow };

class Calls {
  public:
    // `table` must outlive it.
    Calls(KernelCalls kernel, const Table &table);
    Calls(const Calls &) = delete;
    Calls &operator=(const Calls &) = delete;

    // The entries by `narrow`, then number, then part.
    const std::vector<Entry> &entries() const { return entries_; }
    // Returns why there are none; "" if there are some.
    const std::string &missing() const { return kernel_.missing; }
    // Positions of the entries of a name, which may have wildcards.
    std::vector<size_t> find(std::string_view pattern, Abi abi) const;
    // Names of find(), for "similar:" lists.
    std::vector<std::string> names() const;
    const Table &table() const { return table_; }

  private:
    void borrow_names();
    void add(const KernelCall &call);
    void add_parts(const KernelCall &call);
    void describe(Entry &entry);

    KernelCalls kernel_;
    const Table &table_;
    std::vector<Entry> entries_;
};

constexpr std::string_view kMissingName = "ni_syscall";  // the function of numbers without a call (any more)

}  // namespace tapir::syscalls
