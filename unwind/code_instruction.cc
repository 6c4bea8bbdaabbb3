// SPDX-License-Identifier: GPL-2.0-or-later
#include "unwind/code_instruction.h"

#include "unwind/bytes.h"

namespace tapir::unwind {

namespace {

using Flow = CodeInstruction::Flow;
using Map = CodeInstruction::Map;

constexpr size_t kMostLength = 15;
constexpr uint32_t kOfCalls = 1u << kAx | 1u << kDx;  // what many instructions leave results in

uint32_t bit(unsigned reg) {
    return uint32_t{1} << (reg & 15);
}

bool is_in(uint8_t opcode, uint8_t first, uint8_t last) {
    return opcode >= first && opcode <= last;
}

class Decoding {
  public:
    Decoding(std::string_view code, CodeInstruction &out) : in_(code.substr(0, kMostLength)), out_(out) {}

    bool decode(uint64_t address) {
        out_ = {};
        if (!prefixes() || !operands() || !immediates()) return false;
        if (in_.failed()) return false;
        out_.length = static_cast<uint8_t>(in_.at());
        if (relative_) out_.target = address + out_.length + static_cast<uint64_t>(out_.immediate);
        effects();
        return true;
    }

  private:
    bool prefixes() {
        for (;;) {
            const uint8_t byte = in_.u8();
            if (in_.failed()) return false;
            if (is_in(byte, 0x40, 0x4f)) {
                rex_ = byte;
                const uint8_t opcode = in_.u8();
                // One that others follow does not count, and compilers write none.
                return !in_.failed() && !is_prefix(opcode) && !is_in(opcode, 0x40, 0x4f) && opcode_of(opcode);
            }
            if (!is_prefix(byte)) return opcode_of(byte);
            out_.narrow |= byte == 0x66;
            short_address_ |= byte == 0x67;
            out_.repeated |= byte == 0xf3;
            out_.repeated_other |= byte == 0xf2;
            out_.in_segment |= byte == 0x64 || byte == 0x65;
        }
    }
    static bool is_prefix(uint8_t byte) {
        return byte == 0x66 || byte == 0x67 || is_in(byte, 0xf2, 0xf3) || byte == 0xf0 || is_in(byte, 0x64, 0x65) ||
               byte == 0x2e || byte == 0x36 || byte == 0x3e || byte == 0x26;
    }

    bool opcode_of(uint8_t byte) {
        if (byte == 0xc4 || byte == 0xc5 || byte == 0x62) return !rex_ && vector(byte);
        out_.wide = rex_ & 8;
        out_.rex_low = rex_ & 1;
        if (byte == 0x0f) {
            byte = in_.u8();
            out_.map = byte == 0x38 ? Map::Three38 : byte == 0x3a ? Map::Three3a : Map::Two;
            if (out_.map != Map::Two) byte = in_.u8();
        }
        out_.opcode = byte;
        return true;
    }

    // VEX has its bits inverted where REX has them. EVEX has them in the same places, and more.
    bool vector(uint8_t byte) {
        out_.vector = true;
        uint8_t map = 1, last = 0;
        const uint8_t first = in_.u8();
        rex_ = 0x40 | (first & 0x80 ? 0 : 4);
        if (byte == 0xc5) {
            last = first;
        } else {
            rex_ |= static_cast<uint8_t>((first & 0x40 ? 0 : 2) | (first & 0x20 ? 0 : 1));
            map = first & (byte == 0x62 ? 7 : 31);
            last = in_.u8();
            if (last & 0x80) rex_ |= 8;
        }
        other_ = static_cast<uint8_t>(~last >> 3 & 15);
        const unsigned prefix = last & 3;
        out_.narrow |= prefix == 1;
        out_.repeated |= prefix == 2;
        out_.repeated_other |= prefix == 3;
        vector_bytes_ = last & 4 ? 32 : 16;
        if (byte == 0x62) {
            in_.skip(1);
            vector_bytes_ = 64;
            half_floats_ = map == 5 || map == 6;
            if (half_floats_) map = 1;
        }
        if (byte != 0x62 && map > 3) return false;
        if (map < 1 || map > 3) return false;
        out_.wide = rex_ & 8;
        out_.map = static_cast<Map>(map);
        out_.opcode = in_.u8();
        return true;
    }

    bool has_operands() const {
        const uint8_t opcode = out_.opcode;
        if (out_.vector) return !(out_.map == Map::Two && opcode == 0x77);
        if (out_.map != Map::One && out_.map != Map::Two) return true;
        if (out_.map == Map::Two)
            return !(is_in(opcode, 0x04, 0x0b) || opcode == 0x0e || is_in(opcode, 0x30, 0x37) || opcode == 0x77 ||
                     is_in(opcode, 0x80, 0x8f) || is_in(opcode, 0xa0, 0xa2) || is_in(opcode, 0xa8, 0xaa) ||
                     is_in(opcode, 0xc8, 0xcf));
        if (opcode < 0x40) return (opcode & 7) < 4;
        return opcode == 0x63 || opcode == 0x69 || opcode == 0x6b || is_in(opcode, 0x80, 0x8f) ||
               is_in(opcode, 0xc0, 0xc1) || is_in(opcode, 0xc6, 0xc7) || is_in(opcode, 0xd0, 0xd3) ||
               is_in(opcode, 0xd8, 0xdf) || is_in(opcode, 0xf6, 0xf7) || is_in(opcode, 0xfe, 0xff);
    }

    bool operands() {
        if (!is_of_programs()) return false;
        if (!has_operands()) return true;
        out_.has_operands = true;
        const uint8_t byte = in_.u8();
        const unsigned mode = byte >> 6;
        // Only the first opcode of this group still exists; AMD's XOP prefix takes the place of the others.
        if (out_.map == Map::One && out_.opcode == 0x8f && (byte & 0x38)) return false;
        out_.reg = static_cast<uint8_t>((byte >> 3 & 7) | (rex_ & 4 ? 8 : 0));
        out_.rm = static_cast<uint8_t>((byte & 7) | (rex_ & 1 ? 8 : 0));
        out_.memory = mode != 3;
        if (mode == 3) return true;
        bool wide_displacement = mode == 2;
        if ((byte & 7) == 4) {
            const uint8_t parts = in_.u8();
            const auto index = static_cast<uint8_t>((parts >> 3 & 7) | (rex_ & 2 ? 8 : 0));
            if (index != kSp) out_.index = index;
            out_.scale = static_cast<uint8_t>(1u << (parts >> 6));
            if ((parts & 7) == 5 && mode == 0) {
                wide_displacement = true;
            } else {
                out_.base = static_cast<uint8_t>((parts & 7) | (rex_ & 1 ? 8 : 0));
            }
        } else if ((byte & 7) == 5 && mode == 0) {
            out_.after = wide_displacement = true;
        } else {
            out_.base = out_.rm;
        }
        if (wide_displacement) {
            out_.displacement = in_.fixed<int32_t>();
        } else if (mode == 1) {
            out_.displacement = in_.fixed<int8_t>();
        }
        if (short_address_) out_.in_segment = true;  // that is, it is not where the registers say
        return true;
    }

    // Neither invalid nor of other modes.
    bool is_of_programs() const {
        const uint8_t opcode = out_.opcode;
        if (out_.vector) return true;
        if (out_.map == Map::Two)
            return opcode != 0x04 && opcode != 0x0a && opcode != 0x0c && opcode != 0x0f && !is_in(opcode, 0x24, 0x27) &&
                   opcode != 0x36 && opcode != 0x39 && !is_in(opcode, 0x3b, 0x3f) && !is_in(opcode, 0xa6, 0xa7);
        if (out_.map != Map::One) return true;
        if (opcode < 0x40) return (opcode & 7) < 6;
        return !is_in(opcode, 0x60, 0x62) && opcode != 0x82 && opcode != 0x9a && opcode != 0xce &&
               !is_in(opcode, 0xd4, 0xd6) && opcode != 0xea;
    }

    void number(unsigned bytes) {
        out_.immediate = bytes == 1   ? in_.fixed<int8_t>()
                         : bytes == 2 ? in_.fixed<int16_t>()
                         : bytes == 4 ? in_.fixed<int32_t>()
                                      : in_.fixed<int64_t>();
    }
    void place(unsigned bytes, Flow flow) {
        number(bytes);
        relative_ = true;
        out_.flow = flow;
    }

    bool immediates() {
        const uint8_t opcode = out_.opcode;
        if (out_.map == Map::Three3a) {
            number(1);
        } else if (out_.map == Map::Two) {
            if (!out_.vector && is_in(opcode, 0x80, 0x8f)) {
                place(4, Flow::Branch);
            } else if (half_floats_) {
                if (opcode == 0xc2) number(1);
            } else if (is_in(opcode, 0x70, 0x73) || opcode == 0xc2 || is_in(opcode, 0xc4, 0xc6) ||
                       (!out_.vector && (opcode == 0xa4 || opcode == 0xac || opcode == 0xba))) {
                number(1);
            }
        } else if (out_.map == Map::One) {
            return one_byte_immediates();
        }
        return true;
    }

    bool one_byte_immediates() {
        const uint8_t opcode = out_.opcode;
        const unsigned bytes = out_.narrow && !out_.wide ? 2 : 4;
        if (opcode < 0x40) {
            if ((opcode & 7) == 4) number(1);
            if ((opcode & 7) == 5) number(bytes);
        } else if (is_in(opcode, 0x70, 0x7f) || is_in(opcode, 0xe0, 0xe3)) {
            place(1, Flow::Branch);
        } else if (is_in(opcode, 0xb0, 0xb7) || opcode == 0x6a || opcode == 0x6b || opcode == 0x80 || opcode == 0x83 ||
                   opcode == 0xa8 || is_in(opcode, 0xc0, 0xc1) || opcode == 0xc6 || opcode == 0xcd ||
                   is_in(opcode, 0xe4, 0xe7)) {
            number(1);
        } else if (is_in(opcode, 0xb8, 0xbf)) {
            number(out_.wide ? 8 : bytes);
        } else if (opcode == 0x68 || opcode == 0x69 || opcode == 0x81 || opcode == 0xa9) {
            number(bytes);
        } else if (opcode == 0xc7) {
            // With these operands it begins a transaction, which leads elsewhere.
            if (out_.of_registers() && out_.digit()) return false;
            number(bytes);
        } else if (is_in(opcode, 0xa0, 0xa3)) {
            number(short_address_ ? 4 : 8);
        } else if (opcode == 0xc2 || opcode == 0xca) {
            number(2);
        } else if (opcode == 0xc8) {
            in_.skip(3);
        } else if (is_in(opcode, 0xf6, 0xf7) && out_.digit() < 2) {
            number(opcode == 0xf6 ? 1 : bytes);
        } else if (opcode == 0xe8) {
            place(4, Flow::Call);
        } else if (opcode == 0xe9) {
            place(4, Flow::Jump);
        } else if (opcode == 0xeb) {
            place(1, Flow::Jump);
        }
        return !(relative_ && out_.narrow && bytes == 2 && is_in(opcode, 0xe8, 0xe9));
    }

    void effects() {
        if (out_.vector) {
            vector_effects();
        } else if (out_.map == Map::One) {
            one_byte_effects();
        } else if (out_.map == Map::Two) {
            two_byte_effects();
        } else if (out_.map == Map::Three38) {
            if (is_in(out_.opcode, 0xf0, 0xf1)) {  // movbe, crc32
                write_reg();
                if (out_.opcode == 0xf1 && !out_.repeated_other) store(8);
            }
            if (out_.opcode == 0xf6) write_reg();
            if (is_in(out_.opcode, 0xf8, 0xf9)) store(64);
        } else {
            if (is_in(out_.opcode, 0x14, 0x17)) write_rm(8);
            if (out_.opcode == 0x61 || out_.opcode == 0x63) out_.writes |= bit(kCx);
        }
    }

    void store(unsigned bytes) {
        if (out_.memory) out_.stored_bytes = static_cast<uint8_t>(bytes);
    }
    void write_reg() { out_.writes |= bit(out_.reg); }
    void write_rm(unsigned bytes) {
        if (out_.memory) {
            store(bytes);
        } else {
            out_.writes |= bit(out_.rm);
        }
    }
    // Without REX the upper four are the second bytes of the lower four.
    uint32_t byte_register(unsigned reg) const { return bit(!rex_ && reg >= 4 && reg < 8 ? reg - 4 : reg); }
    void write_sized_reg(bool bytes) { out_.writes |= bytes ? byte_register(out_.reg) : bit(out_.reg); }
    void write_sized_rm(bool bytes) {
        if (out_.memory) {
            store(bytes ? 1 : out_.wide ? 8 : out_.narrow ? 2 : 4);
        } else {
            out_.writes |= bytes ? byte_register(out_.rm) : bit(out_.rm);
        }
    }
    unsigned opcode_register() const { return (out_.opcode & 7) | (rex_ & 1 ? 8 : 0); }

    void one_byte_effects() {
        const uint8_t opcode = out_.opcode;
        const bool bytes = !(opcode & 1);
        if (opcode < 0x40) {
            if (opcode >= 0x38) return;  // it compares
            if ((opcode & 7) < 2) write_sized_rm(bytes);
            if ((opcode & 6) == 2) write_sized_reg(bytes);
            if ((opcode & 6) == 4) out_.writes |= bit(kAx);
        } else if (is_in(opcode, 0x58, 0x5f)) {
            out_.writes |= bit(opcode_register());
        } else if (opcode == 0x63 || opcode == 0x69 || opcode == 0x6b || opcode == 0x8d) {
            write_reg();
        } else if (is_in(opcode, 0x80, 0x83)) {
            if (out_.digit() != 7) write_sized_rm(bytes);
        } else if (is_in(opcode, 0x86, 0x87)) {
            write_sized_rm(bytes);
            write_sized_reg(bytes);
        } else if (is_in(opcode, 0x88, 0x89) || opcode == 0xc6 || opcode == 0xc7 || is_in(opcode, 0xc0, 0xc1) ||
                   is_in(opcode, 0xd0, 0xd3)) {
            write_sized_rm(bytes);
        } else if (is_in(opcode, 0x8a, 0x8b)) {
            write_sized_reg(bytes);
        } else if (opcode == 0x8c || opcode == 0x8f) {
            write_rm(8);
        } else if (is_in(opcode, 0x90, 0x97)) {
            if (opcode_register() != kAx) out_.writes |= bit(kAx) | bit(opcode_register());
        } else if (is_in(opcode, 0xb0, 0xb7)) {
            out_.writes |= byte_register(opcode_register());
        } else if (is_in(opcode, 0xb8, 0xbf)) {
            out_.writes |= bit(opcode_register());
        } else {
            rare_effects();
        }
    }

    void rare_effects() {
        const uint8_t opcode = out_.opcode;
        const bool bytes = !(opcode & 1);
        if (opcode == 0x98 || opcode == 0x99 || opcode == 0x9f || is_in(opcode, 0xa0, 0xa1) || opcode == 0xd7 ||
            is_in(opcode, 0xe4, 0xe5) || is_in(opcode, 0xec, 0xed) || opcode == 0xcd) {
            out_.writes |= kOfCalls;
        } else if (is_in(opcode, 0x6c, 0x6f) || is_in(opcode, 0xa4, 0xa7) || is_in(opcode, 0xaa, 0xaf)) {
            out_.writes |= bit(kAx) | bit(kCx) | bit(kSi) | bit(kDi);
        } else if (is_in(opcode, 0xe0, 0xe2)) {
            out_.writes |= bit(kCx);
        } else if (is_in(opcode, 0xc2, 0xc3) || is_in(opcode, 0xca, 0xcb) || opcode == 0xcf) {
            // All but the usual one mean something else than that the function is left.
            out_.flow = opcode == 0xc3 || opcode == 0xc2 ? Flow::Return : Flow::Stop;
        } else if (opcode == 0xcc || opcode == 0xf4 || opcode == 0xf1) {
            out_.flow = Flow::Stop;
        } else if (is_in(opcode, 0xf6, 0xf7)) {
            if (out_.digit() >= 4) out_.writes |= kOfCalls;
            if (is_in(out_.digit(), 2, 3)) write_sized_rm(bytes);
        } else if (is_in(opcode, 0xfe, 0xff)) {
            if (out_.digit() < 2) write_sized_rm(bytes);
            if (opcode == 0xfe) return;
            if (is_in(out_.digit(), 2, 3)) out_.flow = Flow::IndirectCall;
            if (is_in(out_.digit(), 4, 5)) out_.flow = Flow::IndirectJump;
        } else if (opcode == 0xc8 || opcode == 0xc9) {
            out_.writes |= bit(kBp);
        } else if (is_in(opcode, 0xd8, 0xdf)) {
            if (opcode == 0xdf && out_.of_registers()) out_.writes |= bit(kAx);
            store(floating_bytes());
        }
    }

    // Bytes that an x87 instruction stores; 0 if it only computes.
    unsigned floating_bytes() const {
        const unsigned digit = out_.digit();
        if (!(out_.opcode & 1) || (digit == 1 && out_.opcode == 0xd9)) return 0;
        if (digit >= 1 && digit <= 3) return out_.opcode == 0xdd ? 8 : out_.opcode == 0xdf ? 2 : 4;
        if (digit < 6) return 0;
        if (out_.opcode == 0xdb || out_.opcode == 0xdf) return 10;
        return digit == 7 ? 2 : out_.opcode == 0xdd ? 108 : 28;
    }

    void two_byte_effects() {
        const uint8_t opcode = out_.opcode;
        if (opcode == 0x05) {
            out_.writes |= bit(kAx) | bit(kCx) | bit(kR11);
        } else if (opcode == 0x07 || opcode == 0x35 || opcode == 0x0b || opcode == 0xb9 || opcode == 0xff ||
                   opcode == 0xaa) {
            out_.flow = Flow::Stop;
        } else if (is_in(opcode, 0x30, 0x34) || opcode == 0xa2) {
            out_.writes |= kOfCalls | bit(kCx) | bit(kBx);
        } else if (is_in(opcode, 0x40, 0x4f) || is_in(opcode, 0xb6, 0xb8) || is_in(opcode, 0xbc, 0xbf) ||
                   opcode == 0xaf || is_in(opcode, 0x02, 0x03)) {
            write_reg();
        } else if (is_in(opcode, 0x90, 0x9f)) {
            write_sized_rm(true);
        } else if (is_in(opcode, 0xa4, 0xa5) || is_in(opcode, 0xac, 0xad) || opcode == 0xab || opcode == 0xb3 ||
                   opcode == 0xbb || (opcode == 0xba && out_.digit() > 4)) {
            write_sized_rm(false);
        } else if (is_in(opcode, 0xb0, 0xb1)) {
            write_sized_rm(!(opcode & 1));
            out_.writes |= bit(kAx);
        } else if (is_in(opcode, 0xc0, 0xc1)) {
            write_sized_rm(!(opcode & 1));
            write_sized_reg(!(opcode & 1));
        } else if (is_in(opcode, 0xc8, 0xcf)) {
            out_.writes |= bit(opcode_register());
        } else if (opcode == 0xc7) {
            // Pairs of words, or the state of units.
            write_rm(is_in(out_.digit(), 3, 5) ? 255 : 16);
            out_.writes |= kOfCalls;
        } else if (opcode == 0x01) {
            // Most are for the kernel; some leave their result in these.
            out_.writes |= kOfCalls | bit(kCx);
            if (out_.digit() == 4) write_rm(2);
            if (out_.of_registers() && out_.rm == 0 && out_.digit() == 3) out_.flow = Flow::Stop;
        } else if (opcode == 0x00 || is_in(opcode, 0x20, 0x21) || opcode == 0x78) {
            write_rm(8);
        } else if (opcode == 0x1e) {
            if (out_.repeated && out_.of_registers() && out_.digit() == 1) write_rm(8);
        } else if (opcode == 0xae) {
            if (out_.of_registers() && out_.repeated) write_rm(8);
            // The control word, or all of the unit's state.
            if (out_.digit() == 3) store(4);
            if (out_.digit() == 0 || out_.digit() == 4 || out_.digit() == 6) store(255);
        } else {
            simd_effects(16);
        }
    }

    // The same in all codings.
    void simd_effects(unsigned bytes) {
        const uint8_t opcode = out_.opcode;
        if (opcode == 0x2c || opcode == 0x2d) {
            if (out_.vector || out_.repeated || out_.repeated_other) write_reg();
        } else if (opcode == 0x50 || opcode == 0xd7 || opcode == 0xc5) {
            write_reg();
        } else if (opcode == 0x7e) {
            if (!out_.repeated) write_rm(out_.wide ? 8 : 4);
        } else if (opcode == 0x11) {
            store(out_.repeated ? 4 : out_.repeated_other ? 8 : bytes);
        } else if (opcode == 0x13 || opcode == 0x17 || opcode == 0xd6 || opcode == 0xc3) {
            store(8);
        } else if (opcode == 0x29 || opcode == 0x2b || opcode == 0x7f || opcode == 0xe7) {
            store(bytes);
        }
    }

    void vector_effects() {
        const uint8_t opcode = out_.opcode;
        if (out_.map == Map::Two) {
            simd_effects(vector_bytes_);
            if (is_in(opcode, 0x92, 0x93) || (vector_bytes_ == 64 && is_in(opcode, 0x78, 0x79))) write_reg();
            if (opcode == 0x91) store(8);
            if (opcode == 0xae) store(4);
        } else if (out_.map == Map::Three38) {
            if (is_in(opcode, 0xf2, 0xf7)) out_.writes |= bit(out_.reg) | bit(other_);
            // Stores under a mask, and of narrowed or compressed values.
            if (is_in(opcode, 0x2e, 0x2f) || opcode == 0x8e || opcode == 0x63 || is_in(opcode, 0x8a, 0x8b) ||
                is_in(opcode, 0x10, 0x15) || is_in(opcode, 0x20, 0x25) || is_in(opcode, 0x30, 0x35))
                store(vector_bytes_);
        } else {
            if (is_in(opcode, 0x14, 0x17)) write_rm(8);
            if (opcode == 0x61 || opcode == 0x63) out_.writes |= bit(kCx);
            if (opcode == 0xf0) write_reg();
            if (opcode == 0x19 || opcode == 0x39 || opcode == 0x1b || opcode == 0x3b || opcode == 0x1d)
                store(vector_bytes_);
        }
    }

    Bytes in_;
    CodeInstruction &out_;
    uint8_t rex_ = 0, other_ = 0;
    bool short_address_ = false, relative_ = false, half_floats_ = false;
    unsigned vector_bytes_ = 16;
};

}  // namespace

bool decode_instruction(std::string_view code, uint64_t address, CodeInstruction &out) {
    return Decoding(code, out).decode(address);
}

}  // namespace tapir::unwind
