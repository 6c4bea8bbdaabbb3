// SPDX-License-Identifier: GPL-2.0-or-later
#include "bpf/link/bpf_interpreter.h"

#include <bit>
#include <cstring>

namespace tapir::bpf {

namespace {

constexpr size_t kFramesMost = 64, kStackBytes = 512;

// Operations, in the upper half of an instruction's code.
enum Operation : uint8_t {
    kAdd = 0x00,
    kSub = 0x10,
    kMul = 0x20,
    kDiv = 0x30,
    kOr = 0x40,
    kAnd = 0x50,
    kShiftLeft = 0x60,
    kShiftRight = 0x70,
    kNegate = 0x80,
    kMod = 0x90,
    kXor = 0xa0,
    kMove = 0xb0,
    kShiftSigned = 0xc0,
    kSwap = 0xd0,
};
enum Condition : uint8_t {
    kAlways = 0x00,
    kEqual = 0x10,
    kGreater = 0x20,
    kGreaterEqual = 0x30,
    kAnyBit = 0x40,
    kUnequal = 0x50,
    kSignedGreater = 0x60,
    kSignedGreaterEqual = 0x70,
    kLess = 0xa0,
    kLessEqual = 0xb0,
    kSignedLess = 0xc0,
    kSignedLessEqual = 0xd0,
};
constexpr uint8_t kOperation = 0xf0, kBySource = 0x08, kSizeMask = 0x18, kModeMask = 0xe0, kModeSigned = 0x80,
                  kModeAtomic = 0xc0;
constexpr int32_t kFetch = 0x01, kExchange = 0xe1, kCompareExchange = 0xf1;

unsigned bytes_of(uint8_t code) {
    switch (code & kSizeMask) {
        case 0x00:
            return 4;
        case 0x08:
            return 2;
        case 0x10:
            return 1;
        default:
            return 8;
    }
}

uint64_t extend_sign(uint64_t value, unsigned bits) {
    unsigned shift = 64 - bits;
    return static_cast<uint64_t>(static_cast<int64_t>(value << shift) >> shift);
}

bool holds(uint8_t condition, uint64_t a, uint64_t b) {
    auto x = static_cast<int64_t>(a), y = static_cast<int64_t>(b);
    switch (condition) {
        case kEqual:
            return a == b;
        case kGreater:
            return a > b;
        case kGreaterEqual:
            return a >= b;
        case kAnyBit:
            return (a & b) != 0;
        case kUnequal:
            return a != b;
        case kSignedGreater:
            return x > y;
        case kSignedGreaterEqual:
            return x >= y;
        case kLess:
            return a < b;
        case kLessEqual:
            return a <= b;
        case kSignedLess:
            return x < y;
        case kSignedLessEqual:
            return x <= y;
        default:
            return condition == kAlways;
    }
}

// Division by 0 gives 0, and its remainder the number; the least number by -1 wraps.
uint64_t divide(uint64_t a, uint64_t b, bool is_signed, bool remainder) {
    if (b == 0) return remainder ? a : 0;
    if (!is_signed) return remainder ? a % b : a / b;
    if (b == ~uint64_t{0}) return remainder ? 0 : 0 - a;
    auto x = static_cast<int64_t>(a), y = static_cast<int64_t>(b);
    return static_cast<uint64_t>(remainder ? x % y : x / y);
}

uint64_t swap_bytes(uint64_t value, int bits) {
    uint64_t out = __builtin_bswap64(value);
    return bits == 64 ? out : out >> (64 - bits);
}

}  // namespace

Interpreter::Interpreter(const Program &program, uint64_t begin, uint64_t end, Helper helper)
    : program_(program), begin_(begin), end_(end), helper_(std::move(helper)) {}

bool Interpreter::run(const Arguments &arguments, uint64_t most, uint64_t &result, std::string &error) {
    frames_.clear();
    frames_.reserve(kFramesMost);  // registers hold addresses of stacks
    enter(0, program_.code.size());
    std::copy(arguments.begin(), arguments.end(), registers_.begin() + 1);
    for (uint64_t left = most; !frames_.empty(); left--) {
        if (left == 0) return fail("the program takes too long", error);
        instructions_++;
        if (!step(error)) return false;
    }
    result = registers_[0];
    return true;
}

bool Interpreter::fail(const std::string &what, std::string &error) const {
    const Placed *in = &program_.functions.front();
    for (const Placed &function : program_.functions)
        if (function.at <= at_) in = &function;
    error = what + " (" + in->name + "() at instruction " + std::to_string(at_ - in->at) + ")";
    return false;
}

void Interpreter::enter(size_t at, size_t back) {
    Frame &frame = frames_.emplace_back();
    frame.back = back;
    std::copy_n(registers_.begin() + 6, 4, frame.kept.begin());
    registers_[kStackRegister] = reinterpret_cast<uint64_t>(frame.stack.data() + frame.stack.size());
    at_ = at;
}

bool Interpreter::leave() {
    at_ = frames_.back().back;
    std::copy(frames_.back().kept.begin(), frames_.back().kept.end(), registers_.begin() + 6);
    frames_.pop_back();
    if (!frames_.empty())
        registers_[kStackRegister] =
            reinterpret_cast<uint64_t>(frames_.back().stack.data() + frames_.back().stack.size());
    return true;
}

bool Interpreter::step(std::string &error) {
    if (at_ >= program_.code.size()) return fail("the program has no end", error);
    const Instruction &i = program_.code[at_];
    switch (i.kind()) {
        case kLoadWide: {
            if (i.code != kLoadWord || at_ + 1 == program_.code.size()) return fail("unknown instruction", error);
            uint64_t high = static_cast<uint32_t>(program_.code[at_ + 1].immediate);
            registers_[i.destination()] = high << 32 | static_cast<uint32_t>(i.immediate);
            at_ += 2;
            return true;
        }
        case kAlu32:
        case kAlu64:
            if (!calculate(i, error)) return false;
            at_++;
            return true;
        case kJump:
        case kJump32:
            return jump(i, error);
        default:
            if (!access(i, error)) return false;
            at_++;
            return true;
    }
}

bool Interpreter::calculate(const Instruction &i, std::string &error) {
    bool wide = i.kind() == kAlu64;
    uint64_t &to = registers_[i.destination()];
    uint64_t a = to,
             b = i.code & kBySource ? registers_[i.source()] : static_cast<uint64_t>(static_cast<int64_t>(i.immediate));
    bool is_signed = i.offset == 1;
    if (!wide && (i.code & kOperation) != kSwap) {
        a = static_cast<uint32_t>(a);
        b = static_cast<uint32_t>(b);
        if (is_signed && ((i.code & kOperation) == kDiv || (i.code & kOperation) == kMod)) {
            a = extend_sign(a, 32);
            b = extend_sign(b, 32);
        }
    }
    uint64_t shift = b & (wide ? 63 : 31), out = 0;
    switch (i.code & kOperation) {
        case kAdd:
            out = a + b;
            break;
        case kSub:
            out = a - b;
            break;
        case kMul:
            out = a * b;
            break;
        case kDiv:
            out = divide(a, b, is_signed, false);
            break;
        case kMod:
            out = divide(a, b, is_signed, true);
            break;
        case kOr:
            out = a | b;
            break;
        case kAnd:
            out = a & b;
            break;
        case kXor:
            out = a ^ b;
            break;
        case kShiftLeft:
            out = a << shift;
            break;
        case kShiftRight:
            out = a >> shift;
            break;
        case kShiftSigned:
            out = static_cast<uint64_t>(static_cast<int64_t>(wide ? a : extend_sign(a, 32)) >> shift);
            break;
        case kNegate:
            out = 0 - a;
            break;
        case kMove:
            if (wide && i.code == kSetRegister && i.offset == kCastOffset) {
                out = static_cast<uint32_t>(b);
            } else {
                out = i.offset ? extend_sign(b, static_cast<unsigned>(i.offset)) : b;
            }
            break;
        case kSwap:
            // This class swaps in any case, the other to the order of little or big ends.
            out = wide || (i.code & kBySource) ? swap_bytes(a, i.immediate)
                  : i.immediate == 64          ? a
                                               : a & ((uint64_t{1} << i.immediate) - 1);
            to = out;
            return true;
        default:
            return fail("unknown instruction", error);
    }
    to = wide ? out : static_cast<uint32_t>(out);
    return true;
}

void *Interpreter::memory(uint64_t address, unsigned bytes) {
    auto top = reinterpret_cast<uint64_t>(frames_.back().stack.data() + frames_.back().stack.size());
    bool on_stack = address >= top - kStackBytes && address + bytes <= top;
    bool in_arena = address >= begin_ && address + bytes <= end_ && address + bytes > address;
    return on_stack || in_arena ? reinterpret_cast<void *>(address) : nullptr;
}

bool Interpreter::access(const Instruction &i, std::string &error) {
    bool loads = i.kind() == kLoad;
    unsigned bytes = bytes_of(i.code);
    uint64_t address =
        registers_[loads ? i.source() : i.destination()] + static_cast<uint64_t>(static_cast<int64_t>(i.offset));
    void *place = memory(address, bytes);
    if (!place) return fail(std::string(loads ? "reads" : "writes") + " what is not the program's", error);
    if ((i.code & kModeMask) == kModeAtomic) return change_at_once(i, static_cast<uint64_t *>(place), error);
    if (loads) {
        uint64_t value = 0;
        std::memcpy(&value, place, bytes);
        registers_[i.destination()] = (i.code & kModeMask) == kModeSigned ? extend_sign(value, bytes * 8) : value;
    } else {
        uint64_t value =
            i.kind() == kStore ? registers_[i.source()] : static_cast<uint64_t>(static_cast<int64_t>(i.immediate));
        std::memcpy(place, &value, bytes);
    }
    return true;
}

// One thread runs the program, so no other sees its steps.
bool Interpreter::change_at_once(const Instruction &i, uint64_t *place, std::string &error) {
    unsigned bytes = bytes_of(i.code);
    uint64_t &source = registers_[i.source()];
    uint64_t old = 0, mask = bytes == 8 ? ~uint64_t{0} : 0xffffffff, now = 0;
    std::memcpy(&old, place, bytes);
    switch (i.immediate & ~kFetch) {
        case kAdd:
            now = old + source;
            break;
        case kOr:
            now = old | source;
            break;
        case kAnd:
            now = old & source;
            break;
        case kXor:
            now = old ^ source;
            break;
        case kExchange & ~kFetch:
            now = source;
            break;
        case kCompareExchange & ~kFetch:
            now = old == (registers_[0] & mask) ? source : old;
            registers_[0] = old;
            std::memcpy(place, &now, bytes);
            return true;
        default:
            return fail("unknown instruction", error);
    }
    std::memcpy(place, &now, bytes);
    if (i.immediate & kFetch) source = old;
    return true;
}

bool Interpreter::jump(const Instruction &i, std::string &error) {
    if (i.code == kCall) return call(i, error);
    if (i.code == kExit) return leave();
    at_++;
    // The way out is for the verifier: `most` ends what has no end.
    if (i.code == kMayGoto) return true;
    if (i.code == kGotoFar) {
        at_ += static_cast<size_t>(static_cast<int64_t>(i.immediate));
        return true;
    }
    uint64_t a = registers_[i.destination()];
    uint64_t b = i.code & kBySource ? registers_[i.source()] : static_cast<uint64_t>(static_cast<int64_t>(i.immediate));
    if (i.kind() == kJump32) {
        a = extend_sign(a, 32);
        b = extend_sign(b, 32);
    }
    if (holds(i.code & kOperation, a, b)) at_ += static_cast<size_t>(static_cast<int64_t>(i.offset));
    return true;
}

bool Interpreter::call(const Instruction &i, std::string &error) {
    if (i.source() == kCallsFunction) {
        if (frames_.size() == kFramesMost) return fail("calls go too deep", error);
        enter(at_ + 1 + static_cast<size_t>(static_cast<int64_t>(i.immediate)), at_ + 1);
        return true;
    }
    Arguments arguments;
    std::copy_n(registers_.begin() + 1, arguments.size(), arguments.begin());
    if (!helper_ || !helper_(static_cast<uint32_t>(i.immediate), arguments, registers_[0])) {
        return fail("calls function " + std::to_string(i.immediate) + " of the kernel, which is not there", error);
    }
    at_++;
    return true;
}

}  // namespace tapir::bpf
