// SPDX-License-Identifier: GPL-2.0-or-later
// Facts about processors, their ABIs and their kernels for the user-space side: one constant per architecture, in a
// file of its own. No other file names a register, an ELF machine or an architecture. kmod/arch/this_arch.h is for the
// kernel side. A library below all others; staprun links it, too.
//
// To add an architecture, write ARCH.cc here, add its constant to arch.cc, and kmod/arch/ARCH.h. Each feature needs
// these facts:
//
//   kprobes  name, elf_machine, config_symbol, source_name, debian_name: kernels are recognized, modules are built
//            syscalls: system calls by name
//   $vars    saved_registers: what @kregister and locations may name
//            arguments: places of parameters without debug information, and at calls
//            call_length: finds a call by its end, which debug information has
//            thread_local_storage: variables with __thread
//            go: parameters of Go's functions
//            leaf_*: only what is saved at every hit; 0 costs handlers a context, nothing else
//   returns  result: the place of a function's result
//   marks    parse_operand: SDT operands; tables: .plt
//   stacks   nothing here: arch/c/unwind_machine.h, which unwind/ and the kernel side share
//   watched memory  watches_after_access
//   guests   guest: QEMU's program and machine
//
// testsuite/unit/arch checks each constant against the ABI's text, testsuite/unit/target against what compilers make.
#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>

namespace tapir::arch {

// ---- where values are

// A register, or a part of it, by the name that assemblers use.
struct Register {
    std::string_view name;
    uint8_t number = 0;  // DWARF
    uint8_t bytes = 0;   // 1, 2, 4 or 8
    uint8_t shift = 0;   // of its lowest bit in the whole register
};

// A part of a value for calls: structures and arrays taken apart; the members of a union overlap.
struct Scalar {
    // Extended: 80 bits in 16 bytes. Vector: whole in one vector register, also a binary number of 128 bits.
    enum class Kind : uint8_t { Integer, Float, Extended, Vector };
    Kind kind = Kind::Integer;
    uint64_t offset = 0, size = 0;  // bytes; size is at least 1
};

// Where a part of a value is when it is passed or returned.
enum class Hold : uint8_t { Nothing, Integer, Vector, Extended };
struct Part {
    Hold hold = Hold::Nothing;
    uint8_t bytes = 0;  // of the value, in order
};
struct Parts {
    std::array<Part, 4> list = {};
    size_t count = 0;
    bool in_memory = false;  // then there are no parts

    size_t number_of(Hold hold) const {
        size_t number = 0;
        for (size_t i = 0; i < count; ++i)
            number += list[i].hold == hold;
        return number;
    }
};

// How C functions get their arguments.
struct Arguments {
    std::array<uint8_t, 8> registers;  // DWARF numbers, the first `count`
    size_t count;
    size_t vector_count;   // registers for floating point
    uint8_t first_vector;  // DWARF number of the first, those of the others follow. Results, too, are in the first of
                           // them. 0: no hit can read them
    // How a value is passed. `misplaced`: it has members that are not aligned as they are by themselves.
    Parts (*parts)(std::span<const Scalar> scalars, uint64_t size, bool misplaced);
    uint8_t stack_pointer, frame_pointer;
    uint64_t stack_offset;      // at a function's first instruction, of the first argument on the stack
    bool large_by_reference;    // a structure of more than two words: its address is passed, else a copy on the stack
    bool stack_ends_registers;  // after one argument on the stack, all that follow are there
    bool pairs_begin_even;      // a 16-byte integer begins at an even register

    std::span<const uint8_t> in_registers() const { return std::span(registers).first(count); }
};

// How they return them. A result in memory is one that the caller has made room for.
struct Result {
    uint8_t first, second;     // DWARF numbers of the registers of two words
    bool address_is_argument;  // the address of a result in memory is passed as if it were the first argument
    bool address_is_returned;  // and is in `first` at the return
};

// How functions of Go call each other since Go 1.17: "Go internal ABI specification" (abi-internal.md in its sources).
// Values are taken apart as a whole, and all of one is in registers or on the stack.
struct GoCalls {
    std::array<uint8_t, 16> registers;  // DWARF numbers, the first `count`
    size_t count;
    uint8_t first_vector;  // DWARF number of the first register for floating point, those of the others follow
    size_t vector_count;
    uint64_t stack_offset;  // at a function's first instruction, of the first argument on the stack
    // Returns the length of the check that a function begins with, to the end of the jump to the code that grows its
    // stack. That code jumps back to the function's beginning. 0 if the function has no check. `jumps_to` becomes the
    // jump's offset from the beginning.
    size_t (*stack_check)(std::span<const unsigned char> code, int64_t &jumps_to);
    // The registers that the code which grows the stack saves before its first call, by DWARF numbers below 128. The
    // others may hold anything when that code jumps back.
    std::bitset<128> (*stored)(std::span<const unsigned char> code);

    std::span<const uint8_t> in_registers() const { return std::span(registers).first(count); }
};

// Thread-local variables: U. Drepper, "ELF Handling For Thread-Local Storage".
struct ThreadLocal {
    uint8_t pointer;    // DWARF number of the thread pointer
    bool blocks_below;  // "variant II": blocks end at the thread pointer; else they begin behind `header` bytes
    uint64_t header;
    int64_t vector;  // offset from the thread pointer of the pointer to the vector of blocks
    uint32_t module_relocation, offset_relocation;
    const char *linker;  // name of the GNU C library's dynamic linker
};

// ---- marks

// An operand in an assembler's syntax.
struct Operand {
    enum class Kind : uint8_t {
        Number,    // number + symbol
        Register,  // base
        Memory,    // at number + symbol + segment + base + index * scale
        Address,   // of the symbol
    };
    enum class Extend : uint8_t { None, Zero, Sign };  // from 32 bits
    Kind kind = Kind::Number;
    int64_t number = 0;
    std::optional<Register> segment, base, index;
    int64_t scale = 1;
    Extend extend_index = Extend::None;
    bool narrow = false;  // the address has 32 bits
    std::string_view symbol;
};

// ---- code

constexpr size_t kLongestCall = 5;   // bytes, of all architectures
constexpr size_t kLongestIdle = 11;  // likewise, of instructions that change nothing

// ---- procedure linkage tables

// A section of code.
struct Code {
    const unsigned char *bytes;
    size_t size;
    uint64_t address;

    uint32_t word(size_t at) const {
        uint32_t value;
        std::memcpy(&value, bytes + at, sizeof value);
        return value;
    }
    bool has(size_t at, std::string_view text) const {
        return at <= size && size - at >= text.size() && std::memcmp(bytes + at, text.data(), text.size()) == 0;
    }
};

struct LinkageTable {
    uint16_t elf_machine;
    uint32_t relative_relocation;  // its addend is the address to fill in, as linked
    uint32_t resolver_relocation;  // its addend is a function that returns the address to fill in
    size_t step;                   // no entry begins elsewhere than at a multiple of this
    // The address that the code at `at`, which is below `code.size`, jumps through. `offsets` is the address of the
    // global offset table.
    std::optional<uint64_t> (*slot)(const Code &code, size_t at, uint64_t offsets);
};

// ---- kernels and guests

struct Syscalls {
    bool tables;  // the headers of the kernel's build tree have their numbers and functions
    std::array<std::string_view, 2> entry_prefixes;  // of those functions, before the names that prototypes have
};

struct Guest {
    std::string_view program, machine, console;       // QEMU's, and the kernel's name of its serial port
    std::string_view debian_package, fedora_package;  // that have the program
};

struct Arch {
    std::string_view name;           // as `uname -m` prints it
    uint16_t elf_machine;            // of 64-bit programs and of modules
    std::string_view config_symbol;  // that the kernel's configuration has as "y"
    std::string_view source_name;    // of its directory in the kernel's sources, SRCARCH
    std::string_view debian_name;    // in the names of Debian's packages
    unsigned saved_registers;        // a hit saves those with DWARF numbers below this
    unsigned vector_registers;       // that hits in programs can read, too, from arguments.first_vector on
    // Length of the call or jump with its target in it that ends the code `before`; 0: none does.
    size_t (*call_length)(std::span<const unsigned char, kLongestCall> before);
    // Length of the instruction at the beginning of `code` if it changes nothing; 0: it does, or is not whole.
    size_t (*idle_length)(std::span<const unsigned char> code);
    bool watches_after_access;  // debug registers trap behind the access, which else the kernel has to step over
    Arguments arguments;
    GoCalls go;
    Result result;
    uint64_t
        preserved;  // registers that a function leaves as its caller has them, by number; the stack pointer is not one
    // Registers that every hit has at hand, by number: of a function's entry, of its return, and of a place in a
    // program. See tapir_leaf_register() in the runtime.
    uint64_t leaf_entry, leaf_return, leaf_program;
    ThreadLocal thread_local_storage;
    std::optional<Operand> (*parse_operand)(std::string_view text);  // without blanks around it
    std::span<const LinkageTable> tables;                            // of its own programs, and of 32-bit ones
    Syscalls syscalls;
    Guest guest;
};

extern const Arch kX86_64, kAarch64;

// All that are known. The first is the one that the reference of the library is made for.
std::span<const Arch *const> all();

// Finds an architecture by the name that `uname -m` prints; nullptr if it is not known.
const Arch *find(std::string_view name);
// Finds an architecture by e_machine of ELF files of 64 bits; nullptr if it is not known.
const Arch *of_machine(unsigned elf_machine);
const LinkageTable *linkage_table(unsigned elf_machine);
// The architecture that this program is compiled for.
const Arch &host();

}  // namespace tapir::arch
