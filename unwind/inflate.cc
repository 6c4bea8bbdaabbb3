// SPDX-License-Identifier: GPL-2.0-or-later
#include "unwind/inflate.h"

#include <array>
#include <cstdint>

namespace tapir::unwind {

namespace {

constexpr unsigned kMaxLength = 15;  // bits of a code

// A canonical Huffman code (RFC 1951, 3.2.2): symbols by the lengths of their codes, then by themselves.
class Code {
  public:
    // False: more codes than there can be.
    bool set(const uint8_t *lengths, unsigned count) {
        counts_ = {};
        for (unsigned i = 0; i < count; i++)
            counts_[lengths[i]]++;
        counts_[0] = 0;
        std::array<uint16_t, kMaxLength + 2> next = {};
        int left = 1;
        for (unsigned length = 1; length <= kMaxLength; length++) {
            left = left * 2 - counts_[length];
            if (left < 0) return false;
            next[length + 1] = static_cast<uint16_t>(next[length] + counts_[length]);
        }
        for (unsigned i = 0; i < count; i++)
            if (lengths[i]) symbols_[next[lengths[i]]++] = static_cast<uint16_t>(i);
        return true;
    }

    // `bit` gives the next one. -1: no such code.
    template <typename Bit>
    int read(Bit bit) const {
        int code = 0, first = 0, index = 0;
        for (unsigned length = 1; length <= kMaxLength; length++) {
            code |= bit();
            const int count = counts_[length];
            if (code - first < count) return symbols_[static_cast<size_t>(index + code - first)];
            index += count;
            first = (first + count) * 2;
            code *= 2;
        }
        return -1;
    }

  private:
    std::array<uint16_t, kMaxLength + 1> counts_ = {};
    std::array<uint16_t, 288> symbols_ = {};
};

struct Range {
    uint16_t base;
    uint8_t bits;
};

// RFC 1951, 3.2.5
constexpr Range kLengths[] = {{3, 0},   {4, 0},   {5, 0},   {6, 0},   {7, 0},  {8, 0},  {9, 0},  {10, 0},
                              {11, 1},  {13, 1},  {15, 1},  {17, 1},  {19, 2}, {23, 2}, {27, 2}, {31, 2},
                              {35, 3},  {43, 3},  {51, 3},  {59, 3},  {67, 4}, {83, 4}, {99, 4}, {115, 4},
                              {131, 5}, {163, 5}, {195, 5}, {227, 5}, {258, 0}};
constexpr Range kDistances[] = {{1, 0},     {2, 0},     {3, 0},     {4, 0},      {5, 1},      {7, 1},
                                {9, 2},     {13, 2},    {17, 3},    {25, 3},     {33, 4},     {49, 4},
                                {65, 5},    {97, 5},    {129, 6},   {193, 6},    {257, 7},    {385, 7},
                                {513, 8},   {769, 8},   {1025, 9},  {1537, 9},   {2049, 10},  {3073, 10},
                                {4097, 11}, {6145, 11}, {8193, 12}, {12289, 12}, {16385, 13}, {24577, 13}};

class Inflater {
  public:
    Inflater(std::string_view data, size_t bytes) : data_(data), bytes_(bytes) {}

    bool run() {
        for (bool last = false; !last;) {
            last = bits(1);
            const unsigned kind = bits(2);
            const bool good = kind == 0 ? stored() : kind == 1 ? fixed() : kind == 2 ? dynamic() : false;
            if (!good || failed_) return false;
        }
        return out.size() == bytes_;
    }

    std::string out;

  private:
    unsigned bit() {
        if (!left_) {
            if (at_ >= data_.size()) {
                failed_ = true;
                return 0;
            }
            byte_ = static_cast<uint8_t>(data_[at_++]);
            left_ = 8;
        }
        const unsigned value = byte_ & 1;
        byte_ >>= 1;
        left_--;
        return value;
    }
    unsigned bits(unsigned count) {
        unsigned value = 0;
        for (unsigned i = 0; i < count; i++)
            value |= bit() << i;
        return value;
    }
    int symbol(const Code &code) {
        const int found = code.read([this] { return static_cast<int>(bit()); });
        return failed_ ? -1 : found;
    }

    bool stored() {
        left_ = 0;
        if (data_.size() - at_ < 4) return false;
        const auto half = [this](size_t at) {
            return static_cast<unsigned>(static_cast<uint8_t>(data_[at]) | static_cast<uint8_t>(data_[at + 1]) << 8);
        };
        const unsigned length = half(at_), complement = half(at_ + 2);
        at_ += 4;
        if (length != (~complement & 0xffff) || data_.size() - at_ < length || bytes_ - out.size() < length)
            return false;
        out.append(data_.substr(at_, length));
        at_ += length;
        return true;
    }
    bool fixed() {
        std::array<uint8_t, 288> lengths = {};
        for (unsigned i = 0; i < lengths.size(); i++)
            lengths[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
        std::array<uint8_t, 30> distances = {};
        distances.fill(5);
        literals_.set(lengths.data(), lengths.size());
        distances_.set(distances.data(), distances.size());
        return content();
    }
    bool dynamic() {
        static constexpr uint8_t kOrder[] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
        const unsigned literals = bits(5) + 257, distances = bits(5) + 1, lengths_of_lengths = bits(4) + 4;
        std::array<uint8_t, 286 + 32> lengths = {};
        if (literals > 286) return false;
        std::array<uint8_t, 19> first = {};
        for (unsigned i = 0; i < lengths_of_lengths; i++)
            first[kOrder[i]] = static_cast<uint8_t>(bits(3));
        Code code;
        if (!code.set(first.data(), first.size())) return false;
        for (unsigned i = 0; i < literals + distances;) {
            const int found = symbol(code);
            if (found < 0) return false;
            if (found < 16) {
                lengths[i++] = static_cast<uint8_t>(found);
                continue;
            }
            if (found == 16 && !i) return false;
            const uint8_t value = found == 16 ? lengths[i - 1] : 0;
            unsigned times = found == 16 ? 3 + bits(2) : found == 17 ? 3 + bits(3) : 11 + bits(7);
            if (times > literals + distances - i) return false;
            while (times--)
                lengths[i++] = value;
        }
        return literals_.set(lengths.data(), literals) && distances_.set(lengths.data() + literals, distances) &&
               content();
    }
    bool content() {
        for (;;) {
            const int found = symbol(literals_);
            if (found < 0) return false;
            if (found == 256) return true;
            if (found < 256) {
                if (out.size() == bytes_) return false;
                out += static_cast<char>(found);
            } else if (!copy(static_cast<size_t>(found - 257))) {
                return false;
            }
        }
    }
    bool copy(size_t which) {
        if (which >= std::size(kLengths)) return false;
        size_t length = kLengths[which].base + bits(kLengths[which].bits);
        const int found = symbol(distances_);
        if (found < 0 || static_cast<size_t>(found) >= std::size(kDistances)) return false;
        const Range &range = kDistances[found];
        const size_t distance = range.base + bits(range.bits);
        if (distance > out.size() || length > bytes_ - out.size()) return false;
        while (length--)
            out += out[out.size() - distance];
        return true;
    }

    std::string_view data_;
    size_t bytes_, at_ = 0;
    unsigned byte_ = 0, left_ = 0;  // bits of the byte that is being read
    bool failed_ = false;
    Code literals_, distances_;
};

}  // namespace

std::string inflate_zlib(std::string_view data, size_t bytes) {
    constexpr size_t kHeader = 2, kMostRatio = 1032;  // deflate's
    constexpr size_t kMostBytes = 256u << 20;
    if (data.size() < kHeader || bytes > kMostBytes || bytes / kMostRatio > data.size()) return {};
    const unsigned method = static_cast<uint8_t>(data[0]), flags = static_cast<uint8_t>(data[1]);
    if ((method & 15) != 8 || (method * 256 + flags) % 31 || (flags & 32)) return {};
    Inflater inflater(data.substr(kHeader), bytes);
    inflater.out.reserve(bytes);
    return inflater.run() ? std::move(inflater.out) : std::string();
}

}  // namespace tapir::unwind
