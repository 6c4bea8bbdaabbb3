// SPDX-License-Identifier: GPL-2.0-or-later
#include "ir/reckon.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <iterator>

#include "ast/walk.h"
#include "base/source.h"

namespace tapir::ir {

namespace {

// A string of the usual greatest length, copied and compared; a key is found, too.
constexpr int64_t kCopy = 1600, kCompare = 2400, kKey = 1200;
constexpr int64_t kLookup = 150, kRead = 120, kFunction = 60, kLoop = 4000, kUnknown = 500;
constexpr int64_t kRegex = 60;

int64_t text_work(size_t bytes, int64_t most) {
    return std::min<int64_t>(20 + static_cast<int64_t>(bytes) * 4, most);
}

// Returns the work for a string that is copied or compared. A constant's length is known.
int64_t text_work(const ast::Expr &e, int64_t most) {
    if (e.kind == ast::ExprKind::String) return text_work(static_cast<const ast::String &>(e).value.size(), most);
    return e.type == ast::Type::String ? most : 0;
}

int64_t keys_work(const std::vector<ast::ExprPtr> &keys) {
    int64_t work = kLookup;
    for (const ast::ExprPtr &key : keys)
        if (key) work += text_work(*key, kKey) + 5;
    return work;
}

bool divides(ast::BinaryOp op) {
    return op == ast::BinaryOp::Div || op == ast::BinaryOp::Mod;
}

int64_t print_work(const ast::Print &e) {
    int64_t work = e.to_string ? 200 : 100;
    for (const ast::ExprPtr &arg : e.args)
        if (arg) work += arg->type == ast::Type::String ? text_work(*arg, kCopy) : 80;
    for (const ast::FormatPiece &piece : e.pieces)
        if (piece.width || piece.width_from_arg || piece.precision || piece.precision_from_arg) work += 100;
    return work;
}

}  // namespace

int64_t own_work(const ast::Expr &e) {
    switch (e.kind) {
        case ast::ExprKind::Number:
        case ast::ExprKind::String:
        case ast::ExprKind::Const:
        case ast::ExprKind::Enum:
        case ast::ExprKind::Defined:
        case ast::ExprKind::ProbeWrite:
            return 0;
        case ast::ExprKind::VarRef:
        case ast::ExprKind::HitArgument:
        case ast::ExprKind::Entry:
        case ast::ExprKind::Unary:
        case ast::ExprKind::Logical:
        case ast::ExprKind::Ternary:
        case ast::ExprKind::SymbolAddress:
            return 3;
        case ast::ExprKind::Binary:
            return divides(static_cast<const ast::Binary &>(e).op) ? 40 : 3;
        case ast::ExprKind::Compare: {
            auto &compare = static_cast<const ast::Compare &>(e);
            if (compare.left->type != ast::Type::String) return 5;
            return std::min(text_work(*compare.left, kCompare), text_work(*compare.right, kCompare));
        }
        case ast::ExprKind::Concat: {
            auto &concat = static_cast<const ast::Concat &>(e);
            return 2 * text_work(*concat.left, kCopy) + text_work(*concat.right, kCopy);
        }
        case ast::ExprKind::Regex:
            return kRegex;
        case ast::ExprKind::IncDec:
            return 20;
        case ast::ExprKind::Assign: {
            auto &assign = static_cast<const ast::Assign &>(e);
            const int64_t sample = assign.op == ast::AssignOp::Sample ? 100 : 0;
            return 20 + sample + text_work(*assign.value, kCopy);
        }
        case ast::ExprKind::Index: {
            auto &index = static_cast<const ast::Index &>(e);
            return keys_work(index.keys) + (e.type == ast::Type::String ? kCopy : 0);
        }
        case ast::ExprKind::In:
            return keys_work(static_cast<const ast::In &>(e).keys);
        case ast::ExprKind::Call: {
            int64_t work = 0;
            for (const ast::Function *f : static_cast<const ast::Call &>(e).candidates)
                work += f->embedded_c ? embedded_work(*f) : kFunction;
            return work;
        }
        case ast::ExprKind::Print:
            return print_work(static_cast<const ast::Print &>(e));
        case ast::ExprKind::StatOp:
            return 100;
        case ast::ExprKind::Hist:
            return 300;
        case ast::ExprKind::EmbeddedC:
        case ast::ExprKind::Perf:
            return kUnknown;
        case ast::ExprKind::Register:
            return 20;
        case ast::ExprKind::Target:
        case ast::ExprKind::Cast:
        case ast::ExprKind::AtVar:
        case ast::ExprKind::Deref:
            return kRead;
        case ast::ExprKind::ProgramAddress:
            return kUnknown;
    }
    return kUnknown;
}

int64_t work_of(const ast::Expr &e) {
    int64_t work = 0;
    ast::each_expr(e, [&](const ast::Expr &part) { work += own_work(part); });
    return work;
}

int64_t work_of(const ast::Stmt &s) {
    const bool loop = s.kind == ast::StmtKind::For || s.kind == ast::StmtKind::While;
    const ast::Expr *init = s.kind == ast::StmtKind::For ? static_cast<const ast::For &>(s).init.get() : nullptr;
    int64_t work = s.kind == ast::StmtKind::EmbeddedC ? kUnknown : s.kind == ast::StmtKind::Delete ? kLookup : 0;
    ast::each_child(
        s,
        [&](const ast::Expr &e) {
            if (!loop || &e == init) work += work_of(e);
        },
        [](const ast::Stmt &) {});
    return work;
}

bool makes_long_text(const ast::Expr &e) {
    switch (e.kind) {
        case ast::ExprKind::Compare:
            return static_cast<const ast::Compare &>(e).left->type == ast::Type::String;
        case ast::ExprKind::Index:
        case ast::ExprKind::In:
        case ast::ExprKind::Concat:
        case ast::ExprKind::Print:
            return true;
        case ast::ExprKind::Call: {
            const auto &call = static_cast<const ast::Call &>(e);
            return e.type == ast::Type::String ||
                   std::any_of(call.args.begin(), call.args.end(),
                               [](const ast::ExprPtr &a) { return a && a->type == ast::Type::String; });
        }
        default:
            return e.kind != ast::ExprKind::String && e.kind != ast::ExprKind::VarRef && e.type == ast::Type::String;
    }
}

bool handles_text(const ast::Stmt &s) {
    bool handles = false;
    ast::each_child(
        s,
        [&](const ast::Expr &e) {
            ast::each_expr(
                e, [&](const ast::Expr &part) { handles |= part.type == ast::Type::String || makes_long_text(part); });
        },
        [](const ast::Stmt &) {});
    return handles;
}

// ---------------------------------------------------------------- embedded C

namespace {

struct Known {
    std::string_view name;
    int64_t work;
};

// Longest time of a call with strings of the usual length, without the work that it adds itself as it loops. Sorted.
constexpr Known kKnown[] = {
    {"deref", kRead},
    {"deref_string", 700},
    {"kderef", kRead},
    {"kderef_buffer", 700},
    {"kderef_string", 700},
    {"kread", kRead},
    {"kwrite", kRead},
    {"store_deref", kRead},
    {"store_deref_string", 700},
    {"store_kderef", kRead},
    {"store_kderef_string", 700},
    {"store_uderef", kRead},
    {"store_uderef_string", 700},
    {"tapir_abort", 100},
    {"tapir_address_interpreter", 500},
    {"tapir_addresses_print", 100},
    {"tapir_addresses_text", 100},
    {"tapir_bytes_escape", 400},
    {"tapir_count_cut", 20},
    {"tapir_errno_name", 30},
    {"tapir_error", 100},
    {"tapir_error_fault", 1000},
    {"tapir_exit", 100},
    {"tapir_fp_add", 300},
    {"tapir_fp_div", 600},
    {"tapir_fp_eq", 50},
    {"tapir_fp_from_long", 100},
    {"tapir_fp_from_single", 100},
    {"tapir_fp_from_string", 15000},
    {"tapir_fp_le", 50},
    {"tapir_fp_lt", 50},
    {"tapir_fp_mul", 300},
    {"tapir_fp_rem", 15000},
    {"tapir_fp_sqrt", 2000},
    {"tapir_fp_sub", 300},
    {"tapir_fp_to_long", 100},
    {"tapir_fp_to_string", 1000},
    {"tapir_guest_add", 1500},
    {"tapir_guest_begin", 20},
    {"tapir_guest_end", 6000},
    {"tapir_guest_file", 1500},
    {"tapir_guest_fold", 1500},
    {"tapir_guest_frame", 4000},
    {"tapir_guest_half", kRead},
    {"tapir_guest_room", 10},
    {"tapir_guest_word", kRead},
    {"tapir_interpreter_find", 500},
    {"tapir_interpreter_lacks", 800},
    {"tapir_interpreter_loop", 500},
    {"tapir_interpreter_name", 20},
    {"tapir_interpreter_unknown", 500},
    {"tapir_interpreter_unknown_version", 800},
    {"tapir_iso8601", 4000},
    {"tapir_last_match", 10},
    {"tapir_node_path_text", 500},
    {"tapir_note_sample_time", 200},
    {"tapir_note_sample_value", 50},
    {"tapir_output_flush", 5000},
    {"tapir_packet_address", 2000},
    {"tapir_packet_data", 500},
    {"tapir_packet_device", 600},
    {"tapir_packet_field", 600},
    {"tapir_packet_mac", 1000},
    {"tapir_packet_mac_length", 300},
    {"tapir_packet_number", 600},
    {"tapir_packet_set_verdict", 100},
    {"tapir_path_text", 500},
    {"tapir_port_addr", 50},
    {"tapir_port_allocation_flags", 3000},
    {"tapir_port_argument", 100},
    {"tapir_port_count_cut", 20},
    {"tapir_port_cpu", 10},
    {"tapir_port_cpu_clock_ns", 150},
    {"tapir_port_cpu_counts", 60000},
    {"tapir_port_crash", 50},
    {"tapir_port_cycles", 50},
    {"tapir_port_dump_stack", 1000000},
    {"tapir_port_egid", 50},
    {"tapir_port_emit", 2000},
    {"tapir_port_euid", 50},
    {"tapir_port_execname", 60},
    {"tapir_port_frame", 10},
    {"tapir_port_gettimeofday_ns", 150},
    {"tapir_port_gid", 50},
    {"tapir_port_hz", 10},
    {"tapir_port_interrupted_by", 20},
    {"tapir_port_is_return", 20},
    {"tapir_port_jiffies", 20},
    {"tapir_port_kernel_log", 200000},
    {"tapir_port_kind", 20},
    {"tapir_port_ktime_ns", 150},
    {"tapir_port_load_average", 20},
    {"tapir_port_loader_pid", 20},
    {"tapir_port_loader_uid", 20},
    {"tapir_port_local_clock_ns", 150},
    {"tapir_port_memory_node", 100},
    {"tapir_port_memory_pages", 30},
    {"tapir_port_module_name", 100},
    {"tapir_port_module_size", 30},
    {"tapir_port_namespaces_pid", 200},
    {"tapir_port_numa_node", 10},
    {"tapir_port_page", 30},
    {"tapir_port_page_size", 10},
    {"tapir_port_panic", 100},
    {"tapir_port_perf_counter", 2000},
    {"tapir_port_pexecname", 150},
    {"tapir_port_pgrp", 60},
    {"tapir_port_pid", 20},
    {"tapir_port_pp", 500},
    {"tapir_port_ppid", 60},
    {"tapir_port_probefunc", 500},
    {"tapir_port_raise", 2000},
    {"tapir_port_random", 100},
    {"tapir_port_read_kernel", kRead},
    {"tapir_port_read_user", kRead},
    {"tapir_port_read_user_string", 700},
    {"tapir_port_register", 30},
    {"tapir_port_registers", 4000},
    {"tapir_port_remote_id", 20},
    {"tapir_port_remote_uri", 500},
    {"tapir_port_return_value", 50},
    {"tapir_port_set_argument", 100},
    {"tapir_port_set_return_value", 50},
    {"tapir_port_sid", 60},
    {"tapir_port_stack_left", 20},
    {"tapir_port_stack_size", 10},
    {"tapir_port_syscall_argument", 100},
    {"tapir_port_syscall_number", 100},
    {"tapir_port_target", 10},
    {"tapir_port_task_counter", 500},
    {"tapir_port_task_current", 10},
    {"tapir_port_task_of_pid", 500},
    {"tapir_port_tid", 20},
    {"tapir_port_timezone_name", 50},
    {"tapir_port_timezone_offset", 20},
    {"tapir_port_trace_log", 3000},
    {"tapir_port_uid", 50},
    {"tapir_port_user_address", 50},
    {"tapir_port_user_bits", 20},
    {"tapir_port_user_memory", 1000},
    {"tapir_port_user_mode", 20},
    {"tapir_port_write_kernel", 300},
    {"tapir_port_write_user", 300},
    {"tapir_read_kernel_text", 900},
    {"tapir_read_user_text", 900},
    {"tapir_read_wide_text", 200},
    {"tapir_read_wide_units", 200},
    {"tapir_regex_group", 500},
    {"tapir_signal_name", 30},
    {"tapir_sockaddr_part", 5000},
    {"tapir_stack_addresses", 100},
    {"tapir_stack_frame", 100},
    {"tapir_stack_interpreter", 5000},
    {"tapir_stack_print", 100},
    {"tapir_stack_text", 100},
    {"tapir_str_compare", kCompare},
    {"tapir_str_copy", kCopy},
    {"tapir_str_escape", 400},
    {"tapir_str_find", 300},
    {"tapir_str_replace", 500},
    {"tapir_str_span", 200},
    {"tapir_str_take", 1200},
    {"tapir_str_to_long", 500},
    {"tapir_strftime", 6000},
    {"tapir_strlen", 1000},
    {"tapir_symbol_data", 500},
    {"tapir_symbol_module", 500},
    {"tapir_symbol_name", 500},
    {"tapir_syscall_here_argstr", 3000},
    {"tapir_syscall_here_number", 200},
    {"tapir_syscall_here_retstr", 2000},
    {"tapir_syscall_here_text", 2000},
    {"tapir_syscall_here_unquoted", 2000},
    {"tapir_syscall_name", 100},
    {"tapir_syscall_name_of", 200},
    {"tapir_syscall_number_of", 10000},
    {"tapir_task_stack_addresses", 2000},
    {"tapir_task_wait_kind", 1500},
    {"tapir_task_wait_site", 1500},
    {"tapir_trigger_fires", 500},
    {"tapir_trigger_held", 200},
    {"tapir_trigger_suppressed", 100},
    {"tapir_uaddresses_print", 100},
    {"tapir_uaddresses_text", 100},
    {"tapir_ustack_addresses", 100},
    {"tapir_ustack_frame", 100},
    {"tapir_ustack_print", 100},
    {"tapir_ustack_print_brief", 100},
    {"tapir_ustack_print_from", 100},
    {"tapir_ustack_print_lines", 100},
    {"tapir_ustack_print_lines_from", 100},
    {"tapir_ustack_text", 100},
    {"tapir_usymbol_build_id", 500},
    {"tapir_usymbol_data", 500},
    {"tapir_usymbol_file", 500},
    {"tapir_usymbol_file_line", 500},
    {"tapir_usymbol_line", 500},
    {"tapir_usymbol_module", 500},
    {"tapir_usymbol_name", 500},
    {"tapir_usymbol_object_address", 100},
    {"tapir_value_append", 600},
    {"tapir_value_get", 600},
    {"tapir_value_peek", 100},
    {"tapir_value_set", 600},
    {"tapir_wait_kind", 500},
    {"tapir_wait_site", 500},
    {"tapir_warn", 2000},
    {"tapir_wide_character", 50},
    {"tapir_work", 5},
    {"tapir_work_text", 20},
    {"uderef", kRead},
    {"uderef_buffer", 700},
    {"uderef_string", 700},
    {"uread", kRead},
    {"uwrite", kRead},
};

bool is_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

// The words of a text that a parenthesis follows.
template <class Each>
void each_call(std::string_view code, Each each) {
    for (size_t at = 0; at < code.size();) {
        if (!is_word(code[at])) {
            at++;
            continue;
        }
        size_t end = at;
        while (end < code.size() && is_word(code[end]))
            end++;
        size_t next = end;
        while (next < code.size() && code[next] == ' ')
            next++;
        if (next < code.size() && code[next] == '(') each(code.substr(at, end - at));
        at = end;
    }
}

}  // namespace

int64_t runtime_work(std::string_view name) {
    const Known *found = std::lower_bound(std::begin(kKnown), std::end(kKnown), name,
                                          [](const Known &k, std::string_view n) { return k.name < n; });
    return found != std::end(kKnown) && found->name == name ? found->work : -1;
}

std::vector<std::string> called_words(std::string_view code) {
    std::vector<std::string> words;
    each_call(code, [&](std::string_view word) { words.emplace_back(word); });
    return words;
}

std::vector<std::string> runtime_calls(std::string_view code) {
    std::vector<std::string> calls;
    each_call(code, [&](std::string_view word) {
        if (word.starts_with("tapir_")) calls.emplace_back(word);
    });
    return calls;
}

int64_t embedded_work(const ast::Function &f) {
    constexpr std::string_view kPragma = "pragma:work:";
    for (const std::string &pragma : f.pragmas.other)
        if (pragma.starts_with(kPragma)) return std::strtoll(pragma.c_str() + kPragma.size(), nullptr, 10);
    const Origin origin = f.at.file ? f.at.file->origin() : Origin::UserScript;
    int64_t work = origin == Origin::UserScript || origin == Origin::CommandLine ? kUnknown : 30;
    each_call(*f.embedded_c, [&](std::string_view word) {
        const int64_t known = runtime_work(word);
        if (known >= 0)
            work += known;
        else if (word == "for" || word == "while")
            work += kLoop;
        else if (word.starts_with("tapir_"))
            work += kUnknown;
    });
    return work;
}

}  // namespace tapir::ir
