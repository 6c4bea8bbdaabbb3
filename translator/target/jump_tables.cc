// SPDX-License-Identifier: GPL-2.0-or-later
#include "target/jump_tables.h"

#include <algorithm>
#include <utility>

namespace tapir::target {

using decode::Instruction;
using decode::kNoRegister;
using decode::Memory;
using Does = Instruction::Does;
using Flow = Instruction::Flow;

namespace {

constexpr size_t kLooked = 48;            // instructions before a jump
constexpr uint64_t kMostEntries = 16384;  // of one table

bool is_constant(const Memory &memory) {
    return memory.known && memory.base == kNoRegister && memory.index == kNoRegister;
}

bool changes(const Instruction &in, uint8_t reg) {
    return (in.writes >> reg & 1) != 0;
}

}  // namespace

JumpTables::JumpTables(const CodeImage &image, std::span<const Instruction> code, std::function<bool(uint64_t)> inside,
                       uint64_t &work)
    : image_(image), code_(code), inside_(std::move(inside)), work_(work) {
    for (const Instruction &in : code) {
        const bool address = in.does == Does::Address && is_constant(in.memory);
        const bool in_operand =
            in.does == Does::Load && in.memory.known && in.memory.base == kNoRegister && in.memory.index != kNoRegister;
        if ((address || in_operand) && image.section_at(in.memory.displacement))
            constants_.insert(in.memory.displacement);
    }
}

// The instruction before a position, of those that run one after the other, that gives a register its value.
std::optional<size_t> JumpTables::definition(size_t before, uint8_t reg) const {
    if (reg == kNoRegister) return std::nullopt;
    for (size_t i = before, left = kLooked; i-- > 0 && left-- > 0;) {
        const Instruction &in = code_[i];
        if (in.end() != code_[i + 1].address || !in.goes_on()) return std::nullopt;
        if (in.flow == Flow::Call && (image_.decoder()->changed_by_calls() >> reg & 1)) return std::nullopt;
        if (!changes(in, reg)) continue;
        if (in.does == Does::Copy && in.to == reg) {
            reg = in.from;
            continue;
        }
        return i;
    }
    return std::nullopt;
}

std::optional<uint64_t> JumpTables::constant(size_t before, uint8_t reg) const {
    const auto at = definition(before, reg);
    if (!at || code_[*at].does != Does::Address) return std::nullopt;
    const Memory &memory = code_[*at].memory;
    return is_constant(memory) ? std::optional(memory.displacement) : std::nullopt;
}

// The index was multiplied before, as in code that was not optimized.
std::optional<JumpTables::Shape> JumpTables::shape_of_scaled(size_t position, uint8_t bytes) const {
    const Memory &memory = code_[position].memory;
    for (const auto &[index, base] : {std::pair(memory.base, memory.index), std::pair(memory.index, memory.base)}) {
        const auto at = definition(position, index);
        const auto told = constant(position, base);
        if (!at || !told || code_[*at].does != Does::Address) continue;
        const Memory &scaled = code_[*at].memory;
        if (!scaled.known || scaled.base != kNoRegister || scaled.scale != bytes) continue;
        return Shape{.bytes = bytes,
                     .base = *told + memory.displacement + scaled.displacement,
                     .base_register = base,
                     .index = scaled.index,
                     .position = *at};
    }
    return std::nullopt;
}

// Finds the table of an instruction that reads, or jumps through, memory.
std::optional<JumpTables::Shape> JumpTables::shape_of_load(size_t position) const {
    const Instruction &in = code_[position];
    Memory memory = in.memory;
    if (in.does != Does::Load || !memory.known) return std::nullopt;
    if (memory.index == kNoRegister && memory.base != kNoRegister) {
        // The address was computed before.
        const auto at = definition(position, memory.base);
        if (!at || code_[*at].does != Does::Address || !code_[*at].memory.known) return std::nullopt;
        const uint64_t more = memory.displacement;
        memory = code_[*at].memory;
        memory.displacement += more;
        position = *at;
    }
    if (memory.scale == 1 && memory.base != kNoRegister) return shape_of_scaled(position, in.bytes);
    if (memory.index == kNoRegister || memory.scale != in.bytes) return std::nullopt;
    Shape shape{
        .bytes = in.bytes, .base = {}, .base_register = memory.base, .index = memory.index, .position = position};
    if (memory.base == kNoRegister) {
        shape.base = memory.displacement;
    } else if (const auto base = constant(position, memory.base)) {
        shape.base = *base + memory.displacement;
    } else if (memory.displacement != 0) {
        return std::nullopt;
    }
    return shape;
}

// A table has offsets from its own beginning: one register has its address, the other the entry.
std::optional<JumpTables::Shape> JumpTables::shape_of_sum(size_t position, uint8_t a, uint8_t b) const {
    for (const auto &[entry, base] : {std::pair(a, b), std::pair(b, a)}) {
        const auto at = definition(position, entry);
        if (!at || code_[*at].does != Does::Load || code_[*at].bytes != 4) continue;
        auto shape = shape_of_load(*at);
        if (!shape) continue;
        const auto told = constant(position, base);
        if (told && !shape->base) shape->base = told;
        if (told && *told != shape->base) continue;
        return shape;
    }
    return std::nullopt;
}

std::optional<JumpTables::Shape> JumpTables::shape_of(size_t position) const {
    const Instruction &jump = code_[position];
    if (jump.does == Does::Load) {
        const auto shape = shape_of_load(position);
        return shape && shape->bytes == 8 ? shape : std::nullopt;
    }
    const auto at = definition(position, jump.from);
    if (!at) return std::nullopt;
    const Instruction &in = code_[*at];
    if (in.does == Does::Load) {
        const auto shape = shape_of_load(*at);
        return shape && shape->bytes == 8 ? shape : std::nullopt;
    }
    if (in.does == Does::Add) return shape_of_sum(*at, in.to, in.from);
    if (in.does == Does::Address && in.memory.known && in.memory.scale == 1 && in.memory.displacement == 0)
        return shape_of_sum(*at, in.memory.base, in.memory.index);
    return std::nullopt;
}

// How many entries a comparison of the index before the jump leaves.
std::optional<uint64_t> JumpTables::entries_by_compare(const Shape &shape) const {
    const Instruction *branch = nullptr;
    uint8_t reg = shape.index;
    for (size_t i = shape.position, left = kLooked; i-- > 0 && left-- > 0;) {
        const Instruction &in = code_[i];
        if (in.end() != code_[i + 1].address || !in.goes_on()) return std::nullopt;
        if (in.flow == Flow::Branch) branch = &in;
        if (in.does == Does::Compare && in.to == reg) {
            if (!branch || in.number < 0 || (!branch->if_above && !branch->if_at_least)) return std::nullopt;
            return static_cast<uint64_t>(in.number) + (branch->if_above ? 1 : 0);
        }
        if (in.does == Does::Copy && in.to == reg) {
            reg = in.from;
        } else if (changes(in, reg) && (branch || in.does == Does::Load)) {
            return std::nullopt;
        }
    }
    return std::nullopt;
}

std::optional<uint64_t> JumpTables::entry(const Shape &shape, uint64_t base, uint64_t number) const {
    const uint64_t at = base + number * shape.bytes;
    if (shape.bytes == 8) return image_.read_pointer(at);
    const auto offset = image_.read_offset(at);
    return offset ? std::optional(base + static_cast<uint64_t>(int64_t{*offset})) : std::nullopt;
}

// Reads `count` entries. If the count is unknown, reads up to the first entry outside of the function, or to the next
// table.
JumpTargets JumpTables::read(const Shape &shape, uint64_t base, std::optional<uint64_t> count) const {
    JumpTargets found;
    const auto next = constants_.upper_bound(base);
    const uint64_t room = next == constants_.end() ? kMostEntries : (*next - base) / shape.bytes;
    const uint64_t most = count ? std::min(*count, kMostEntries) : std::min(std::max<uint64_t>(room, 1), kMostEntries);
    for (uint64_t i = 0; i < most; ++i) {
        const auto target = entry(shape, base, i);
        if (!spend() || !target || !inside_(*target)) {
            if (count || i == 0) found.outside = target.value_or(0);
            break;
        }
        found.targets.push_back(*target);
    }
    found.by_table = !found.targets.empty() && !found.outside;
    return found;
}

// It is not known which of the function's tables it is, so all of them count.
JumpTargets JumpTables::read_all_candidates(const Shape &shape) const {
    JumpTargets all;
    for (const uint64_t base : constants_) {
        if (!spend()) break;
        const JumpTargets one = read(shape, base, std::nullopt);
        if (one.by_table) all.targets.insert(all.targets.end(), one.targets.begin(), one.targets.end());
    }
    all.by_table = !all.targets.empty();
    return all;
}

// True if in the whole function the register has only addresses of tables, or its value at the entry.
bool JumpTables::is_always_table(const Shape &shape) const {
    bool any = false;
    for (const Instruction &in : code_) {
        if (!spend()) return false;
        if (shape.base_register == kNoRegister || !changes(in, shape.base_register)) continue;
        if (in.does == Does::Other && (in.writes & (in.writes - 1)) != 0) continue;  // it is taken from the stack
        if (in.does != Does::Address || !is_constant(in.memory)) return false;
        if (!read(shape, in.memory.displacement, std::nullopt).by_table) return false;
        any = true;
    }
    return any;
}

JumpTargets JumpTables::targets(size_t position, bool compiled) {
    const bool marked = code_[position].of_switch;
    const auto shape = shape_of(position);
    if (!shape) {
        JumpTargets found;
        if (marked) found = read_all_candidates({.bytes = 4, .base = {}, .index = 0, .position = position});
        found.by_table = marked && (compiled || found.by_table);
        found.partly = true;
        return found;
    }
    if (shape->base) {
        const auto count = entries_by_compare(*shape);
        JumpTargets found = read(*shape, *shape->base, count);
        if (!found.by_table && compiled && (marked || shape->bytes == 4)) found.by_table = found.partly = true;
        return found;
    }
    JumpTargets found = read_all_candidates(*shape);
    const bool sure = shape->bytes == 4 ? found.by_table : found.by_table && (marked || is_always_table(*shape));
    found.by_table = sure || (compiled && (marked || shape->bytes == 4));
    found.partly = !sure;
    return found;
}

}  // namespace tapir::target
