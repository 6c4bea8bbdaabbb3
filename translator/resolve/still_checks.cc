// SPDX-License-Identifier: GPL-2.0-or-later
#include "resolve/still_checks.h"

#include <cctype>
#include <map>
#include <set>

#include "ast/walk.h"
#include "base/help.h"

namespace tapir::resolve {

namespace {

using ast::ExprKind;

// Functions that read memory by its address, such as deref(), read the kernel's memory here.
constexpr std::string_view kDump[] = {"tapir_port_read_kernel",
                                      "tapir_port_read_kernel_string",
                                      "tapir_read_kernel_text",
                                      "kread",
                                      "kderef",
                                      "deref",
                                      "kderef_buffer",
                                      "kderef_string",
                                      "deref_string"};

constexpr std::string_view kKernel[] = {
    // its memory, tasks and logs
    "tapir_port_write_kernel", "kwrite", "store_kderef", "store_deref", "store_uderef", "store_kderef_string",
    "store_deref_string", "store_uderef_string", "uwrite", "tapir_port_task_current", "tapir_port_task_of_pid",
    "tapir_port_cpu_counts", "tapir_port_memory_node", "tapir_port_allocation_flags", "tapir_port_kernel_log",
    "tapir_port_trace_log", "tapir_port_pexecname", "tapir_port_stack_size", "tapir_port_stack_left", "tapir_port_cpu",
    "tapir_port_numa_node", "tapir_path", "tapir_path_text", "tapir_node_path_text", "tapir_port_module_name",
    "tapir_port_module_size",
    // its stack and symbols
    "tapir_port_kernel_stack", "tapir_port_symbol", "tapir_port_return_symbol", "tapir_port_behind_call",
    "tapir_stack_of_kernel", "tapir_stack_addresses", "tapir_stack_text", "tapir_stack_print", "tapir_stack_frame",
    "tapir_symbol_name", "tapir_symbol_module", "tapir_symbol_data",
    // the hit
    "tapir_port_argument", "tapir_port_set_argument", "tapir_port_return_value", "tapir_port_set_return_value",
    "tapir_port_set_hit_register", "tapir_port_syscall_number", "tapir_port_syscall_argument",
    "tapir_port_perf_counter", "tapir_port_task_counter", "tapir_syscall_here_number", "tapir_syscall_here_text",
    "tapir_syscall_here_argstr", "tapir_syscall_here_retstr", "tapir_syscall_here_unquoted", "tapir_packet_field",
    "tapir_packet_number", "tapir_packet_mac", "tapir_packet_mac_length", "tapir_packet_device", "tapir_packet_data",
    "tapir_packet_address", "tapir_packet_set_verdict", "tapir_value_get", "tapir_value_peek", "tapir_value_set",
    "tapir_value_append",
    // changes
    "tapir_port_write_user", "tapir_port_raise", "tapir_port_panic", "tapir_port_dump_stack"};

constexpr std::string_view kMachine[] = {
    "tapir_port_gettimeofday_ns", "tapir_port_ktime_ns",      "tapir_port_cpu_clock_ns", "tapir_port_local_clock_ns",
    "tapir_port_cycles",          "tapir_port_jiffies",       "tapir_port_hz",           "tapir_port_random",
    "tapir_port_timezone_offset", "tapir_port_timezone_name", "tapir_port_loader_pid",   "tapir_port_loader_uid",
    "tapir_port_namespaces_pid",  "tapir_port_remote_id",     "tapir_port_remote_uri",   "tapir_port_load_average",
    "tapir_port_page_size",       "tapir_port_room",          "tapir_port_ncpus",        "tapir_port_processors",
    "tapir_port_own_pid"};

constexpr std::string_view kRemains[] = {"tapir_port_read_user",    "tapir_port_read_user_string",
                                         "tapir_port_pid",          "tapir_port_tid",
                                         "tapir_port_ppid",         "tapir_port_pgrp",
                                         "tapir_port_sid",          "tapir_port_uid",
                                         "tapir_port_euid",         "tapir_port_gid",
                                         "tapir_port_egid",         "tapir_port_execname",
                                         "tapir_port_target",       "tapir_port_crash",
                                         "tapir_port_frame",        "tapir_port_user_memory",
                                         "tapir_port_probefunc",    "tapir_port_user_mode",
                                         "tapir_port_addr",         "tapir_port_user_address",
                                         "tapir_port_registers",    "tapir_port_register",
                                         "tapir_port_hit_register", "tapir_port_user_register",
                                         "tapir_port_program_bias", "tapir_port_user_bits"};

constexpr std::string_view kScript[] = {
    "tapir_port_pp",          "tapir_port_kind",           "tapir_port_is_return",
    "tapir_port_alloc",       "tapir_port_free",           "tapir_port_grow",
    "tapir_port_grow_now",    "tapir_port_tend",           "tapir_port_tending_begin",
    "tapir_port_tending_end", "tapir_port_irq_save",       "tapir_port_irq_restore",
    "tapir_port_lock",        "tapir_port_lock_patiently", "tapir_port_trylock",
    "tapir_port_unlock",      "tapir_port_lock_contended", "tapir_port_nested",
    "tapir_port_emit",        "tapir_port_request_exit",   "tapir_port_pause",
    "tapir_port_work_ns",     "tapir_port_work_is_own",    "tapir_port_condition_changed",
    "tapir_port_count_skip",  "tapir_port_count_cut",      "tapir_port_count_error",
    "tapir_port_limit",       "tapir_port_stack_low"};

bool is_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

// Finds out, function by function, what needs the kernel.
class StillNeeds {
  public:
    explicit StillNeeds(target::StillKind kind) : kind_(kind) {}

    // The reason why a body cannot run: its place and text. Covers only calls of this body.
    struct Reason {
        SourceRef at;
        std::string text;
    };

    std::vector<Reason> of(const ast::Stmt &body) {
        std::vector<Reason> reasons;
        std::set<const ast::Expr *> changed;
        ast::each_expr(body, [&](const ast::Expr &e) {
            if (e.kind == ExprKind::Assign) {
                const ast::Expr *target = static_cast<const ast::Assign &>(e).target.get();
                if (target && target->kind == ExprKind::Deref) {
                    changed.insert(target);
                    reasons.push_back(
                        {e.at, kind_ == target::StillKind::Kernel ? "the memory of a kernel can only be read"
                               : kind_ == target::StillKind::Process
                                   ? "a snapshot only reads the process; without --snapshot, stap -g changes it"
                                   : "the memory of a dead process cannot be changed"});
                }
            }
            const bool reads = e.kind == ExprKind::Deref && !changed.contains(&e);
            if (reads && static_cast<const ast::Deref &>(e).user == (kind_ == target::StillKind::Kernel))
                reasons.push_back({e.at, "this reads the memory of " + asked() + ", and " + none() + " of it"});
            if (e.kind != ExprKind::Call) return;
            for (const ast::Function *function : static_cast<const ast::Call &>(e).candidates)
                if (needs(*function)) {
                    reasons.push_back({e.at, function->name + "() asks " + asked() + ", and " + none()});
                    return;
                }
        });
        return reasons;
    }

  private:
    std::string asked() const {
        return kind_ == target::StillKind::Kernel ? "a process or the running kernel" : "the running kernel";
    }
    std::string none() const {
        return kind_ == target::StillKind::Kernel    ? "the memory of a kernel has none"
               : kind_ == target::StillKind::Process ? "a snapshot has none"
                                                     : "a core has none";
    }
    bool needs(const ast::Function &function) {
        const auto [known, fresh] = known_.try_emplace(&function, false);
        if (!fresh) return known->second;
        const bool result = function.embedded_c ? !refused_call_in(*function.embedded_c, kind_).empty()
                                                : function.body && !of(*function.body).empty();
        return known_[&function] = result;
    }

    target::StillKind kind_;
    std::map<const ast::Function *, bool> known_;  // false, too, of one that is being looked at
};

}  // namespace

std::span<const std::string_view> dump_calls() {
    return kDump;
}

std::span<const std::string_view> script_calls() {
    return kScript;
}

std::span<const std::string_view> kernel_calls() {
    return kKernel;
}

std::span<const std::string_view> machine_calls() {
    return kMachine;
}

std::span<const std::string_view> remains_calls() {
    return kRemains;
}

std::string_view refused_call_in(std::string_view c_text, target::StillKind kind) {
    std::set<std::string_view> known(std::begin(kKernel), std::end(kKernel));
    if (kind == target::StillKind::Kernel)
        known.insert(std::begin(kRemains), std::end(kRemains));
    else
        known.insert(std::begin(kDump), std::end(kDump));
    for (size_t at = 0; at < c_text.size();) {
        size_t end = at;
        while (end < c_text.size() && is_word(c_text[end]))
            ++end;
        if (const auto found = known.find(c_text.substr(at, end - at)); found != known.end()) return *found;
        at = end + 1;
    }
    return {};
}

std::string_view nothing_runs(target::StillKind kind) {
    if (kind == target::StillKind::Kernel) return "nothing runs in the memory of a kernel";
    return kind == target::StillKind::Process ? "nothing of the process runs while a snapshot is looked at"
                                              : "nothing runs in a core";
}

bool report_only_unhit(const Program &program, target::StillKind kind, Diagnostics &diagnostics) {
    if (diagnostics.has_errors()) return false;
    // There, begin is what looks.
    if (kind == target::StillKind::Kernel && !program.handlers.empty()) return false;
    for (const auto &handler : program.handlers)
        for (const probes::Attach &attach : handler->attaches)
            if (attach.kind != probes::Kind::Begin) return false;
    diagnostics.report(Tag::NothingHit,
                       "nothing of the script looks at the process: " + std::string(nothing_runs(kind)) +
                           (kind == target::StillKind::Kernel ? "; begin looks at it as it stands"
                                                              : "; process.snapshot looks at it as it stands"));
    return true;
}

void check_still(const Program &program, target::StillKind kind, Diagnostics &diagnostics) {
    StillNeeds needs(kind);
    for (const auto &handler : program.handlers)
        for (const StillNeeds::Reason &reason : needs.of(*handler->body))
            add_help(diagnostics.report(Tag::NotInRemains, reason.at, reason.text),
                     "for scripts that run on both: %( runtime == \"process\" %? ... %: ... %)");
}

}  // namespace tapir::resolve
