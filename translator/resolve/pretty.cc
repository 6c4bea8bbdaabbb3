// SPDX-License-Identifier: GPL-2.0-or-later
#include "resolve/pretty.h"

#include <algorithm>

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
constexpr int kMaxVariants = 200;  // in one text, however they are within each other
constexpr const char *kNoVariant = "<no variant>";
constexpr const char *kVirtualTable = "_vptr";
constexpr const char *kUnreadable = "<unknown>";  // instead of a string

bool is_character(const TypeInfo &info) {
    return info.kind == TypeKind::Integer && info.size == 1 &&
           (info.encoding == Encoding::SignedChar || info.encoding == Encoding::UnsignedChar);
}

// Bytes of a character of UTF-16 or UTF-32, by its type's names or its encoding; 0 of others.
uint64_t wide_character(Type type) {
    for (int depth = 0; depth < kMaxDepth; ++depth) {
        const TypeInfo info = type.info();
        const bool named = info.name == "char16_t" || info.name == "char32_t" || info.name == "wchar_t";
        const bool last = info.kind != TypeKind::Typedef && info.kind != TypeKind::Qualified;
        if (named || (last && info.kind == TypeKind::Integer && info.encoding == Encoding::UnsignedChar)) {
            const uint64_t size = ctypes::type_size(type).value_or(0);
            return size == 2 || size == 4 ? size : 0;
        }
        if (last) return 0;
        type = type.with(info.target);
    }
    return 0;
}

bool is_structure(TypeKind kind) {
    return kind == TypeKind::Struct || kind == TypeKind::Union;
}

Type target_of(const Type &type) {
    return type.with(type.info().target).stripped().completed();
}

std::string base_name(size_t number) {
    return number == 0 ? kBase : kBase + std::to_string(number + 1);
}

class Renderer {
  public:
    // Parts are at `base`: memory at that address or, with `pieces`, the bits of as many values, each of so many bytes.
    Renderer(std::vector<uint64_t> pieces, bool full, bool user, const target::Scope *scope, const SourceRef &at)
        : pieces_(std::move(pieces)),
          in_memory_(pieces_.empty()),
          full_(full),
          user_(user),
          at_(at),
          access_(scope, user, at),
          format_(at) {}

    void object(const Type &type, uint64_t bit_offset, uint32_t bit_size, int depth) {
        const Type plain = type.stripped().completed();
        const TypeInfo info = plain.info();
        if (!info.unread.empty()) return format_.text("?");
        if (is_structure(info.kind)) return structure(plain, bit_offset, depth);
        if (info.kind == TypeKind::Array) return array(plain, bit_offset, depth);
        if (format_.values() >= kMaxValues) return format_.text("...");
        ExprPtr value = value_of(type, bit_offset, bit_size);
        if (!value || info.kind == TypeKind::Float) return format_.text("?");
        if (info.kind == TypeKind::Pointer) {
            if (is_character(target_of(plain).info())) return string(std::move(value), nullptr);
            if (const uint64_t bytes = wide_character(plain.with(info.target)))
                return wide_string(std::move(value), bytes, number(UINT32_MAX));
            return format_.value(Conv::Pointer, std::move(value));
        }
        if (is_character(info) && !bit_size) {
            format_.text("'");
            format_.value(Conv::Char, std::move(value), Flag::Alternate);
            return format_.text("'");
        }
        if (wide_character(type) && !bit_size) {
            format_.text("'");
            format_.value(Conv::String, call("__wide_character", std::move(value)));
            return format_.text("'");
        }
        const bool is_number = is_signed(info) || info.encoding == Encoding::Boolean || info.kind == TypeKind::Enum;
        format_.value(is_number ? Conv::Decimal : Conv::Unsigned, std::move(value));
    }

    ExprPtr build() { return format_.build(); }
    // Lengths that the text depends on: further bases.
    std::vector<ExprPtr> take_lengths() { return std::move(*lengths_); }

  private:
    void structure(const Type &type, uint64_t bit_offset, int depth) {
        if (depth > kMaxDepth || (depth > 0 && !full_)) return format_.text("{...}");
        const auto variants = type.source->variants(type.id);
        if (variants && !variants->variants.empty()) return variant(type, *variants, bit_offset, depth);
        format_.text("{");
        bool first = true;
        members(type, bit_offset, depth, first);
        format_.text("}");
    }

    // Those of base classes stand before those of the class; static ones are not part of an object.
    void members(const Type &type, uint64_t bit_offset, int depth, bool &first) {
        if (depth > kMaxDepth) return;
        for (const ctypes::Member &member : type.source->members(type.id)) {
            if (member.place || member.name.starts_with(kVirtualTable)) continue;
            const Type of = type.with(member.type);
            if (member.inherited && is_fixed(member)) {
                members(of.stripped().completed(), bit_offset + member.bit_offset, depth + 1, first);
                continue;
            }
            if (!first) format_.text(", ");
            first = false;
            if (format_.values() >= kMaxValues) {
                format_.text("...");
                break;
            }
            if (member.inherited) {
                format_.text("<" + of.info().name + ">={...}");
                continue;
            }
            if (!member.name.empty()) format_.text("." + member.name + "=");
            if (is_fixed(member))
                object(of, bit_offset + member.bit_offset, member.bit_size, depth + 1);
            else
                format_.text("?");
        }
    }

    // The variant that is there: discriminant == value ? "..." : discriminant == value ? "..." : ...
    void variant(const Type &type, const ctypes::VariantPart &part, uint64_t bit_offset, int depth) {
        if (format_.values() >= kMaxValues) return format_.text("...");
        if (part.unread || (part.discriminant && !is_fixed(*part.discriminant))) return format_.text("?");
        format_.value(Conv::String, variant_text(type, part, bit_offset, depth));
    }

    ExprPtr variant_text(const Type &type, const ctypes::VariantPart &part, uint64_t bit_offset, int depth) {
        if ((*variants_left_ -= static_cast<int>(part.variants.size())) < 0)
            return std::make_unique<ast::String>(at_, "...");
        const auto fallback = std::find_if(part.variants.begin(), part.variants.end(),
                                           [](const auto &variant) { return variant.values.empty(); });
        ExprPtr text = fallback == part.variants.end() ? std::make_unique<ast::String>(at_, kNoVariant)
                                                       : one_variant(type, fallback->member, bit_offset, depth);
        if (!part.discriminant) return text;
        for (auto variant = part.variants.rbegin(); variant != part.variants.rend(); ++variant) {
            ExprPtr is_it;
            for (int64_t value : variant->values) {
                ExprPtr same = is_discriminant(type, *part.discriminant, value, bit_offset);
                if (!same) return std::make_unique<ast::String>(at_, "?");
                is_it = is_it ? std::make_unique<ast::Logical>(at_, false, std::move(is_it), std::move(same))
                              : std::move(same);
            }
            if (is_it)
                text = std::make_unique<ast::Ternary>(
                    at_, std::move(is_it), one_variant(type, variant->member, bit_offset, depth), std::move(text));
        }
        return text;
    }

    // "Number{.__0=7}", "Empty"
    ExprPtr one_variant(const Type &type, const ctypes::Member &member, uint64_t bit_offset, int depth) {
        if (!is_fixed(member)) return std::make_unique<ast::String>(at_, "?");
        Renderer inner = within();
        const Type of = type.with(member.type).stripped().completed();
        inner.format_.text(member.name);
        if (!of.source->members(of.id).empty()) inner.object(of, bit_offset + member.bit_offset, 0, depth);
        return inner.build();
    }

    ExprPtr is_discriminant(const Type &type, const ctypes::Member &discriminant, int64_t value, uint64_t bit_offset) {
        const Type of = type.with(discriminant.type).stripped();
        const auto size = ctypes::type_size(of);
        ExprPtr actual = value_of(of, bit_offset + discriminant.bit_offset, 0);
        if (!actual || !size || *size == 0 || *size > 8) return nullptr;
        // Debug information may have written it with the other sign.
        const auto unused = static_cast<int>(64 - *size * 8);
        const auto shifted = static_cast<uint64_t>(value) << unused;
        const int64_t wanted =
            is_signed(of.info()) ? static_cast<int64_t>(shifted) >> unused : static_cast<int64_t>(shifted >> unused);
        return std::make_unique<ast::Compare>(at_, ast::CompareOp::Eq, std::move(actual),
                                              std::make_unique<ast::Number>(at_, wanted));
    }

    static bool is_fixed(const ctypes::Member &member) { return !member.is_computed && member.unplaced.empty(); }

    // For a part that has a text of its own.
    Renderer within() const {
        Renderer inner(pieces_, full_, user_, access_.scope(), at_);
        inner.variants_left_ = variants_left_;
        inner.lengths_ = lengths_;
        return inner;
    }

    // Elements of an array that has no constant for them, as a further base; null when they are not known.
    ExprPtr length_of(const Type &array) {
        constexpr size_t kMaxLengths = 8;
        ExprPtr count = in_memory_ && lengths_->size() < kMaxLengths ? access_.count_of(array) : nullptr;
        if (!count) return nullptr;
        lengths_->push_back(std::move(count));
        return std::make_unique<ast::VarRef>(at_, base_name(lengths_->size()));
    }

    void array(const Type &type, uint64_t bit_offset, int depth) {
        const TypeInfo info = type.info();
        const Type element = type.with(info.target);
        ExprPtr computed = info.computed ? length_of(type) : nullptr;
        if (info.computed && !computed) return format_.text("[...]");
        if (is_character(element.stripped().info()) && in_memory_) {
            if (format_.values() >= kMaxValues) return format_.text("...");
            ExprPtr length = computed     ? std::move(computed)
                             : info.count ? std::make_unique<ast::Number>(at_, static_cast<int64_t>(info.count))
                                          : nullptr;
            return string(access_.address(part(type, bit_offset, 0)), std::move(length));
        }
        if (const uint64_t bytes = wide_character(element); bytes && in_memory_ && format_.values() < kMaxValues) {
            ExprPtr units = computed ? std::move(computed) : number(info.count ? info.count : UINT32_MAX);
            return wide_string(access_.address(part(type, bit_offset, 0)), bytes, std::move(units));
        }
        const auto size = ctypes::type_size(element);
        if (depth > kMaxDepth || (depth > 0 && !full_) || !size) return format_.text("[...]");
        format_.text("[");
        if (computed) {
            elements(element, bit_offset, *size, *computed, depth);
            return format_.text("]");
        }
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

    // (count > 0 ? "first" : "") (count > 1 ? ", second" : "") ...
    void elements(const Type &element, uint64_t bit_offset, uint64_t size, const ast::Expr &count, int depth) {
        for (uint64_t i = 0; i <= kMaxElements && format_.values() < kMaxValues; ++i) {
            Renderer inner = within();
            if (i > 0) inner.format_.text(", ");
            if (i == kMaxElements)
                inner.format_.text("...");
            else
                inner.object(element, bit_offset + i * size * 8, 0, depth + 1);
            ExprPtr has_it =
                std::make_unique<ast::Compare>(at_, ast::CompareOp::Gt, ast::clone(count),
                                               std::make_unique<ast::Number>(at_, static_cast<int64_t>(i)));
            format_.value(Conv::String, std::make_unique<ast::Ternary>(at_, std::move(has_it), inner.build(),
                                                                       std::make_unique<ast::String>(at_, "")));
        }
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

    template <typename... Arguments>
    ExprPtr call(const char *function, Arguments... arguments) const {
        std::vector<ExprPtr> list;
        (list.push_back(std::move(arguments)), ...);
        return std::make_unique<ast::Call>(at_, function, std::move(list));
    }

    ExprPtr number(uint64_t value) const { return std::make_unique<ast::Number>(at_, static_cast<int64_t>(value)); }

    void wide_string(ExprPtr address, uint64_t bytes, ExprPtr units) {
        format_.text("\"");
        format_.value(Conv::String, call(user_ ? "__user_wide_text" : "__kernel_wide_text", std::move(address),
                                         number(bytes), std::move(units)));
        format_.text("\"");
    }

    // Null for what is not in one of the values.
    ExprPtr value_of(const Type &type, uint64_t bit_offset, uint32_t bit_size) {
        Reached found = part(type, bit_offset, bit_size);
        return found.address || found.value ? access_.value(std::move(found)) : nullptr;
    }

    // A part of what is at `base`.
    Reached part(const Type &type, uint64_t bit_offset, uint32_t bit_size) const {
        Reached part;
        part.type = type;
        if (!in_memory_) {
            const auto size = ctypes::type_size(type);
            if (!bit_size && (!size || *size > 8)) return part;
            part.bit_size = bit_size ? bit_size : static_cast<uint32_t>(*size * 8);
            for (size_t i = 0; i < pieces_.size(); ++i) {
                const uint64_t bits = pieces_[i] * 8;
                if (bit_offset + part.bit_size <= bits) {
                    part.value = std::make_unique<ast::VarRef>(at_, base_name(i));
                    part.bit_offset = static_cast<uint32_t>(bit_offset);
                    break;
                }
                if (bit_offset < bits) break;
                bit_offset -= bits;
            }
            return part;
        }
        part.address = std::make_unique<ast::VarRef>(at_, base_name(0));
        if (bit_offset >= 8)
            part.address =
                std::make_unique<ast::Binary>(at_, ast::BinaryOp::Add, std::move(part.address),
                                              std::make_unique<ast::Number>(at_, static_cast<int64_t>(bit_offset / 8)));
        part.bit_offset = bit_size ? static_cast<uint32_t>(bit_offset % 8) : 0;
        part.bit_size = bit_size;
        return part;
    }

    std::shared_ptr<int> variants_left_ = std::make_shared<int>(kMaxVariants);
    std::shared_ptr<std::vector<ExprPtr>> lengths_ = std::make_shared<std::vector<ExprPtr>>();
    std::vector<uint64_t> pieces_;
    bool in_memory_, full_, user_;
    SourceRef at_;
    mutable Accessor access_;
    FormatBuilder format_;
};

// { try { base = ...; return sprintf(...) } catch { return "ERROR" } }
ast::StmtPtr guarded(const SourceRef &at, std::vector<ExprPtr> bases, ExprPtr text) {
    auto body = std::make_unique<ast::Block>(at);
    for (size_t i = 0; i < bases.size(); ++i) {
        auto assign = std::make_unique<ast::Assign>(
            at, ast::AssignOp::Set, std::make_unique<ast::VarRef>(at, base_name(i)), std::move(bases[i]));
        body->body.push_back(std::make_unique<ast::ExprStmt>(at, std::move(assign)));
    }
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
    std::vector<ExprPtr> bases;
    std::vector<uint64_t> bytes;
    for (ReachedPiece &piece : object.pieces) {
        if (!piece.value || piece.bytes > 8) return std::make_unique<ast::String>(at, "?");
        bases.push_back(std::move(piece.value));
        bytes.push_back(piece.bytes);
    }
    if (object.value) bytes.push_back(8);
    if (object.address || object.value) bases.push_back(std::move(object.address ? object.address : object.value));
    if (bases.empty()) return std::make_unique<ast::String>(at, "?");
    Renderer renderer(bytes, full, user, scope, at);
    renderer.object(object.type, object.bit_offset, object.bit_size, 0);
    ExprPtr text = renderer.build();
    for (ExprPtr &length : renderer.take_lengths())
        bases.push_back(std::move(length));
    if (text->kind == ast::ExprKind::String) return text;
    std::vector<Synthesis::Argument> arguments;
    for (ExprPtr &base : bases)
        hoist(base, arguments);
    return synthesis.call(at, "pretty", ast::Type::String, std::move(arguments),
                          guarded(at, std::move(bases), std::move(text)));
}

}  // namespace tapir::resolve
