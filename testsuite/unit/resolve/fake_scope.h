// SPDX-License-Identifier: GPL-2.0-or-later
// A place with variables made by hand, and what context expressions become there.
#pragma once

#include "../ctypes/fake_types.h"
#include "ast/walk.h"
#include "pass2.h"
#include "resolve/context_exprs.h"

namespace tapir::resolve {

using ctypes::Encoding;
using ctypes::Place;
using ctypes::TypeId;
using ctypes::TypeKind;

// struct thing {                       // 64 bytes
//     int number; unsigned short small; char letter; unsigned char byte;   // 0, 4, 6, 7
//     struct thing *next;              // 8
//     unsigned low:3; signed mid:5;    // 16, bits 0 and 3
//     union { long all; struct { int head, tail; }; };   // 24
//     char name[8]; int table[2][3];   // 32, 40 (24 bytes)
// };
// struct box { struct thing inside; };
struct ThingTypes : ctypes::FakeTypes {
    TypeId int_ = integer("int", 4, Encoding::Signed);
    TypeId unsigned_ = integer("unsigned int", 4, Encoding::Unsigned);
    TypeId short_ = integer("unsigned short", 2, Encoding::Unsigned);
    TypeId char_ = integer("char", 1, Encoding::SignedChar);
    TypeId byte_ = integer("unsigned char", 1, Encoding::Unsigned);
    TypeId long_ = integer("long", 8, Encoding::Signed);
    TypeId double_ = floating("double", 8);
    TypeId wide_ = floating("long double", 16);
    TypeId color_ = enumeration("color", {{"RED", 0}, {"GREEN", 5}, {"LIME", 5}, {"NONE", -1}});
    TypeId void_pointer_ = pointer(0);
    TypeId text_ = pointer(qualified("const", char_));
    TypeId callback_ = pointer(function(0, {int_}));
    TypeId self_ = pointer(0);
    TypeId halves_ = structure(TypeKind::Struct, "", 8, {{"head", int_, 0, 0, false}, {"tail", int_, 32, 0, false}});
    TypeId both_ = structure(TypeKind::Union, "", 8, {{"all", long_, 0, 0, false}, {"", halves_, 0, 0, false}});
    TypeId thing_ = structure(TypeKind::Struct, "thing", 64,
                              {{"number", int_, 0, 0, false},
                               {"small", short_, 32, 0, false},
                               {"letter", char_, 48, 0, false},
                               {"byte", byte_, 56, 0, false},
                               {"next", self_, 64, 0, false},
                               {"low", unsigned_, 128, 3, false},
                               {"mid", int_, 131, 5, false},
                               {"", both_, 192, 0, false},
                               {"name", array(char_, 8), 256, 0, false},
                               {"table", array(array(int_, 3), 2), 320, 0, false}});
    TypeId box_ = structure(TypeKind::Struct, "box", 64, {{"inside", thing_, 0, 0, false}});
    TypeId unseen_ = pointer(declared(TypeKind::Struct, "unseen"));

    ThingTypes() { set_target(self_, thing_); }
};

class FakeScope : public target::Scope {
  public:
    void parameter(const std::string &name, TypeId type, Place place) { add(name, type, std::move(place), true); }
    void local(const std::string &name, TypeId type, Place place) { add(name, type, std::move(place), false); }

    std::vector<target::Variable> variables() const override { return variables_; }
    std::optional<target::Variable> find(std::string_view name) const override {
        for (const target::Variable &variable : variables_)
            if (variable.name == name) return variable;
        if (name == "counter")
            return target::Variable{"counter", types.type(types.int_), at_address(0x1000), false, true};
        return std::nullopt;
    }
    std::optional<ctypes::Type> result() const override { return result_; }
    std::optional<ctypes::Type> find_type(std::string_view name) const override {
        const auto id = types.find_type(name);
        return id ? std::optional(types.type(*id)) : std::nullopt;
    }
    std::optional<int64_t> find_enumerator(std::string_view name) const override {
        return name == "GREEN" ? std::optional<int64_t>(5) : std::nullopt;
    }
    std::optional<target::Anchor> anchor(uint64_t address) const override {
        if (address < 0x1000) return std::nullopt;
        return target::Anchor{"", "_stext", static_cast<int64_t>(address - 0x1000)};
    }
    ctypes::Place measure(const ctypes::Type &of) const override {
        const auto known = measures_.find(of.id);
        return known == measures_.end() ? target::Scope::measure(of) : known->second;
    }
    std::string source() const override { return "a test"; }
    std::string probe_name() const override { return name_; }

    static Place in_register(int64_t number) {
        Place place;
        place.kind = Place::Kind::Register;
        place.term = ctypes::register_term(number);
        return place;
    }
    static Place in_memory(ctypes::TermPtr address) {
        Place place;
        place.kind = Place::Kind::Memory;
        place.term = std::move(address);
        return place;
    }
    static Place at_address(uint64_t linked) { return in_memory(ctypes::relocated_term(linked)); }
    static Place on_stack(int64_t offset) {
        return in_memory(
            ctypes::make_term(ctypes::TermOp::Add, ctypes::register_term(7), ctypes::constant_term(offset)));
    }
    static Place computed(ctypes::TermPtr value) {
        Place place;
        place.kind = Place::Kind::Value;
        place.term = std::move(value);
        return place;
    }

    ThingTypes types;
    std::optional<ctypes::Type> result_;
    std::string name_;
    std::map<TypeId, Place> measures_;

  private:
    void add(const std::string &name, TypeId type, Place place, bool parameter) {
        variables_.push_back({name, types.type(type), std::move(place), parameter, false});
    }
    std::vector<target::Variable> variables_;
};

// The results of bodies at a place.
class AtPlace {
  public:
    AtPlace() : synthesis(file) {
        place.scope = &scope;
        place.is_code = true;
        place.synthesis = &synthesis;
        place.types = &types;
    }

    // The body, one statement after the other, functions that were made for it, and messages.
    std::string body(const std::string &text) {
        pass.options.guru = place.guru;
        parsed = pass.parse("probe begin { " + text + " }");
        ast::StmtPtr &body = parsed->probes[0]->body;
        resolve_context(body, {place, nullptr, skip_bad}, pass.diagnostics);
        std::string result = pass.reported();
        if (!result.empty() && !skip_bad) return result;
        for (size_t i = shown; i < file.functions.size(); ++i)
            result += file.functions[i]->name + " " + ast::print(*file.functions[i]->body) + "\n";
        shown = file.functions.size();
        for (const ast::StmtPtr &part : static_cast<ast::Block &>(*body).body)
            result += ast::print(*part);
        return result;
    }
    // The result of an expression: the argument of println.
    std::string value(const std::string &expr) {
        const std::string text = body("println(" + expr + ")");
        const std::string before = "println(", after = ");";
        const size_t at = text.rfind(before), end = text.rfind(after);
        if (at == std::string::npos || end == std::string::npos) return text;
        return text.substr(0, at) + text.substr(at + before.size(), end - at - before.size());
    }
    // The message alone.
    std::string problem(const std::string &expr) {
        const std::string text = body("println(" + expr + ")");
        const std::string head = "semantic error: ";
        const size_t end = text.find(": ", head.size());
        pass.diagnostics.drop_since(0);
        return text.rfind(head, 0) == 0 && end != std::string::npos
                   ? text.substr(head.size(), text.find('\n') - head.size())
                   : "resolved: " + text;
    }

    FakeScope scope;
    ast::File file;
    Synthesis synthesis;
    ScriptTypes types;
    TargetPlace place;
    bool skip_bad = false;
    Pass2 pass;
    std::unique_ptr<ast::File> parsed;
    size_t shown = 0;
};

}  // namespace tapir::resolve
