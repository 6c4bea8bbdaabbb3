// SPDX-License-Identifier: GPL-2.0-or-later
#include "unwind/context_code.h"

#include <iterator>

namespace tapir::unwind {

namespace {

using namespace std::string_view_literals;

constexpr uint8_t kContextPointer = 7;  // DWARF number of the stack pointer

// struct ucontext of x86-64 begins with two words and a stack_t; then the registers.
// arch/x86/include/uapi/asm/sigcontext.h
constexpr int32_t kContext = 40;
// Indexed by DWARF number: ax dx cx bx si di bp sp 8 to 15 ip, their word in the context.
constexpr int32_t kContextWords[] = {13, 12, 14, 11, 9, 8, 10, 15, 0, 1, 2, 3, 4, 5, 6, 7, 16};

// mov %rbx, %rsp; mov (%rsp), %rdi; test %rdi, %rdi; je BEHIND
constexpr auto kTakeNext = "\x48\x89\xdc\x48\x8b\x3c\x24\x48\x85\xff\x74"sv;
constexpr auto kPopNext = "\x48\x89\xdc\x5f\x48\x85\xff\x74"sv;  // the same with pop %rdi, before 2.19
// call setcontext; mov %rax, %rdi; BEHIND: call exit; hlt
constexpr size_t kContextRest = 15;
constexpr char kCallByte = '\xe8', kHaltByte = '\xf4';

bool is_start(std::string_view code, std::string_view head) {
    return code.size() == head.size() + kContextRest && code.starts_with(head) && code[head.size() + 1] == kCallByte &&
           code[code.size() - 6] == kCallByte && code.back() == kHaltByte;
}

}  // namespace

uint32_t add_signal_return(RuleSet &rules) {
    RowState state;
    state.cfa = {TAPIR_CFA_MEMORY, kContextPointer, kContext + 8 * kContextWords[kContextPointer], 0};
    for (uint8_t reg = 0; reg < std::size(kContextWords); reg++)
        if (reg != kContextPointer)
            state.assign(reg, {RegisterRule::kMemory, kContextPointer, kContext + 8 * kContextWords[reg]});
    return rules.add(state, true);
}

std::vector<size_t> signal_returns(std::string_view code) {
    std::vector<size_t> out;
    for (size_t at = 0; (at = code.find(kCallSignalReturn, at)) != std::string_view::npos; at++)
        out.push_back(at);
    return out;
}

bool is_context_size(uint64_t bytes) {
    return bytes == kCallSignalReturn.size() || bytes == kTakeNext.size() + kContextRest ||
           bytes == kPopNext.size() + kContextRest;
}

bool is_signal_return(std::string_view function) {
    return function == kCallSignalReturn;
}

bool is_context_start(std::string_view function) {
    return is_start(function, kTakeNext) || is_start(function, kPopNext);
}

}  // namespace tapir::unwind
