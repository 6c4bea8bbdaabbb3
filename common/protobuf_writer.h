// SPDX-License-Identifier: GPL-2.0-or-later
// Messages of protocol buffers, as the wire has them: https://protobuf.dev/programming-guides/encoding/
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

namespace tapir {

// One message: fields in the order in which they are added.
class ProtobufMessage {
  public:
    // A number in as few bytes as it needs. 0 is the default, and left out.
    void number(unsigned field, uint64_t value) {
        if (!value) return;
        varint(field << 3);
        varint(value);
    }
    // A number in 8 bytes; 0, too.
    void fixed(unsigned field, uint64_t value) {
        varint(field << 3 | 1);
        eight_bytes(value);
    }
    void floating(unsigned field, double value) { fixed(field, std::bit_cast<uint64_t>(value)); }
    // Bytes, text, or what is packed.
    void bytes(unsigned field, std::string_view value) {
        varint(field << 3 | 2);
        varint(value.size());
        out_ += value;
    }
    void message(unsigned field, const ProtobufMessage &value) { bytes(field, value.out_); }

    // Without a field, for what is packed.
    void varint(uint64_t value) {
        for (; value >= 128; value >>= 7)
            out_ += static_cast<char>(value | 128);
        out_ += static_cast<char>(value);
    }
    void eight_bytes(uint64_t value) {
        for (unsigned i = 0; i < 8; i++)
            out_ += static_cast<char>(value >> (8 * i));
    }

    const std::string &text() const { return out_; }

  private:
    std::string out_;
};

}  // namespace tapir
