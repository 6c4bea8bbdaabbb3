// SPDX-License-Identifier: GPL-2.0-or-later
// The running kernel's state, as far as it decides whether modules may be loaded and probes are hit.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "machine/kernel_keys.h"

namespace tapir::machine {

enum class Answer : uint8_t { Unknown, No, Yes };

struct Facts {
    std::string release;   // uname -r
    std::string build;     // uname -v: "#1 SMP PREEMPT_DYNAMIC Debian 6.1.192-2 (2026-11-16)"
    std::string arch;      // uname -m
    std::string lockdown;  // "", "integrity" or "confidentiality"
    bool takes_modules = true;
    bool modules_disabled = false;                 // kernel.modules_disabled = 1
    Answer signatures_enforced = Answer::Unknown;  // module.sig_enforce
    Answer secure_boot = Answer::Unknown;          // the firmware's
    Answer is_root = Answer::Unknown;              // effective user id 0
    Answer may_load = Answer::Unknown;             // CAP_SYS_MODULE, in the first user namespace
    Answer ftrace_enabled = Answer::Unknown;       // kernel.ftrace_enabled
    Answer kprobes_enabled = Answer::Unknown;      // kprobes/enabled of debugfs; unknown without it
    bool has_proc = false;
};

// Reads below `root`, which is "" but in tests.
Facts read_facts(const std::string &root = "");

// The key that `stap` signs modules with. Its certificate gives the other facts.
struct SigningKey {
    std::string path;     // of the key; "": modules are not signed
    std::string subject;  // of the certificate
    std::string id;       // as in KernelKey
    std::string certificate;
    std::string problem;  // why it cannot be used; "": it can
};

// Facts that take longer to read.
struct Details {
    Answer symbols_readable = Answer::Unknown;  // /proc/kallsyms shows addresses
    bool has_btf = false;                       // /sys/kernel/btf/vmlinux
    std::string config;                         // text of the kernel's configuration; "" if it is nowhere
    std::vector<KernelKey> keys = {};           // empty: not known
    SigningKey signing_key = {};                // not read: the caller's
    std::vector<SigningKey> other_keys = {};    // that other programs signed modules with; the caller's
};

Details read_details(const Facts &facts, const std::string &root = "");

// Up to `limit` bytes of a file; "" when it cannot be read.
std::string file_text(const std::string &path, size_t limit);
// Likewise, of a file packed with gzip.
std::string packed_text(const std::string &path, size_t limit);

// The text up to the first newline.
std::string first_line(const std::string &text);

}  // namespace tapir::machine
