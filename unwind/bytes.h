// SPDX-License-Identifier: GPL-2.0-or-later
// Reading little-endian data that may be damaged: reads beyond the end give zero and are remembered.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace tapir::unwind {

class Bytes {
  public:
    Bytes() = default;
    explicit Bytes(std::string_view data) : data_(data) {}

    size_t at() const { return at_; }
    size_t size() const { return data_.size(); }
    bool done() const { return at_ >= data_.size(); }
    bool failed() const { return failed_; }
    void fail() {
        failed_ = true;
        at_ = data_.size();
    }
    void seek(uint64_t at) {
        if (at > data_.size()) {
            fail();
        } else {
            at_ = static_cast<size_t>(at);
        }
    }
    void skip(uint64_t count) {
        if (count > data_.size() - at_) {
            fail();
        } else {
            at_ += static_cast<size_t>(count);
        }
    }
    // The next `count` bytes.
    std::string_view take(uint64_t count) {
        const size_t from = at_;
        skip(count);
        return failed_ ? std::string_view() : data_.substr(from, static_cast<size_t>(count));
    }

    template <typename T>
    T fixed() {
        T value = {};
        if (data_.size() - at_ < sizeof value) {
            fail();
        } else {
            memcpy(&value, data_.data() + at_, sizeof value);
            at_ += sizeof value;
        }
        return value;
    }
    uint8_t u8() { return fixed<uint8_t>(); }
    uint16_t u16() { return fixed<uint16_t>(); }
    uint32_t u32() { return fixed<uint32_t>(); }
    uint64_t u64() { return fixed<uint64_t>(); }

    uint64_t uleb() {
        uint64_t value = 0;
        for (unsigned shift = 0;; shift += 7) {
            const uint8_t byte = u8();
            if (shift < 64) value |= static_cast<uint64_t>(byte & 127) << shift;
            if (!(byte & 128)) return value;
        }
    }
    int64_t sleb() {
        uint64_t value = 0;
        for (unsigned shift = 0;;) {
            const uint8_t byte = u8();
            if (shift < 64) value |= static_cast<uint64_t>(byte & 127) << shift;
            shift += 7;
            if (byte & 128) continue;
            if (shift < 64 && (byte & 64)) value |= ~uint64_t{0} << shift;
            return static_cast<int64_t>(value);
        }
    }
    std::string_view string() {
        const size_t end = data_.find('\0', at_);
        if (end == std::string_view::npos) {
            fail();
            return {};
        }
        const std::string_view text = data_.substr(at_, end - at_);
        at_ = end + 1;
        return text;
    }

  private:
    std::string_view data_;
    size_t at_ = 0;
    bool failed_ = false;
};

}  // namespace tapir::unwind
