// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Call frame instructions: DWARF 5, sections 6.4.2 and 6.4.3; GNU's: Linux Standard Base, Core, generic part, 10.5.3;
 * AArch64's: "DWARF for the Arm 64-bit Architecture".
 */
#pragma once

#include <string_view>
#include <vector>

#include "unwind/cfi.h"

namespace tapir::unwind {

class RowSink {
  public:
    virtual ~RowSink() = default;
    // The row in force from an address up to the next row's.
    virtual void row(uint64_t address, const RowState &state) = 0;
};

class Program {
  public:
    Program(const Cie &cie, uint16_t machine) : cie_(cie), machine_(machine) {}

    // A CIE's instructions. False: they make no sense.
    bool run_initial(std::string_view instructions, RowState &state);
    // An FDE's: the rows, addresses strictly ascending from its start. Ends early where the instructions make no sense:
    // false.
    bool run(const Fde &fde, RowSink &sink);

  private:
    enum class Done { kOk, kBad, kMoved };
    Done step(Bytes &in);
    Done extended(uint8_t opcode, Bytes &in);
    Done define_cfa(uint8_t opcode, Bytes &in);
    Done save(uint8_t opcode, Bytes &in);
    Done advance(uint64_t delta);
    Done restore(uint64_t reg);
    void set_cfa(uint64_t reg, int64_t offset);
    void set_register(uint64_t reg, RegisterRule::Kind kind, int64_t offset);

    const Cie &cie_;
    uint16_t machine_;
    RowState state_;
    std::vector<RowState> remembered_;
    uint64_t code_address_ = 0;  // of the instructions
    uint64_t location_ = 0;
    uint64_t target_ = 0;  // of the move
};

}  // namespace tapir::unwind
