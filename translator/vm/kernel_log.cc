// SPDX-License-Identifier: GPL-2.0-or-later
#include "vm/kernel_log.h"

#include <cstdio>
#include <cstdlib>

namespace tapir::vm {

bool is_trouble(std::string_view line) {
    static constexpr std::string_view signs[] = {
        "BUG: ",
        "WARNING: ",
        "Oops: ",
        "Kernel panic",
        "kernel BUG at ",
        "general protection fault",
        "Internal error: ",
        "rcu_sched self-detected",
        "rcu_preempt self-detected",
        "rcu_sched detected",
        "rcu_preempt detected",
        "rcu_tasks detected",
        "detected stalls on",
        "soft lockup",
        "hard LOCKUP",
        "blocked for more than",
        "scheduling while atomic",
        "sleeping function called from invalid context",
        "possible circular locking",
        "possible recursive locking",
        "inconsistent lock state",
        "suspicious RCU usage",
        "INFO: task ",
        "unable to handle",
        "refcount_t: ",
        "list_add corruption",
        "list_del corruption",
        "stack-protector:",
        "UBSAN: ",
        "KASAN: ",
        "ODEBUG: ",
        "new suspected memory leaks",
        // Checks of the kernel that have given up: what follows would go unseen.
        "Kernel memory leak detector disabled",
        "turning off the locking correctness validator",
        "trying to register non-static key",
        "trapping a kernel exception",
    };
    for (std::string_view sign : signs)
        if (line.find(sign) != std::string_view::npos) return true;
    // SLUB's reports name a cache: "BUG kmalloc-64 (Tainted: G O): Redzone overwritten".
    return line.starts_with("BUG ") && line.find("ainted") != std::string_view::npos;
}

void KernelLog::add(std::string_view record) {
    size_t semicolon = record.find(';');
    if (semicolon == std::string_view::npos) return;
    std::string header(record.substr(0, semicolon));
    unsigned priority = 0;
    unsigned long long sequence = 0, microseconds = 0;
    if (sscanf(header.c_str(), "%u,%llu,%llu", &priority, &sequence, &microseconds) != 3) return;
    if (priority >= 8) return;  // written by user space
    std::string_view line = record.substr(semicolon + 1);
    line = line.substr(0, line.find('\n'));  // lines below are key=value pairs
    char stamp[40];
    snprintf(stamp, sizeof stamp, "[%5llu.%06llu] ", microseconds / 1000000, microseconds % 1000000);
    text_.append(stamp).append(line).append("\n");
    if (trouble_.empty() && is_trouble(line)) trouble_ = line;
}

}  // namespace tapir::vm
