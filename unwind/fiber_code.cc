// SPDX-License-Identifier: GPL-2.0-or-later
#include "unwind/fiber_code.h"

#include <algorithm>

namespace tapir::unwind {

namespace {

using namespace std::string_view_literals;

constexpr auto kTarget = "\xf3\x0f\x1e\xfa"sv;  // endbr64
constexpr auto kJump = "\xff\xe3"sv;            // jmp *%rbx, to the fiber's function
constexpr auto kExit = "\x48\x31\xff\xe8"sv;    // xor %rdi, %rdi; call _exit
constexpr size_t kCall = 4;                     // bytes of the call's operand
constexpr auto kHalt = "\xf4"sv;                // hlt

// The code in front of the jump pushes the return address: itself, or with a call where shadow stacks are in use.
constexpr std::string_view kPushes[] = {
    "\x55"sv,                          // push %rbp
    "\xe8\x02\x00\x00\x00\xff\xe5"sv,  // call BEHIND; jmp *%rbp; BEHIND:
};

bool take_back(std::string_view code, size_t &at, std::string_view what) {
    if (!code.substr(0, at).ends_with(what)) return false;
    at -= what.size();
    return true;
}

}  // namespace

std::vector<FiberCode> fiber_code(std::string_view code) {
    std::vector<FiberCode> out;
    for (size_t at = 0; (at = code.find(kExit, at)) != std::string_view::npos; at++) {
        const size_t halt = at + kExit.size() + kCall;
        if (!code.substr(std::min(halt, code.size())).starts_with(kHalt)) continue;
        size_t start = at;
        take_back(code, start, kTarget);
        if (!take_back(code, start, kJump)) continue;
        for (const std::string_view push : kPushes)
            if (take_back(code, start, push)) {
                out.push_back({start, halt + kHalt.size()});
                break;
            }
    }
    return out;
}

}  // namespace tapir::unwind
