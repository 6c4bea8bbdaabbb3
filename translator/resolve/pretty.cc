// SPDX-License-Identifier: GPL-2.0-or-later
#include "resolve/pretty.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

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
constexpr int kMaxShownDepth = 32;
constexpr const char *kBase = "base";
constexpr size_t kMaxBases = 8;    // besides the first
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
    for (int depth = 0; depth < kMaxShownDepth; ++depth) {
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

// A pointer and a length within a structure: strings and slices of Go and Rust.
struct CountedPart {
    ctypes::Member pointer, length;
    bool text = false;
};

std::optional<CountedPart> counted_part(const Type &structure) {
    constexpr std::pair<std::string_view, std::string_view> kNames[] = {
        {"str", "len"}, {"array", "len"}, {"data_ptr", "length"}};
    const std::string name = structure.info().name;
    const bool text = name == "string" || name == "&str" || name == "&mut str";
    if (!text && !name.starts_with("[]") && !name.starts_with("&[") && !name.starts_with("&mut [")) return std::nullopt;
    const std::vector<ctypes::Member> members = structure.source->members(structure.id);
    const auto find = [&](std::string_view wanted) {
        return std::find_if(members.begin(), members.end(), [&](const ctypes::Member &m) { return m.name == wanted; });
    };
    for (const auto &[pointer, length] : kNames) {
        const auto at = find(pointer), count = find(length);
        if (at == members.end() || count == members.end()) continue;
        if (structure.with(at->type).stripped().info().kind != TypeKind::Pointer ||
            structure.with(count->type).stripped().info().kind != TypeKind::Integer)
            continue;
        return CountedPart{*at, *count, text};
    }
    return std::nullopt;
}

std::string base_name(size_t number) {
    return number == 0 ? kBase : kBase + std::to_string(number + 1);
}

// Another value that a text depends on: the length of an array, or the address of a slice's elements.
struct Further {
    ExprPtr value;
    bool of_bases;  // made of other bases alone
};

class Renderer {
  public:
    // Parts are at `base`: memory at that address or, with `pieces`, the bits of as many values, each of so many bytes.
    Renderer(std::vector<uint64_t> pieces, bool full, bool user, const target::Scope *scope, const SourceRef &at)
        : pieces_(std::move(pieces)),
          bases_(std::max<size_t>(pieces_.size(), 1)),
          in_memory_(pieces_.empty()),
          full_(full),
          user_(user),
          at_(at),
          access_(scope, user, at, unreported_),
          format_(at) {}

    void object(const Type &type, uint64_t bit_offset, uint32_t bit_size, int depth) {
        const Type plain = type.stripped().completed();
        const TypeInfo info = plain.info();
        if (!info.unread.empty()) return format_.text("?");
        if (is_structure(info.kind)) return structure(plain, bit_offset, depth);
        if (info.kind == TypeKind::Array) return array(plain, bit_offset, depth);
        if (format_.values() >= kMaxValues) return format_.text("...");
        ExprPtr value = value_of(type, bit_offset, bit_size);
        if (!value) return format_.text("?");
        if (info.kind == TypeKind::Float) return floating(std::move(value), info);
        if (info.kind == TypeKind::Pointer) {
            if (is_character(target_of(plain).info())) return string(std::move(value), nullptr);
            if (const uint64_t bytes = wide_character(plain.with(info.target)))
                return wide_string(std::move(value), bytes, nullptr);
            return format_.value(Conv::Pointer, std::move(value));
        }
        if (is_character(info) && !bit_size) {
            format_.text("'");
            format_.value(Conv::Char, std::move(value), Flag::Alternate);
            return format_.text("'");
        }
        if (wide_character(type) && !bit_size) {
            format_.text("'");
            format_.value(Conv::String, call("text_str", call("__wide_character", std::move(value))));
            return format_.text("'");
        }
        const bool is_number = is_signed(info) || info.encoding == Encoding::Boolean || info.kind == TypeKind::Enum;
        format_.value(is_number ? Conv::Decimal : Conv::Unsigned, std::move(value));
    }

    ExprPtr build() { return format_.build(); }
    // A piece that is not known.
    void leave_out(size_t piece) { absent_.insert(piece); }
    std::vector<Further> take_further() { return std::move(*further_); }
    // Is a base, by its number, part of the text?
    bool uses(size_t base) const { return used_->contains(base); }

  private:
    void structure(const Type &type, uint64_t bit_offset, int depth) {
        const auto list = counted_part(type);
        if (list && list->text) return counted_text(type, *list, bit_offset);
        if (depth > kMaxShownDepth || (depth > 0 && !full_)) return format_.text(list ? "[...]" : "{...}");
        if (list) return slice(type, *list, bit_offset, depth);
        const auto variants = type.source->variants(type.id);
        if (variants && !variants->variants.empty()) return variant(type, *variants, bit_offset, depth);
        format_.text("{");
        bool first = true;
        members(type, bit_offset, depth, first);
        format_.text("}");
    }

    // As "%f" of C.
    void floating(ExprPtr bits, const TypeInfo &info) {
        constexpr uint64_t kDigits = 6;
        const bool narrow = info.size == 4;
        const bool binary = info.encoding != Encoding::Complex && info.encoding != Encoding::Decimal;
        if (!binary || (!narrow && info.size != 8)) return format_.text("?");
        if (narrow) bits = call("fp32_to_fp64", std::move(bits));
        format_.value(Conv::String, call("fp_to_string", std::move(bits), number(kDigits)));
    }

    void counted_text(const Type &type, const CountedPart &text, uint64_t bit_offset) {
        ExprPtr address = value_of(type.with(text.pointer.type), bit_offset + text.pointer.bit_offset, 0);
        ExprPtr length = value_of(type.with(text.length.type), bit_offset + text.length.bit_offset, 0);
        if (!address || !length) return format_.text("?");
        if (format_.values() >= kMaxValues) return format_.text("...");
        format_.text("\"");
        format_.value(Conv::String, bytes(std::move(address), std::move(length)));
        format_.text("\"");
    }

    // Elements of another slice may lack such a base: the word behind the last element is not a pointer.
    void slice(const Type &type, const CountedPart &list, uint64_t bit_offset, int depth) {
        const Type pointer = type.with(list.pointer.type).stripped(), element = pointer.with(pointer.info().target);
        const auto size = ctypes::type_size(element);
        ExprPtr address = value_of(pointer, bit_offset + list.pointer.bit_offset, 0);
        ExprPtr length = value_of(type.with(list.length.type), bit_offset + list.length.bit_offset, 0);
        if (!address || !length) return format_.text("?");
        if (!size || in_elements_ || further_->size() >= kMaxBases) return format_.text("[...]");
        further_->push_back({std::move(address), true});
        Renderer inner = within();
        inner.base_ = bases_ + further_->size() - 1;
        inner.pieces_.clear();
        inner.in_memory_ = true;
        inner.format_.text("[");
        inner.elements(element, 0, *size, *length, depth);
        inner.format_.text("]");
        if (format_.values() >= kMaxValues) return format_.text("...");
        format_.value(Conv::String, inner.build());
    }

    // Those of base classes stand before those of the class; static ones are not part of an object.
    void members(const Type &type, uint64_t bit_offset, int depth, bool &first) {
        if (depth > kMaxShownDepth) return;
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
        inner.further_ = further_;
        inner.used_ = used_;
        inner.absent_ = absent_;
        inner.bases_ = bases_;
        inner.base_ = base_;
        inner.in_elements_ = in_elements_;
        return inner;
    }

    // Elements of an array that has no constant for them, as a further base; null when they are not known.
    ExprPtr length_of(const Type &array) {
        ExprPtr count = in_memory_ && base_ == 0 && further_->size() < kMaxBases ? access_.count_of(array) : nullptr;
        if (!count) return nullptr;
        further_->push_back({std::move(count), false});
        return base(bases_ + further_->size() - 1);
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
            ExprPtr units = computed ? std::move(computed) : info.count ? number(info.count) : nullptr;
            return wide_string(access_.address(part(type, bit_offset, 0)), bytes, std::move(units));
        }
        const auto size = ctypes::type_size(element);
        if (depth > kMaxShownDepth || (depth > 0 && !full_) || !size) return format_.text("[...]");
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
            inner.in_elements_ = true;
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

    ExprPtr bytes(ExprPtr address, ExprPtr length) const {
        return call(user_ ? "user_string_n" : "kernel_string_n", std::move(address), std::move(length),
                    std::make_unique<ast::String>(at_, kUnreadable));
    }

    // Shows a string in C's notation: characters beyond ASCII as \uXXXX.
    void string(ExprPtr address, ExprPtr length) {
        if (length)
            format_.value(Conv::String, call("string_quoted", bytes(std::move(address), std::move(length))));
        else
            format_.value(Conv::String,
                          call(user_ ? "user_string_quoted" : "kernel_string_quoted", std::move(address)));
    }

    template <typename... Arguments>
    ExprPtr call(const char *function, Arguments... arguments) const {
        std::vector<ExprPtr> list;
        (list.push_back(std::move(arguments)), ...);
        return std::make_unique<ast::Call>(at_, function, std::move(list));
    }

    ExprPtr number(uint64_t value) const { return std::make_unique<ast::Number>(at_, static_cast<int64_t>(value)); }

    // Without `units`, up to its end.
    void wide_string(ExprPtr address, uint64_t bytes, ExprPtr units) {
        if (units) {
            ExprPtr text = call(user_ ? "__user_wide_text" : "__kernel_wide_text", std::move(address), number(bytes),
                                std::move(units));
            return format_.value(Conv::String, call("string_quoted", std::move(text)));
        }
        const std::string name = user_ ? "user_string_quoted_utf" : "kernel_string_quoted_utf";
        format_.value(Conv::String, call((name + std::to_string(8 * bytes)).c_str(), std::move(address)));
    }

    // Returns null if the bits are not in one of the values.
    ExprPtr value_of(const Type &type, uint64_t bit_offset, uint32_t bit_size) {
        Reached found = part(type, bit_offset, bit_size);
        return found.address || found.value ? access_.value(std::move(found)) : nullptr;
    }

    ExprPtr base(size_t number) const {
        used_->insert(number);
        return std::make_unique<ast::VarRef>(at_, base_name(number));
    }

    // A part of the object at `base`.
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
                    if (absent_.contains(i)) break;
                    part.value = base(i);
                    part.bit_offset = static_cast<uint32_t>(bit_offset);
                    break;
                }
                if (bit_offset < bits) break;
                bit_offset -= bits;
            }
            return part;
        }
        part.address = base(base_);
        if (bit_offset >= 8)
            part.address =
                std::make_unique<ast::Binary>(at_, ast::BinaryOp::Add, std::move(part.address),
                                              std::make_unique<ast::Number>(at_, static_cast<int64_t>(bit_offset / 8)));
        part.bit_offset = bit_size ? static_cast<uint32_t>(bit_offset % 8) : 0;
        part.bit_size = bit_size;
        return part;
    }

    std::shared_ptr<std::set<size_t>> used_ = std::make_shared<std::set<size_t>>();
    std::shared_ptr<int> variants_left_ = std::make_shared<int>(kMaxVariants);
    std::shared_ptr<std::vector<Further>> further_ = std::make_shared<std::vector<Further>>();
    std::vector<uint64_t> pieces_;
    std::set<size_t> absent_;
    size_t bases_;  // that the object has by itself
    bool in_memory_, full_, user_;
    size_t base_ = 0;           // of the object in memory
    bool in_elements_ = false;  // the array of elements may be empty
    SourceRef at_;
    AccessProblem unreported_;  // "?" is shown instead
    mutable Accessor access_;
    FormatBuilder format_;
};

// A null base is not needed. { try { base = ...; return sprintf(...) } catch { return "ERROR" } }
ast::StmtPtr guarded(const SourceRef &at, std::vector<ExprPtr> bases, ExprPtr text) {
    auto body = std::make_unique<ast::Block>(at);
    for (size_t i = 0; i < bases.size(); ++i) {
        if (!bases[i]) continue;
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
        AccessProblem unreported;
        Accessor access(scope, user, at, unreported);
        ExprPtr pointer = access.value(std::move(object));
        if (pointer) object = access.at_pointer(pointee, std::move(pointer));
    }
    std::vector<ExprPtr> bases;
    std::vector<uint64_t> bytes;
    for (ReachedPiece &piece : object.pieces) {
        if (piece.address || (piece.value && piece.bytes > 8)) return std::make_unique<ast::String>(at, "?");
        // Without a value it is optimized out, or between members.
        bases.push_back(std::move(piece.value));
        bytes.push_back(piece.bytes);
    }
    if (object.value) bytes.push_back(8);
    if (!bases.empty() && std::none_of(bases.begin(), bases.end(), [](const ExprPtr &base) { return base != nullptr; }))
        return std::make_unique<ast::String>(at, "?");
    if (object.address || object.value) bases.push_back(std::move(object.address ? object.address : object.value));
    if (bases.empty()) return std::make_unique<ast::String>(at, "?");
    Renderer renderer(bytes, full, user, scope, at);
    for (size_t i = 0; i < bases.size(); ++i)
        if (!bases[i]) renderer.leave_out(i);
    renderer.object(object.type, object.bit_offset, object.bit_size, 0);
    ExprPtr text = renderer.build();
    const size_t own = bases.size();
    std::vector<Further> further = renderer.take_further();
    for (Further &base : further)
        bases.push_back(std::move(base.value));
    if (text->kind == ast::ExprKind::String) return text;
    std::vector<Synthesis::Argument> arguments;
    for (size_t i = 0; i < bases.size(); ++i) {
        if (!renderer.uses(i)) bases[i] = nullptr;
        if (bases[i] && (i < own || !further[i - own].of_bases)) hoist(bases[i], arguments);
    }
    return synthesis.call(at, "pretty", ast::Type::String, std::move(arguments),
                          guarded(at, std::move(bases), std::move(text)));
}

}  // namespace tapir::resolve
