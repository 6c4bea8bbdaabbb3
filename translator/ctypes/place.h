// SPDX-License-Identifier: GPL-2.0-or-later
// Where a variable is when a probe hits: a small expression over registers and memory, made from a DWARF location or
// from the calling convention.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace tapir::ctypes {

// 64-bit two's complement arithmetic, as on DWARF's stack of addresses (DWARF 5, section 2.5).
enum class TermOp : uint8_t {
    Constant,
    Register,  // `constant` is the DWARF number, read at the probe
    Argument,  // number `constant` of the values that the probe passes with a hit, as a tracepoint does
    Load,      // `size` bytes (1, 2, 4, 8), zero-extended, at operand 0
    Add,
    Subtract,
    Multiply,
    Divide,  // signed; by zero: an error of the script
    Modulo,  // unsigned; by zero: an error of the script
    And,
    Or,
    Xor,
    ShiftLeft,
    ShiftRight,  // logical
    ShiftRightArithmetic,
    Negate,
    Complement,
    Absolute,
    Equal,  // signed comparisons, 1 or 0
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Relocated,    // an address of the object `constant` was linked with: moves with where the object is loaded
    ThreadLocal,  // the address at offset operand 0 of the current thread's block of the object's variables
    Select,       // operand 1 if operand 0 is not 0, else operand 2; the other is not evaluated
    Unknown,      // an error of the script: nothing that is known here tells
    Object,       // the address of the object that has what a type describes: of a structure with a member
};

struct Term;
using TermPtr = std::shared_ptr<const Term>;  // a tree, or a graph after DW_OP_dup

struct Term {
    TermOp op = TermOp::Constant;
    int64_t constant = 0;
    uint8_t size = 0;
    std::vector<TermPtr> operands;
};

TermPtr constant_term(int64_t value);
TermPtr register_term(int64_t dwarf_number);
TermPtr argument_term(int64_t number);
TermPtr load_term(uint8_t size, TermPtr address);
TermPtr relocated_term(uint64_t linked_address);
TermPtr object_term();
TermPtr unknown_term();
TermPtr select_term(TermPtr condition, TermPtr yes, TermPtr no);
// Folds constants, and additions of constants to sums.
TermPtr make_term(TermOp op, TermPtr left, TermPtr right = nullptr);
// The number in the low bytes (1, 2, 4, 8) of another.
TermPtr extended_term(TermPtr value, uint64_t bytes, bool is_signed);

// True if a term, or one of its operands at any depth, has an operation.
bool has_op(const Term &term, TermOp op);

// "(reg7 + 8)", "u64[reg5 + 16]"; for dumps and tests.
std::string term_text(const Term &term);

// A piece of a value that is spread (DW_OP_piece).
struct Piece;

struct Place {
    enum class Kind : uint8_t {
        Memory,    // at address `term`
        Register,  // in a register: `term` is its value; it has no address
        Value,     // computed: `term` is it; it has no address
        Pieces,
        Absent,  // `why` says it
    };
    Kind kind = Kind::Absent;
    TermPtr term;
    std::vector<Piece> pieces;
    std::string why;
    bool later = false;  // Absent: only at the first instruction of its function
};

struct Piece {
    Place place;
    uint64_t bytes = 0;
};

Place absent(std::string why);
// Returns the number of `bytes` bytes (1, 2, 4, 8) at a place; null if the place has no such number.
TermPtr number_at(const Place &place, uint64_t bytes, bool is_signed);

}  // namespace tapir::ctypes
