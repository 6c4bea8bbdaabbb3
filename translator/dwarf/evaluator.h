// SPDX-License-Identifier: GPL-2.0-or-later
// DWARF expressions (version 5, section 2.5) turned into terms.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "dwarf/callers.h"
#include "dwarf/location.h"

namespace tapir::dwarf {

// The type of a value on the stack. 0 bytes: the generic type, an address without a sign.
struct StackType {
    uint64_t bytes = 0;
    bool is_signed = false, is_float = false;
    friend bool operator==(const StackType &, const StackType &) = default;
};

class Evaluator {
  public:
    // `attribute` has the operations that run() gets; null for those of call frame information.
    Evaluator(const LocationContext &context, Dwarf_Attribute *attribute, int depth = 0)
        : context_(context), attribute_(attribute), depth_(depth) {}

    // Sets the initial stack, which is also the value of DW_OP_push_object_address.
    void begin_with(ctypes::TermPtr object) {
        object_ = object;
        stack_.push_back({std::move(object), {}});
    }
    // Memory unless the expression says otherwise.
    ctypes::Place run(const Dwarf_Op *ops, size_t count);

  private:
    enum class Ends : uint8_t { No, Register, Value };

    using Base = StackType;
    struct Value {
        ctypes::TermPtr term;  // as a number of 64 bits
        Base base;
    };

    ctypes::Place follow(const Dwarf_Op *ops, size_t count);
    ctypes::Place branch(const Dwarf_Op *ops, size_t count, size_t jump);
    ctypes::Place finish();
    ctypes::Place finish_piece();
    void reset();
    bool fail(std::string why);
    bool fail_operation(const Dwarf_Op &op);

    bool push(ctypes::TermPtr term, Base base = {});
    ctypes::TermPtr pop();
    bool pop(Value &value);
    bool pick(size_t index);
    bool based(uint64_t reg, uint64_t offset);
    bool in_register(uint64_t reg);
    uint64_t address_bytes() const;
    bool load(uint64_t size, Base base = {});
    bool unary(ctypes::TermOp op);
    bool binary(ctypes::TermOp op);
    bool compare(ctypes::TermOp op);
    bool divide();
    bool modulo();
    bool shift_right(ctypes::TermOp op);

    bool base_type(const Dwarf_Op &op, Base &base);
    bool convert(const Dwarf_Op &op, bool keeps_bits);
    bool typed_constant(const Dwarf_Op &op);
    bool implicit_value(const Dwarf_Op &op);
    bool indexed(const Dwarf_Op &op);
    bool thread_local_variable();
    bool call(const Dwarf_Op &op);
    bool variable_value(const Dwarf_Op &op);
    bool frame_base(uint64_t offset);
    ctypes::TermPtr value_of_register(uint64_t reg);
    bool entry_value(const Dwarf_Op &op);
    bool parameter_of_caller(const Dwarf_Op &op);
    bool push_from_callers(const CallerParameter &parameter);

    bool step(const Dwarf_Op &op);
    bool step_place(const Dwarf_Op &op);
    bool step_typed(const Dwarf_Op &op);
    bool step_stack(const Dwarf_Op &op);
    bool step_arithmetic(const Dwarf_Op &op);

    const LocationContext &context_;
    Dwarf_Attribute *attribute_;
    int depth_;
    int branches_ = 0, calls_ = 0;
    ctypes::TermPtr object_;
    std::vector<Value> stack_;
    bool of_table_ = false;  // a constant of the table of addresses was pushed
    Ends ends_ = Ends::No;
    std::string value_;  // of DW_OP_implicit_value
    std::string why_;
};

}  // namespace tapir::dwarf
