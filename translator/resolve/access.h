// SPDX-License-Identifier: GPL-2.0-or-later
// Reaching C objects: from a place and a type, through members, indexes and pointers, to an expression over registers
// and memory (ast::Register, ast::Deref, ast::SymbolAddress and arithmetic).
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ast/ast.h"
#include "resolve/access_problem.h"
#include "resolve/synthesis.h"
#include "target/scope.h"

namespace tapir::resolve {

// Bytes of an object, in order: their place, or their value; neither for those that are optimized out.
struct ReachedPiece {
    ast::ExprPtr address, value;
    uint64_t bytes = 0;
};

// A C object that an expression has got to.
struct Reached {
    ctypes::Type type;
    // One of these: its place, or its bits. Neither if it is larger than a number, or not all there, and spread over
    // `pieces`. A member may be one of them, in one, or of several.
    ast::ExprPtr address;
    ast::ExprPtr value;
    // Registers cannot be pointed at, but can be assigned to.
    std::optional<int64_t> in_register;
    std::vector<ReachedPiece> pieces;
    uint32_t bit_offset = 0, bit_size = 0;  // of a bit-field within the bytes at `address`, or within `value`
    bool by_reference = false;              // the referent of a C++ reference
};

class Accessor {
  public:
    // `scope` resolves linked addresses; it may be null when no place has any. `problem` then says why an access
    // failed; it must outlive this.
    Accessor(const target::Scope *scope, bool user, SourceRef at, AccessProblem &problem)
        : scope_(scope), user_(user), at_(at), problem_(problem) {
        problem_ = {};
    }

    // Reaches the object of a variable's place and type; nothing after a problem.
    std::optional<Reached> start(const ctypes::Type &type, const ctypes::Place &place, const std::string &name);
    // The object that a pointer of the script points to.
    Reached at_pointer(const ctypes::Type &pointee, ast::ExprPtr pointer) const;
    // One step; `component.index` is moved from.
    bool step(Reached &object, ast::Component &component);
    // The object so many sizes of `object` further on in memory; `component.index` is moved from.
    bool element(Reached &object, ast::Component &component);
    // Elements of an array that has no constant for them; null when they are not known.
    ast::ExprPtr count_of(const ctypes::Type &array);
    // A number: integers by their sign, pointers, enumerators, floating point as its bits, arrays as their address.
    ast::ExprPtr value(Reached object);
    ast::ExprPtr address(Reached object);
    // `object` = `assigned`, whose value is that of `assigned`; the bytes around a bit-field are read and written back.
    ast::ExprPtr assign(Reached object, ast::ExprPtr assigned, Synthesis &synthesis);

    const target::Scope *scope() const { return scope_; }
    bool user() const { return user_; }

  private:
    bool fail(const SourceRef &at, std::string message);
    // Reaches the object at a place, of the type or of a piece of one.
    std::optional<Reached> start_piece(const ctypes::Type &type, const ctypes::Place &place, const std::string &name);
    std::nullopt_t unreadable(const std::string &why, const std::string &name);
    ast::ExprPtr term(const ctypes::Term &term);
    ast::ExprPtr term_at(const ctypes::Term &term, int depth);
    ast::ExprPtr linked(uint64_t address);
    ast::ExprPtr thread_local_address(ast::ExprPtr offset);
    bool follow_pointer(Reached &object, const SourceRef &at);
    bool follow_reference(Reached &object, const SourceRef &at);
    bool enter_computed(Reached &object, const ctypes::FoundMember &member, const SourceRef &at);
    // Bytes of a type, when the program runs; null when they are not known.
    ast::ExprPtr size_of(const ctypes::Type &type, std::string &why);
    bool member(Reached &object, const ast::Component &component);
    bool put_together(std::vector<ReachedPiece> pieces, Reached &object);
    bool enter(Reached &object, ctypes::FoundMember part, const SourceRef &at);
    bool enter_piece(Reached &object, ctypes::FoundMember &member, const SourceRef &at);
    bool element_in_registers(Reached &object, const ast::Component &component);
    bool index(Reached &object, ast::Component &component);
    ast::ExprPtr number(int64_t value) const { return std::make_unique<ast::Number>(at_, value); }
    ast::ExprPtr add(ast::ExprPtr base, ast::ExprPtr offset) const;
    ast::ExprPtr load(ast::ExprPtr address, uint64_t size) const;
    ast::ExprPtr extract(ast::ExprPtr bits, uint32_t offset, uint32_t size, bool is_signed) const;

    const target::Scope *scope_;
    bool user_;
    SourceRef at_;
    AccessProblem &problem_;
    int terms_ = 0;                      // made of the location at hand
    const ast::Expr *within_ = nullptr;  // TermOp::Object of it
};

// Follows all components, whose indexes are moved from. `from_pointer`: the first is an index that counts objects from
// this one, as p[i] does.
bool follow(Accessor &accessor, Reached &object, std::vector<ast::Component> &components, bool from_pointer);

// Is a number of this type negative when its top bit is set?
bool is_signed(const ctypes::TypeInfo &info);

}  // namespace tapir::resolve
