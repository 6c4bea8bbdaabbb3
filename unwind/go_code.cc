// SPDX-License-Identifier: GPL-2.0-or-later
#include "unwind/go_code.h"

#include <elf.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "unwind/bytes.h"

namespace tapir::unwind {

namespace {

using namespace std::string_view_literals;

// What the runtime marks as TOPFRAME, and the entry: nobody called them, whatever is on the stack.
constexpr std::string_view kOutermost[] = {"runtime.goexit", "runtime.mstart", "runtime.rt0_go"};
constexpr std::string_view kEntries = "_rt0_";
// They call what they were given, or the growing of stacks, or C, on the thread's own stack (g0).
constexpr std::string_view kSwitching[] = {"runtime.systemstack", "runtime.mcall", "runtime.morestack",
                                           "runtime.asmcgocall"};
// Handlers of signals make it look as if the interrupted code had called these, at any instruction.
constexpr std::string_view kInjected[] = {"runtime.asyncPreempt", "runtime.sigpanic"};
// They call the vDSO on the thread's own stack.
constexpr std::string_view kKeeping[] = {"runtime.nanotime1", "runtime.walltime", "time.now"};
constexpr std::string_view kSignalReturn = "runtime.sigreturn";  // sigreturn__sigaction since Go 1.21

constexpr auto kKeep = "\x49\x89\xe4"sv;                                // mov %rsp, %r12
constexpr auto kCallReturn = "\x48\xc7\xc0\x0f\x00\x00\x00\x0f\x05"sv;  // mov $15, %rax; syscall
constexpr char kPadding = '\xcc';
constexpr uint8_t kKeptIn = 12;

// struct ucontext of x86-64 begins with two words and a stack_t; then the registers.
// arch/x86/include/uapi/asm/sigcontext.h
constexpr int32_t kContext = 40;
// By DWARF number: ax dx cx bx si di bp sp 8 to 15 ip, their word in the context.
constexpr int32_t kContextWords[] = {13, 12, 14, 11, 9, 8, 10, 15, 0, 1, 2, 3, 4, 5, 6, 7, 16};
constexpr uint8_t kStackPointer = 7;

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
        } else if (is_one_of(name, kSwitching)) {
            change(from, to, [this](uint32_t rule) { return rules_.with_flag(rule, TAPIR_RULE_SWITCHES); });
        } else if (is_one_of(name, kInjected)) {
            change(from, to, [this](uint32_t rule) { return rules_.with_flag(rule, TAPIR_RULE_SIGNAL); });
        } else if (!tapir_unwind_call_pushes(file_.machine())) {
            return;  // the rest is told by its instructions
        } else if (is_one_of(name, kKeeping)) {
            keeping(code, from, to);
        } else if (name.starts_with(kSignalReturn) && code.starts_with(kCallReturn)) {
            // A handler returns to the first byte, and is looked up one byte earlier.
            const std::string_view before = file_.content_at(start - 1).substr(0, 1);
            const bool padded = !before.empty() && before[0] == kPadding;
            change(from - (padded ? 1 : 0), to, [this](uint32_t) { return signal_return(); });
        }
    }

  private:
    // The stack pointer stays in a register that the vDSO preserves.
    void keeping(std::string_view code, uint32_t from, uint32_t to) {
        const size_t at = code.find(kKeep);
        if (at == std::string_view::npos) return;
        const uint32_t start = from + static_cast<uint32_t>(at + kKeep.size());
        const uint32_t there = in_force(start);
        // The rule of the place where it was kept: what is pushed later is on the other stack.
        change(start, to, [this, there](uint32_t) { return rules_.with_base(there, kKeptIn); });
    }

    uint32_t outermost() {
        RowState state;
        state.assign(rules_.return_register(), {RegisterRule::kUndefined, 0, 0});
        return rules_.add(state, false);
    }

    uint32_t signal_return() {
        RowState state;
        state.cfa = {TAPIR_CFA_MEMORY, kStackPointer, kContext + 8 * kContextWords[kStackPointer], 0};
        for (uint8_t reg = 0; reg < std::size(kContextWords); reg++)
            if (reg != kStackPointer)
                state.assign(reg, {RegisterRule::kMemory, kStackPointer, kContext + 8 * kContextWords[reg]});
        return rules_.add(state, true);
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

void correct_go_rows(const ElfFile &file, RuleSet &rules, Rows &rows) {
    if (!file.section(".gopclntab") && !file.section(".data.rel.ro.gopclntab")) return;
    const Section *section = file.section(".symtab");
    if (!section || section->link >= file.sections().size() || rows.places.empty()) return;
    Corrections corrections(file, rules, rows);
    const std::string_view names = file.content(file.sections()[section->link]);
    Bytes in(file.content(*section));
    while (in.size() - in.at() >= sizeof(Elf64_Sym)) {
        const Elf64_Sym symbol = in.fixed<Elf64_Sym>();
        if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_shndx == SHN_UNDEF || !symbol.st_size) continue;
        Bytes text(names);
        text.seek(symbol.st_name);
        const std::string_view name = text.string();
        if (name.starts_with("runtime.") || name.starts_with("time.now") || name.starts_with(kEntries))
            corrections.function(name, symbol.st_value, symbol.st_size);
    }
}

}  // namespace tapir::unwind
