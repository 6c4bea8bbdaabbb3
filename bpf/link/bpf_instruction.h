// SPDX-License-Identifier: GPL-2.0-or-later
// BPF instructions and what the kernel takes of them: RFC 9669, and linux/bpf.h, whose newer parts stand here, since
// the headers of a build machine may be older than the kernel that a program is for.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tapir::bpf {

struct Instruction {
    uint8_t code = 0;
    uint8_t registers = 0;  // the destination in the low half, the source in the high half
    int16_t offset = 0;
    int32_t immediate = 0;

    unsigned destination() const { return registers & 15; }
    unsigned source() const { return registers >> 4; }
    unsigned kind() const { return code & 7; }
    bool is_jump() const;  // to a place in the same function
};
static_assert(sizeof(Instruction) == 8);

using Code = std::vector<Instruction>;

enum Kind : uint8_t {
    kLoadWide = 0x00,
    kLoad = 0x01,
    kStoreImmediate = 0x02,
    kStore = 0x03,
    kAlu32 = 0x04,
    kJump = 0x05,
    kJump32 = 0x06,
    kAlu64 = 0x07
};

constexpr uint8_t kLoadWord = 0x18;  // 64 bits in two instructions
constexpr uint8_t kCall = 0x85, kExit = 0x95, kGoto = 0x05, kGotoFar = 0x06, kMayGoto = 0xe5;
constexpr uint8_t kSetImmediate = 0xb7, kSetImmediate32 = 0xb4, kSetRegister = 0xbf;
constexpr uint8_t kLoad64 = 0x79, kStore64 = 0x7b, kAtomic64 = 0xdb;
constexpr unsigned kStackRegister = 10;
constexpr unsigned kCallsFunction = 1;  // source of a call: a function of the program, by its distance
constexpr unsigned kIsMap = 1;          // source of kLoadWord: a map's descriptor
// A mov with this offset and immediate makes a number an address of the arena (addr_space_cast).
constexpr int16_t kCastOffset = 1;
constexpr int32_t kCastToArena = 1;

Instruction make(uint8_t code, unsigned destination, unsigned source = 0, int offset = 0, int32_t immediate = 0);

}  // namespace tapir::bpf
