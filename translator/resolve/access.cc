// SPDX-License-Identifier: GPL-2.0-or-later
#include "resolve/access.h"

#include "base/name_patterns.h"

namespace tapir::resolve {

using ast::BinaryOp;
using ast::ExprPtr;
using ctypes::Place;
using ctypes::Term;
using ctypes::TermOp;
using ctypes::Type;
using ctypes::TypeInfo;
using ctypes::TypeKind;

namespace {

// Limits of a location's expression. DW_OP_dup can double one with each byte, so deeper or larger ones are not
// followed.
constexpr int kMaxDepth = 100;
constexpr int kMaxTerms = 1000;

ExprPtr binary(const SourceRef &at, BinaryOp op, ExprPtr left, ExprPtr right) {
    return std::make_unique<ast::Binary>(at, op, std::move(left), std::move(right));
}

ExprPtr compare(const SourceRef &at, ast::CompareOp op, ExprPtr left, ExprPtr right) {
    return std::make_unique<ast::Compare>(at, op, std::move(left), std::move(right));
}

// The fewest bytes that hold a bit-field.
uint64_t bytes_of_bits(const Reached &object) {
    const uint32_t needed = (object.bit_offset + object.bit_size + 7) / 8;
    return needed <= 1 ? 1 : needed <= 2 ? 2 : needed <= 4 ? 4 : 8;
}

bool is_number(const ExprPtr &e, int64_t &value) {
    if (e->kind != ast::ExprKind::Number) return false;
    value = static_cast<const ast::Number &>(*e).value;
    return true;
}

}  // namespace

bool is_signed(const TypeInfo &info) {
    return (info.kind == TypeKind::Integer || info.kind == TypeKind::Enum) &&
           (info.encoding == ctypes::Encoding::Signed || info.encoding == ctypes::Encoding::SignedChar);
}

bool Accessor::fail(const SourceRef &at, std::string message) {
    problem_ = {std::move(message), at};
    return false;
}

ExprPtr Accessor::add(ExprPtr base, ExprPtr offset) const {
    int64_t a = 0, b = 0;
    if (is_number(offset, b) && b == 0) return base;
    if (is_number(base, a) && is_number(offset, b))
        return number(static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b)));
    if (base->kind == ast::ExprKind::SymbolAddress && is_number(offset, b)) {
        static_cast<ast::SymbolAddress &>(*base).offset += b;
        return base;
    }
    if (base->kind == ast::ExprKind::ProgramAddress && is_number(offset, b)) {
        static_cast<ast::ProgramAddress &>(*base).linked += b;
        return base;
    }
    return binary(at_, BinaryOp::Add, std::move(base), std::move(offset));
}

ExprPtr Accessor::load(ExprPtr address, uint64_t size) const {
    return std::make_unique<ast::Deref>(at_, user_, number(static_cast<int64_t>(size)), std::move(address));
}

// Bits of a value, as a number.
ExprPtr Accessor::extract(ExprPtr bits, uint32_t offset, uint32_t size, bool is_signed) const {
    if (size >= 64) return bits;
    const uint32_t left = 64 - offset - size;
    if (left) bits = binary(at_, BinaryOp::Shl, std::move(bits), number(left));
    return binary(at_, is_signed ? BinaryOp::Shr : BinaryOp::ShrLogical, std::move(bits), number(64 - size));
}

ExprPtr Accessor::term(const Term &t) {
    terms_ = 0;
    return term_at(t, 0);
}

// An address as the object was linked.
ExprPtr Accessor::linked(uint64_t address) {
    const auto anchor = scope_ ? scope_->anchor(address) : std::nullopt;
    if (!anchor) return nullptr;
    if (user_) return std::make_unique<ast::ProgramAddress>(at_, anchor->module, anchor->offset);
    return std::make_unique<ast::SymbolAddress>(at_, anchor->module, anchor->symbol, anchor->offset);
}

// In the block that the current thread has of the object.
ExprPtr Accessor::thread_local_address(ExprPtr offset) {
    using Kind = target::ThreadBlock::Kind;
    const target::ThreadBlock block = scope_ ? scope_->thread_block() : target::ThreadBlock{};
    if (block.kind == Kind::Unknown) {
        fail(at_, block.why);
        return nullptr;
    }
    ExprPtr word = linked(block.word);
    if (!word) return nullptr;
    const auto pointer = [&] { return std::make_unique<ast::Register>(at_, user_, number(block.thread_pointer)); };
    offset = add(std::move(offset), number(block.offset));
    if (block.kind == Kind::Module) {
        std::vector<ExprPtr> arguments;
        arguments.push_back(load(add(pointer(), number(block.vector)), 8));
        arguments.push_back(load(std::move(word), 8));
        arguments.push_back(
            load(std::make_unique<ast::ProgramAddress>(at_, block.linker, static_cast<int64_t>(block.owners)), 8));
        return add(std::make_unique<ast::Call>(at_, "__thread_block", std::move(arguments)), std::move(offset));
    }
    // Another process has something else at the same place: the address that is of no use fails where it is not mapped.
    ExprPtr from_pointer =
        block.kind == Kind::Offset ? load(std::move(word), 8) : binary(at_, BinaryOp::And, std::move(word), number(0));
    return add(binary(at_, BinaryOp::Add, std::move(from_pointer), pointer()), std::move(offset));
}

ExprPtr Accessor::term_at(const Term &t, int depth) {
    if (depth > kMaxDepth || ++terms_ > kMaxTerms) {
        fail(at_, "its location is too large an expression");
        return nullptr;
    }
    const auto operand = [&](size_t i) { return term_at(*t.operands[i], depth + 1); };
    switch (t.op) {
        case TermOp::Constant:
            return number(t.constant);
        case TermOp::Register:
            return std::make_unique<ast::Register>(at_, user_, number(t.constant));
        case TermOp::Argument:
            return std::make_unique<ast::HitArgument>(at_, static_cast<uint32_t>(t.constant));
        case TermOp::Relocated:
            return linked(static_cast<uint64_t>(t.constant));
        case TermOp::Object:
            return within_ ? ast::clone(*within_) : nullptr;
        case TermOp::Unknown:
            return std::make_unique<ast::Call>(at_, "__unknown_caller", std::vector<ExprPtr>{});
        default:
            break;
    }
    ExprPtr left = operand(0);
    if (!left) return nullptr;
    if (t.op == TermOp::Load) return load(std::move(left), t.size);
    if (t.op == TermOp::ThreadLocal) return thread_local_address(std::move(left));
    if (t.op == TermOp::Negate) return std::make_unique<ast::Unary>(at_, ast::UnaryOp::Minus, std::move(left));
    if (t.op == TermOp::Complement) return std::make_unique<ast::Unary>(at_, ast::UnaryOp::Complement, std::move(left));
    if (t.op == TermOp::Absolute) {
        ExprPtr sign = binary(at_, BinaryOp::Shr, ast::clone(*left), number(63));
        ExprPtr flipped = binary(at_, BinaryOp::Xor, std::move(left), ast::clone(*sign));
        return binary(at_, BinaryOp::Sub, std::move(flipped), std::move(sign));
    }
    ExprPtr right = operand(1);
    if (!right) return nullptr;
    if (t.op == TermOp::Select) {
        ExprPtr otherwise = operand(2);
        if (!otherwise) return nullptr;
        return std::make_unique<ast::Ternary>(at_, std::move(left), std::move(right), std::move(otherwise));
    }
    switch (t.op) {
        case TermOp::Add:
            return add(std::move(left), std::move(right));
        case TermOp::Subtract:
            return binary(at_, BinaryOp::Sub, std::move(left), std::move(right));
        case TermOp::Multiply:
            return binary(at_, BinaryOp::Mul, std::move(left), std::move(right));
        case TermOp::Divide:
            return binary(at_, BinaryOp::Div, std::move(left), std::move(right));
        case TermOp::Modulo:
            return binary(at_, BinaryOp::Mod, std::move(left), std::move(right));
        case TermOp::And:
            return binary(at_, BinaryOp::And, std::move(left), std::move(right));
        case TermOp::Or:
            return binary(at_, BinaryOp::Or, std::move(left), std::move(right));
        case TermOp::Xor:
            return binary(at_, BinaryOp::Xor, std::move(left), std::move(right));
        case TermOp::ShiftLeft:
            return binary(at_, BinaryOp::Shl, std::move(left), std::move(right));
        case TermOp::ShiftRight:
            return binary(at_, BinaryOp::ShrLogical, std::move(left), std::move(right));
        case TermOp::ShiftRightArithmetic:
            return binary(at_, BinaryOp::Shr, std::move(left), std::move(right));
        case TermOp::Equal:
            return compare(at_, ast::CompareOp::Eq, std::move(left), std::move(right));
        case TermOp::NotEqual:
            return compare(at_, ast::CompareOp::Ne, std::move(left), std::move(right));
        case TermOp::Less:
            return compare(at_, ast::CompareOp::Lt, std::move(left), std::move(right));
        case TermOp::LessEqual:
            return compare(at_, ast::CompareOp::Le, std::move(left), std::move(right));
        case TermOp::Greater:
            return compare(at_, ast::CompareOp::Gt, std::move(left), std::move(right));
        case TermOp::GreaterEqual:
            return compare(at_, ast::CompareOp::Ge, std::move(left), std::move(right));
        default:
            return nullptr;
    }
}

std::nullopt_t Accessor::unreadable(const std::string &why, const std::string &name) {
    const std::string elsewhere = scope_ ? scope_->readable_at(name) : "";
    fail(at_, "'" + name + "' cannot be read: " + why + (elsewhere.empty() ? "" : "; " + elsewhere));
    return std::nullopt;
}

std::optional<Reached> Accessor::start(const Type &type, const Place &place, const std::string &name) {
    std::optional<Reached> object = start_piece(type, place, name);
    return object && follow_reference(*object, at_) ? std::move(object) : std::nullopt;
}

std::optional<Reached> Accessor::start_piece(const Type &type, const Place &place, const std::string &name) {
    Reached object;
    object.type = type;
    switch (place.kind) {
        case Place::Kind::Absent:
            return unreadable(place.why, name);
        case Place::Kind::Memory:
            object.address = term(*place.term);
            break;
        case Place::Kind::Register:
            object.in_register = place.term->constant;
            object.value = term(*place.term);
            break;
        case Place::Kind::Value:
            object.value = term(*place.term);
            break;
        case Place::Kind::Pieces: {
            std::vector<ReachedPiece> pieces;
            const TypeKind kind = type.stripped().info().kind;
            const bool has_parts = kind == TypeKind::Struct || kind == TypeKind::Union || kind == TypeKind::Array;
            uint64_t described = 0;
            for (const ctypes::Piece &piece : place.pieces) {
                described += piece.bytes;
                if (has_parts && piece.place.kind == Place::Kind::Absent) {
                    pieces.push_back({nullptr, nullptr, piece.bytes});
                    continue;
                }
                std::optional<Reached> part = start_piece(type, piece.place, name);
                if (!part) return std::nullopt;
                pieces.push_back({std::move(part->address), std::move(part->value), piece.bytes});
            }
            if (const auto size = ctypes::type_size(type); has_parts && size && described < *size)
                pieces.push_back({nullptr, nullptr, *size - described});
            if (!put_together(std::move(pieces), object)) return std::nullopt;
            break;
        }
    }
    if (object.address || object.value || !object.pieces.empty()) return object;
    if (problem_.message.empty()) fail(at_, "'" + name + "' is at an address for which there is no symbol");
    return std::nullopt;
}

Reached Accessor::at_pointer(const Type &pointee, ExprPtr pointer) const {
    Reached object;
    object.type = pointee;
    object.address = std::move(pointer);
    return object;
}

// A pointer becomes its pointee.
bool Accessor::follow_pointer(Reached &object, const SourceRef &at) {
    const Type pointer = object.type.stripped();
    const Type target = pointer.with(pointer.info().target);
    ExprPtr address = value(std::move(object));
    if (!address) return false;
    if (target.stripped().info().kind == TypeKind::Void)
        return fail(at, "what a void pointer points to has no type; use @cast");
    object = at_pointer(target, std::move(address));
    return true;
}

// An object whose type is a reference is the one it refers to.
bool Accessor::follow_reference(Reached &object, const SourceRef &at) {
    if (!object.type.stripped().info().reference) return true;
    if (!follow_pointer(object, at)) return false;
    object.by_reference = true;
    return true;
}

// To the object that the offset of a found member counts from.
bool Accessor::enter_computed(Reached &object, const ctypes::FoundMember &member, const SourceRef &at) {
    if (!member.computed.empty() && !object.address)
        return fail(at, "only an object in memory tells where it is, and this one is not in memory here");
    for (const ctypes::ComputedPart &part : member.computed) {
        const ExprPtr whole = add(std::move(object.address), number(static_cast<int64_t>(part.byte_offset)));
        ctypes::TermPtr address = part.address;
        if (!address && scope_) {
            const Place place = scope_->measure(member.type.with(part.id));
            if (place.kind != Place::Kind::Memory) return fail(at, "where it is is not known here: " + place.why);
            address = place.term;
        }
        if (!address) return fail(at, "where it is is known only at a probe in the function that declares it");
        within_ = whole.get();
        object.address = term(*address);
        within_ = nullptr;
        if (!object.address)
            return problem_.message.empty() ? fail(at, "what computes its place cannot be read") : false;
    }
    return true;
}

bool Accessor::member(Reached &object, const ast::Component &component) {
    // "->" is both of C's "->" and ".".
    for (int depth = 0; object.type.stripped().info().kind == TypeKind::Pointer; ++depth)
        if (depth > 0 || !follow_pointer(object, component.at))
            return depth == 0 ? false
                              : fail(component.at, "'" + component.member + "' is asked of a pointer to a pointer");
    const Type structure = object.type.stripped().completed();
    const TypeInfo info = structure.info();
    if (info.kind != TypeKind::Struct && info.kind != TypeKind::Union)
        return fail(component.at, "'" + component.member + "' is asked of type '" + ctypes::type_name(object.type) +
                                      "', which has no members");
    if (info.declaration)
        return fail(component.at,
                    "'" + ctypes::type_name(object.type) +
                        "' is only declared here, its members are not known; @cast with another module may know them");
    auto found = ctypes::find_member(structure, component.member);
    if (!found) {
        const std::vector<std::string> names = ctypes::member_names(structure);
        return fail(component.at, "unable to find member '" + component.member + "' for " +
                                      ctypes::type_name(structure) +
                                      similar_text(similar_names(component.member, names), "alternatives"));
    }
    if (!found->unplaced.empty())
        return fail(component.at, "'" + component.member + "' cannot be read: " + found->unplaced);
    if (found->place) {  // a static one
        auto defined = start(found->type, *found->place, component.member);
        if (defined) object = std::move(*defined);
        return defined.has_value();
    }
    return enter(object, std::move(*found), component.at) && follow_reference(object, component.at);
}

// From an object to a part of it: a member, or an element of an array that is in no memory.
bool Accessor::enter(Reached &object, ctypes::FoundMember part, const SourceRef &at) {
    if (!object.pieces.empty() && !enter_piece(object, part, at)) return false;
    if (!enter_computed(object, part, at)) return false;
    object.in_register.reset();
    object.by_reference = false;
    object.type = part.type;
    if (!object.pieces.empty()) return true;
    if (!part.bit_size && !object.value) {
        object.address = add(std::move(object.address), number(static_cast<int64_t>(part.bit_offset / 8)));
        return true;
    }
    if (object.address)
        object.address = add(std::move(object.address), number(static_cast<int64_t>(part.bit_offset / 8)));
    object.bit_offset =
        static_cast<uint32_t>(object.address ? part.bit_offset % 8 : object.bit_offset + part.bit_offset);
    object.bit_size = part.bit_size;
    if (object.value && !object.bit_size) {
        const auto size = ctypes::type_size(part.type);
        if (!size || *size > 8)
            return fail(at,
                        "a value of type '" + ctypes::type_name(part.type) + "' is spread over several places here");
        object.bit_size = static_cast<uint32_t>(*size * 8);
    }
    return true;
}

bool Accessor::index(Reached &object, ast::Component &component) {
    const Type type = object.type.stripped();
    const TypeInfo info = type.info();
    if (!info.unread.empty())
        return fail(component.at, "type '" + ctypes::type_name(object.type) + "' cannot be read: " + info.unread);
    if (info.kind == TypeKind::Pointer) {
        if (!follow_pointer(object, component.at)) return false;
    } else if (info.kind == TypeKind::Array && object.address) {
        object.type = type.with(info.target);
    } else if (info.kind == TypeKind::Array) {
        return element_in_registers(object, component);
    } else {
        return fail(component.at, "type '" + ctypes::type_name(object.type) +
                                      "' is not an array or a pointer, so it has no elements");
    }
    return element(object, component);
}

// The place has it where debug information has no constant.
ExprPtr Accessor::count_of(const Type &array) {
    const Place place = scope_ ? scope_->measure(array) : ctypes::absent("");
    if (place.kind == Place::Kind::Value) return term(*place.term);
    fail(at_, place.why);
    return nullptr;
}

ExprPtr Accessor::size_of(const Type &type, std::string &why) {
    const Type plain = type.stripped().completed();
    const TypeInfo info = plain.info();
    // An array without a bound is of no known size, not of none.
    if (info.kind == TypeKind::Array && !info.computed && info.count == 0) return nullptr;
    if (const auto size = ctypes::type_size(plain)) return number(static_cast<int64_t>(*size));
    if (!info.computed && info.kind != TypeKind::Array) return nullptr;
    ExprPtr extent = info.computed ? count_of(plain) : number(static_cast<int64_t>(info.count));
    if (!extent) {
        why = problem_.message;
        return nullptr;
    }
    if (info.kind != TypeKind::Array) return extent;
    ExprPtr element = size_of(plain.with(info.target), why);
    return element ? binary(at_, BinaryOp::Mul, std::move(extent), std::move(element)) : nullptr;
}

bool Accessor::element(Reached &object, ast::Component &component) {
    std::string why;
    ExprPtr size = size_of(object.type, why);
    if (!size)
        return fail(component.at, "elements of type '" + ctypes::type_name(object.type) + "' have no known size" +
                                      (why.empty() ? "" : ": " + why));
    int64_t at = 0, bytes = 0;
    ExprPtr offset = std::move(component.index);
    if (is_number(size, bytes) && is_number(offset, at))
        offset = number(static_cast<int64_t>(static_cast<uint64_t>(at) * static_cast<uint64_t>(bytes)));
    else if (!is_number(size, bytes) || bytes != 1)
        offset = binary(at_, BinaryOp::Mul, std::move(offset), std::move(size));
    object.address = add(std::move(object.address), std::move(offset));
    object.by_reference = false;
    return true;
}

bool Accessor::step(Reached &object, ast::Component &component) {
    return component.kind == ast::Component::Kind::Member ? member(object, component) : index(object, component);
}

bool follow(Accessor &accessor, Reached &object, std::vector<ast::Component> &components, bool from_pointer) {
    for (ast::Component &component : components) {
        const bool is_first = &component == &components.front();
        if (!(is_first && from_pointer ? accessor.element(object, component) : accessor.step(object, component)))
            return false;
    }
    return true;
}

ExprPtr Accessor::value(Reached object) {
    const Type type = object.type.stripped().completed();
    const TypeInfo info = type.info();
    const uint64_t size = info.size;
    if (!info.unread.empty()) {
        fail(at_, "a value of type '" + ctypes::type_name(object.type) + "' cannot be read: " + info.unread);
        return nullptr;
    }
    switch (info.kind) {
        case TypeKind::Array:
        case TypeKind::Function:
            if (object.address) return std::move(object.address);
            fail(at_, "an array in registers cannot be read");
            return nullptr;
        case TypeKind::Struct:
        case TypeKind::Union:
            fail(at_, "'" + ctypes::type_name(type) + "' is being accessed as a number instead of a member of it");
            return nullptr;
        case TypeKind::Void:
        case TypeKind::Unknown:
            fail(at_, "a value of type '" + ctypes::type_name(object.type) + "' cannot be read");
            return nullptr;
        default:
            break;
    }
    if (size == 0 || size > 8) {
        fail(at_, "a value of type '" + ctypes::type_name(object.type) + "' does not fit 64 bits");
        return nullptr;
    }
    if (!object.address && !object.value) {
        fail(at_, "a part of it is optimized out here");
        return nullptr;
    }
    const auto bits = static_cast<uint32_t>(size * 8);
    if (object.bit_offset + object.bit_size > 64) {
        fail(at_, "a bit-field over nine bytes cannot be read");
        return nullptr;
    }
    if (object.value)
        return extract(std::move(object.value), object.bit_offset, object.bit_size ? object.bit_size : bits,
                       is_signed(info));
    if (!object.bit_size) {
        if (size != 1 && size != 2 && size != 4 && size != 8) {  // an odd size: 3 bytes and the like
            fail(at_, "a value of " + std::to_string(size) + " bytes cannot be read");
            return nullptr;
        }
        ExprPtr loaded = load(std::move(object.address), size);
        return is_signed(info) ? extract(std::move(loaded), 0, bits, true) : std::move(loaded);
    }
    const uint64_t bytes = bytes_of_bits(object);
    return extract(load(std::move(object.address), bytes), object.bit_offset, object.bit_size, is_signed(info));
}

ExprPtr Accessor::address(Reached object) {
    if (object.bit_size && object.address) {
        fail(at_, "a bit-field has no address");
        return nullptr;
    }
    if (!object.address) fail(at_, "it is not in memory here and has no address");
    return std::move(object.address);
}

ExprPtr Accessor::assign(Reached object, ExprPtr assigned, Synthesis &synthesis) {
    const TypeInfo info = object.type.stripped().completed().info();
    const bool scalar = info.kind == TypeKind::Integer || info.kind == TypeKind::Enum ||
                        info.kind == TypeKind::Pointer || info.kind == TypeKind::Float;
    if (!scalar || info.size == 0 || info.size > 8 || !info.unread.empty()) {
        fail(at_, "a value of type '" + ctypes::type_name(object.type) + "' cannot be assigned" +
                      (info.unread.empty() ? "" : ": " + info.unread));
        return nullptr;
    }
    if (object.bit_offset + object.bit_size > 64) {
        fail(at_, "a bit-field over nine bytes cannot be assigned");
        return nullptr;
    }
    if (!object.address && !object.in_register) {
        fail(at_, "it is computed here and cannot be assigned");
        return nullptr;
    }
    const auto set = [&](ExprPtr target, ExprPtr value) {
        return std::make_unique<ast::Assign>(at_, ast::AssignOp::Set, std::move(target), std::move(value));
    };
    if (!object.address && info.kind == TypeKind::Float) {
        fail(at_, "it is in a vector register, which cannot be assigned");
        return nullptr;
    }
    // Extends a narrow value to the whole register, as callers do.
    if (!object.address)
        return set(std::make_unique<ast::Register>(at_, user_, number(*object.in_register)),
                   extract(std::move(assigned), 0, static_cast<uint32_t>(info.size * 8), is_signed(info)));
    if (!object.bit_size) return set(load(std::move(object.address), info.size), std::move(assigned));
    // { *address = (*address & ~mask) | ((value << offset) & mask); return value }
    const auto name = [&](const char *parameter) { return std::make_unique<ast::VarRef>(at_, parameter); };
    const uint64_t bytes = bytes_of_bits(object);
    const uint64_t ones = object.bit_size >= 64 ? ~uint64_t{0} : (uint64_t{1} << object.bit_size) - 1;
    const auto mask = static_cast<int64_t>(ones << object.bit_offset);
    ExprPtr kept = binary(at_, BinaryOp::And, load(name("address"), bytes), number(~mask));
    ExprPtr shifted = binary(at_, BinaryOp::Shl, name("value"), number(object.bit_offset));
    ExprPtr bits = binary(at_, BinaryOp::And, std::move(shifted), number(mask));
    auto body = std::make_unique<ast::Block>(at_);
    body->body.push_back(std::make_unique<ast::ExprStmt>(
        at_, set(load(name("address"), bytes), binary(at_, BinaryOp::Or, std::move(kept), std::move(bits)))));
    auto result = std::make_unique<ast::Return>(at_);
    result->value = name("value");
    body->body.push_back(std::move(result));
    std::vector<Synthesis::Argument> arguments;
    arguments.push_back({"address", std::move(object.address)});
    arguments.push_back({"value", std::move(assigned)});
    return synthesis.call(at_, "set_bits", ast::Type::Long, std::move(arguments), std::move(body));
}

}  // namespace tapir::resolve
