// SPDX-License-Identifier: GPL-2.0-or-later
#include "resolve/pretty.h"

namespace tapir::resolve {

using ast::ExprPtr;
using ctypes::Encoding;
using ctypes::Type;
using ctypes::TypeInfo;
using ctypes::TypeKind;
using Conv = ast::FormatPiece::Conv;
using Flag = ast::FormatPiece::Flag;

namespace {

constexpr size_t kMaxValues = 32;  // sprintf takes no more
constexpr uint64_t kMaxElements = 5;
constexpr int kMaxDepth = 32;
constexpr const char *kBase = "base";
constexpr const char *kUnreadable = "<unknown>";  // instead of a string

bool is_character(const TypeInfo &info) {
    return info.kind == TypeKind::Integer && info.size == 1 &&
           (info.encoding == Encoding::SignedChar || info.encoding == Encoding::UnsignedChar);
}

bool is_structure(TypeKind kind) {
    return kind == TypeKind::Struct || kind == TypeKind::Union;
}

Type target_of(const Type &type) {
    return type.with(type.info().target).stripped().completed();
}

class Renderer {
  public:
    // Parts are at `base`: memory at that address, or the bits of that value.
    Renderer(bool in_memory, bool full, bool user, const target::Scope *scope, const SourceRef &at)
        : in_memory_(in_memory), full_(full), user_(user), at_(at), access_(scope, user, at), format_(at) {}

    void object(const Type &type, uint64_t bit_offset, uint32_t bit_size, int depth) {
        const Type plain = type.stripped().completed();
        const TypeInfo info = plain.info();
        if (is_structure(info.kind)) return structure(plain, bit_offset, depth);
        if (info.kind == TypeKind::Array) return array(plain, bit_offset, depth);
        if (format_.values() >= kMaxValues) return format_.text("...");
        ExprPtr value = access_.value(part(type, bit_offset, bit_size));
        if (!value || info.kind == TypeKind::Float) return format_.text("?");
        if (info.kind == TypeKind::Pointer) {
            if (is_character(target_of(plain).info())) return string(std::move(value), nullptr);
            return format_.value(Conv::Pointer, std::move(value));
        }
        if (is_character(info) && !bit_size) {
            format_.text("'");
            format_.value(Conv::Char, std::move(value), Flag::Alternate);
            return format_.text("'");
        }
        const bool is_number = is_signed(info) || info.encoding == Encoding::Boolean || info.kind == TypeKind::Enum;
        format_.value(is_number ? Conv::Decimal : Conv::Unsigned, std::move(value));
    }

    ExprPtr build() { return format_.build(); }

  private:
    void structure(const Type &type, uint64_t bit_offset, int depth) {
        if (depth > kMaxDepth || (depth > 0 && !full_)) return format_.text("{...}");
        format_.text("{");
        bool first = true;
        for (const ctypes::Member &member : type.source->members(type.id)) {
            if (!first) format_.text(", ");
            first = false;
            if (format_.values() >= kMaxValues) {
                format_.text("...");
                break;
            }
            if (!member.name.empty()) format_.text("." + member.name + "=");
            object(type.with(member.type), bit_offset + member.bit_offset, member.bit_size, depth + 1);
        }
        format_.text("}");
    }

    void array(const Type &type, uint64_t bit_offset, int depth) {
        const TypeInfo info = type.info();
        const Type element = type.with(info.target);
        if (is_character(element.stripped().info()) && in_memory_) {
            if (format_.values() >= kMaxValues) return format_.text("...");
            ExprPtr length =
                info.count ? std::make_unique<ast::Number>(at_, static_cast<int64_t>(info.count)) : nullptr;
            return string(access_.address(part(type, bit_offset, 0)), std::move(length));
        }
        const auto size = ctypes::type_size(element);
        if (depth > kMaxDepth || (depth > 0 && !full_) || !size) return format_.text("[...]");
        format_.text("[");
        for (uint64_t i = 0; i < info.count; ++i) {
            if (i > 0) format_.text(", ");
            if (i == kMaxElements || format_.values() >= kMaxValues) {
                format_.text("...");
                break;
            }
            object(element, bit_offset + i * *size * 8, 0, depth + 1);
        }
        format_.text("]");
    }

    void string(ExprPtr address, ExprPtr length) {
        std::string name = user_ ? "user_string" : "kernel_string";
        std::vector<ExprPtr> args;
        args.push_back(std::move(address));
        if (length) {
            name += "_n";
            args.push_back(std::move(length));
        }
        args.push_back(std::make_unique<ast::String>(at_, kUnreadable));
        format_.text("\"");
        format_.value(Conv::String, std::make_unique<ast::Call>(at_, name, std::move(args)));
        format_.text("\"");
    }

    // A part of what is at `base`.
    Reached part(const Type &type, uint64_t bit_offset, uint32_t bit_size) const {
        Reached part;
        part.type = type;
        ExprPtr base = std::make_unique<ast::VarRef>(at_, kBase);
        if (!in_memory_) {
            part.value = std::move(base);
            part.bit_offset = static_cast<uint32_t>(bit_offset);
            part.bit_size = bit_size ? bit_size : static_cast<uint32_t>(ctypes::type_size(type).value_or(8) * 8);
            return part;
        }
        part.address = std::move(base);
        if (bit_offset >= 8)
            part.address =
                std::make_unique<ast::Binary>(at_, ast::BinaryOp::Add, std::move(part.address),
                                              std::make_unique<ast::Number>(at_, static_cast<int64_t>(bit_offset / 8)));
        part.bit_offset = bit_size ? static_cast<uint32_t>(bit_offset % 8) : 0;
        part.bit_size = bit_size;
        return part;
    }

    bool in_memory_, full_, user_;
    SourceRef at_;
    mutable Accessor access_;
    FormatBuilder format_;
};

// { try { base = ...; return sprintf(...) } catch { return "ERROR" } }
ast::StmtPtr guarded(const SourceRef &at, ExprPtr base, ExprPtr text) {
    auto body = std::make_unique<ast::Block>(at);
    auto assign = std::make_unique<ast::Assign>(at, ast::AssignOp::Set, std::make_unique<ast::VarRef>(at, kBase),
                                                std::move(base));
    body->body.push_back(std::make_unique<ast::ExprStmt>(at, std::move(assign)));
    auto result = std::make_unique<ast::Return>(at);
    result->value = std::move(text);
    body->body.push_back(std::move(result));
    auto instead = std::make_unique<ast::Return>(at);
    instead->value = std::make_unique<ast::String>(at, "ERROR");
    auto attempt = std::make_unique<ast::Try>(at);
    attempt->body = std::move(body);
    attempt->handler = std::move(instead);
    return attempt;
}

}  // namespace

ExprPtr pretty(Reached object, bool full, bool user, const target::Scope *scope, const SourceRef &at,
               Synthesis &synthesis) {
    const Type plain = object.type.stripped();
    if (plain.info().kind == TypeKind::Pointer && is_structure(target_of(plain).info().kind)) {
        const Type pointee = plain.with(plain.info().target);
        Accessor access(scope, user, at);
        ExprPtr pointer = access.value(std::move(object));
        if (pointer) object = access.at_pointer(pointee, std::move(pointer));
    }
    if (!object.address && !object.value) return std::make_unique<ast::String>(at, "?");
    Renderer renderer(object.address != nullptr, full, user, scope, at);
    renderer.object(object.type, object.bit_offset, object.bit_size, 0);
    ExprPtr text = renderer.build();
    if (text->kind == ast::ExprKind::String) return text;
    ExprPtr base = std::move(object.address ? object.address : object.value);
    std::vector<Synthesis::Argument> arguments;
    hoist(base, arguments);
    return synthesis.call(at, "pretty", ast::Type::String, std::move(arguments),
                          guarded(at, std::move(base), std::move(text)));
}

}  // namespace tapir::resolve
