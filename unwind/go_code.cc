// SPDX-License-Identifier: GPL-2.0-or-later
#include "unwind/go_code.h"

#include <elf.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "unwind/bytes.h"
#include "unwind/context_code.h"

namespace tapir::unwind {

namespace {

using namespace std::string_view_literals;

// Functions that the runtime marks as TOPFRAME, and the entry. They have no caller, even if the stack seems to show
// one.
constexpr std::string_view kOutermost[] = {"runtime.goexit", "runtime.mstart", "runtime.rt0_go"};
constexpr std::string_view kEntries = "_rt0_";
// They call a given function, or the growing of stacks, or C, on the thread's own stack (g0).
constexpr std::string_view kSwitching[] = {"runtime.systemstack", "runtime.mcall", "runtime.morestack",
                                           "runtime.asmcgocall"};
// Handlers of signals make it look as if the interrupted code had called these, at any instruction.
constexpr std::string_view kInjected[] = {"runtime.asyncPreempt", "runtime.sigpanic"};
// They call the vDSO on the thread's own stack, or C on an aligned one; the register that keeps the stack pointer is
// preserved.
constexpr std::string_view kKeeping[] = {"runtime.nanotime1", "runtime.walltime", "time.now"};
constexpr std::string_view kAligning[] = {"runtime.callCgoMmap", "runtime.callCgoMunmap", "runtime.callCgoSigaction"};
constexpr std::string_view kSignalReturn = "runtime.sigreturn";  // sigreturn__sigaction since Go 1.21

// A callback from C seems to be called by this function's first byte, which runs nothing: the goroutine's stack
// continues there.
constexpr std::string_view kStandIn = "runtime.systemstack_switch";

// C that is linked in without its unwind information, by Go's own linker: called by runtime.asmcgocall or by the start
// of a thread only, which are outermost themselves.
constexpr std::string_view kWrapper = "_cgo_", kWrappers[] = {"_Cfunc_", "_C2func_"};  // _cgo_HASH_Cfunc_NAME
constexpr std::string_view kSupport = "x_cgo_", kThread = "threadentry";

constexpr auto kKeep = "\x49\x89\xe4"sv;                          // mov %rsp, %r12
constexpr auto kKeepAligning = "\x48\x89\xe3\x48\x83\xe4\xf0"sv;  // mov %rsp, %rbx; and $-16, %rsp
constexpr char kPadding = '\xcc';
constexpr size_t kMoveBytes = 3;
constexpr uint8_t kKeptIn = 12, kKeptAligning = 3;

// "runtime.mcall", and "runtime.mcall.abi0", the one for assembly.
bool is_called(std::string_view name, std::string_view wanted) {
    if (!name.starts_with(wanted)) return false;
    name.remove_prefix(wanted.size());
    return name.empty() || name == ".abi0";
}

template <size_t N>
bool is_one_of(std::string_view name, const std::string_view (&list)[N]) {
    return std::any_of(std::begin(list), std::end(list),
                       [name](std::string_view wanted) { return is_called(name, wanted); });
}

bool is_called_as_c(std::string_view name) {
    if (name.starts_with(kSupport) || name == kThread) return true;
    return name.starts_with(kWrapper) &&
           std::any_of(std::begin(kWrappers), std::end(kWrappers),
                       [name](std::string_view part) { return name.find(part) != std::string_view::npos; });
}

// Returns the offset after the first instruction from `at` on that sets the stack pointer: mov %REGISTER, %rsp, or mov
// OFFSET(%REGISTER), %rsp. The code's size if no instruction does.
size_t after_stack_pointer_set(std::string_view code, size_t at) {
    for (; at + kMoveBytes <= code.size(); at++) {
        const auto prefix = static_cast<uint8_t>(code[at]), opcode = static_cast<uint8_t>(code[at + 1]),
                   operands = static_cast<uint8_t>(code[at + 2]);
        if ((prefix == 0x48 || prefix == 0x4c) && opcode == 0x89 && (operands & 0xc7) == 0xc4) return at + kMoveBytes;
        if ((prefix == 0x48 || prefix == 0x49) && opcode == 0x8b && (operands & 0x38) == 0x20) {
            const unsigned mode = operands >> 6;
            const size_t offset = mode == 1 ? 1 : mode == 2 ? 4 : 0;
            if (mode < 3) return std::min(code.size(), at + kMoveBytes + ((operands & 7) == 4) + offset);
        }
    }
    return code.size();
}

class Corrections {
  public:
    Corrections(const ElfFile &file, RuleSet &rules, Rows &rows) : file_(file), rules_(rules), rows_(rows) {}

    void function(std::string_view name, uint64_t start, uint64_t bytes) {
        const std::optional<uint64_t> place = file_.place_of(start);
        const std::string_view code = file_.content_at(start).substr(0, bytes);
        if (!place || code.size() != bytes || *place + bytes > std::numeric_limits<uint32_t>::max()) return;
        const auto from = static_cast<uint32_t>(*place), to = static_cast<uint32_t>(from + bytes);
        if (is_one_of(name, kOutermost) || name.starts_with(kEntries)) {
            change(from, to, [this](uint32_t) { return outermost(); });
        } else if (is_called_as_c(name)) {
            const uint32_t nothing = rules_.add_nothing(TAPIR_UNWIND_NO_ROW);
            change(from, to, [this, nothing](uint32_t rule) { return rule == nothing ? outermost() : rule; });
        } else if (is_one_of(name, kSwitching)) {
            change(from, to, [this](uint32_t rule) { return rules_.with_flag(rule, TAPIR_RULE_SWITCHES); });
            if (tapir_unwind_call_pushes(file_.machine())) switched(code, from, to);
        } else if (is_one_of(name, kInjected)) {
            change(from, to, [this](uint32_t rule) { return rules_.with_flag(rule, TAPIR_RULE_SIGNAL); });
        } else if (is_called(name, kStandIn) && from) {
            // A return address is looked up one byte earlier.
            const uint32_t rule = in_force(from);
            change(from - 1, from, [rule](uint32_t) { return rule; });
        } else if (!tapir_unwind_call_pushes(file_.machine())) {
            return;  // the rest looks for instructions of x86-64
        } else if (is_one_of(name, kKeeping)) {
            keeping(code, from, to, kKeep, kKeptIn);
        } else if (is_one_of(name, kAligning)) {
            keeping(code, from, to, kKeepAligning, kKeptAligning);
        } else if (name.starts_with(kSignalReturn) && code.starts_with(kCallSignalReturn)) {
            // A handler returns to the first byte, and is looked up one byte earlier.
            const std::string_view before = file_.content_at(start - 1).substr(0, 1);
            const bool padded = !before.empty() && before[0] == kPadding;
            change(from - (padded ? 1 : 0), to, [this](uint32_t) { return add_signal_return(rules_); });
        }
    }

  private:
    // The stack pointer stays in a register that the vDSO preserves.
    void keeping(std::string_view code, uint32_t from, uint32_t to, std::string_view keep, uint8_t kept_in) {
        const size_t at = code.find(keep);
        if (at == std::string_view::npos) return;
        const uint32_t start = from + static_cast<uint32_t>(at + kMoveBytes);
        const uint32_t there = in_force(start);
        // The rule of the place where it was kept: later pushes are on the other stack.
        change(start, to, [this, there, kept_in](uint32_t) { return rules_.with_base(there, kept_in); });
    }

    // Words above the stack pointer were left by others between two instructions: the one that takes the thread's own
    // stack, and the one that takes the goroutine's again.
    void switched(std::string_view code, uint32_t from, uint32_t to) {
        const size_t first = after_stack_pointer_set(code, 0);
        if (first == code.size()) return;
        const size_t end = after_stack_pointer_set(code, first);
        change(from + static_cast<uint32_t>(first), std::min(to, from + static_cast<uint32_t>(end)),
               [this](uint32_t) { return outermost(); });
    }

    uint32_t outermost() {
        RowState state;
        state.assign(rules_.return_register(), {RegisterRule::kUndefined, 0, 0});
        return rules_.add(state, false);
    }

    // The rule of a place.
    uint32_t in_force(uint32_t place) {
        const auto next = std::upper_bound(rows_.places.begin(), rows_.places.end(), place);
        return next == rows_.places.begin() ? rules_.add_nothing(TAPIR_UNWIND_NO_ROW)
                                            : rows_.rules[static_cast<size_t>(next - rows_.places.begin() - 1)];
    }

    // The number of the row that begins at a place, which is made.
    size_t row_at(uint32_t place) {
        const auto at = std::lower_bound(rows_.places.begin(), rows_.places.end(), place);
        const std::ptrdiff_t number = at - rows_.places.begin();
        if (at == rows_.places.end() || *at != place) {
            const uint32_t rule = in_force(place);
            rows_.places.insert(at, place);
            rows_.rules.insert(rows_.rules.begin() + number, rule);
        }
        return static_cast<size_t>(number);
    }

    template <typename F>
    void change(uint32_t from, uint32_t to, F &&rule_for) {
        const size_t first = row_at(from), end = row_at(to);
        for (size_t row = first; row < end; row++)
            rows_.rules[row] = rule_for(rows_.rules[row]);
    }

    const ElfFile &file_;
    RuleSet &rules_;
    Rows &rows_;
};

}  // namespace

void correct_go_rows(const ElfFile &file, const std::vector<GoFunction> &functions, RuleSet &rules, Rows &rows) {
    if (!go_function_table(file) || rows.places.empty()) return;
    Corrections corrections(file, rules, rows);
    const auto take = [&corrections](std::string_view name, uint64_t start, uint64_t bytes) {
        if (name.starts_with("runtime.") || name.starts_with("time.now") || name.starts_with(kEntries) ||
            is_called_as_c(name))
            corrections.function(name, start, bytes);
    };
    const Section *section = file.section(".symtab");
    if (!section || section->link >= file.sections().size()) {
        for (const GoFunction &function : functions)
            take(function.name, function.start, function.bytes);
        return;
    }
    const std::string_view names = file.content(file.sections()[section->link]);
    Bytes in(file.content(*section));
    while (in.size() - in.at() >= sizeof(Elf64_Sym)) {
        const Elf64_Sym symbol = in.fixed<Elf64_Sym>();
        if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_shndx == SHN_UNDEF || !symbol.st_size) continue;
        Bytes text(names);
        text.seek(symbol.st_name);
        take(text.string(), symbol.st_value, symbol.st_size);
    }
}

}  // namespace tapir::unwind
