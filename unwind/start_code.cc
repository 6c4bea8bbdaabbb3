// SPDX-License-Identifier: GPL-2.0-or-later
#include "unwind/start_code.h"

#include <tapir/unwind.h>

#include <algorithm>
#include <cstring>
#include <string_view>

namespace tapir::unwind {

namespace {

using namespace std::string_view_literals;

constexpr auto kLanding = "\xf3\x0f\x1e\xfa"sv;                       // endbr64
constexpr auto kTake = "\x48\x83\xec\x08"sv;                          // sub $8, %rsp
constexpr auto kGiveAndReturn = "\x48\x83\xc4\x08\xc3"sv;             // add $8, %rsp; ret
constexpr auto kLoadTable = "\x48\x8d\x3d"sv;                         // lea TABLE(%rip), %rdi
constexpr auto kPopAndReturn = "\x5d\xc3"sv;                          // pop %rbp; ret
constexpr uint64_t kBeforeDeregister = 0x70, kBeforeRegister = 0x40;  // before the function that runs destructors
constexpr size_t kMostBytes = 96;                                     // of that function

// .init and .fini: one call at most, with an aligned stack.
void take_section(const ElfFile &file, std::string_view name, std::vector<StartCode> &out) {
    const Section *section = file.section(name);
    if (!section) return;
    const std::string_view code = file.content(*section);
    const size_t head = (code.starts_with(kLanding) ? kLanding.size() : 0) + kTake.size();
    if (head > code.size() || code.substr(head - kTake.size(), kTake.size()) != kTake ||
        !code.ends_with(kGiveAndReturn))
        return;
    const uint64_t start = section->address, last = start + code.size() - 1;
    if (last < start + head) return;
    out.push_back({start, start + head, 1, false});
    out.push_back({start + head, last, 2, false});
    out.push_back({last, last + 1, 1, false});
}

// The function that runs destructors is the first of .fini_array. It looks whether it has run, and saves the frame
// pointer.
void take_destructors(const ElfFile &file, std::vector<StartCode> &out) {
    const Section *array = file.section(".fini_array");
    if (!array) return;
    const std::string_view pointers = file.content(*array);
    uint64_t start = 0;
    if (pointers.size() < sizeof start) return;
    memcpy(&start, pointers.data(), sizeof start);
    const std::string_view code = file.content_at(start, kMostBytes);
    // cmpb $0, DONE(%rip); jne THERE; push %rbp
    const size_t head = code.starts_with(kLanding) ? kLanding.size() : 0, push = head + 9;
    if (code.size() <= push || code.substr(head, 2) != "\x80\x3d"sv || code[head + 6] != 0 || code[head + 7] != 0x75 ||
        code[push] != 0x55)
        return;
    const size_t pop = code.find(kPopAndReturn, push), done = push + static_cast<unsigned char>(code[push - 1]);
    if (pop == std::string_view::npos || done >= code.size() || static_cast<unsigned char>(code[done]) != 0xc3) return;
    out.push_back({start, start + push + 1, 1, false});
    out.push_back({start + push + 1, start + pop + 1, 2, true});
    out.push_back({start + pop + 1, start + std::max(done, pop + 1) + 1, 1, false});
    // Before it are the two functions that register tables. They call no other function.
    if (start > kBeforeDeregister && file.content_at(start - kBeforeDeregister, kLoadTable.size()) == kLoadTable &&
        file.content_at(start - kBeforeRegister, kLoadTable.size()) == kLoadTable)
        out.push_back({start - kBeforeDeregister, start, 1, false});
}

}  // namespace

std::vector<StartCode> start_code(const ElfFile &file) {
    std::vector<StartCode> out;
    // On other machines this code saves nothing, or has unwind information.
    if (!tapir_unwind_call_pushes(file.machine())) return out;
    take_section(file, ".init", out);
    take_section(file, ".fini", out);
    take_destructors(file, out);
    return out;
}

}  // namespace tapir::unwind
