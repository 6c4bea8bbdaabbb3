// SPDX-License-Identifier: GPL-2.0-or-later
// Names with scopes, as C++ and Rust have them, and patterns for them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tapir {

// "ns::Class<int>::method(int) const" in its parts.
struct QualifiedName {
    bool from_global = false;             // written with "::" in front
    std::vector<std::string_view> parts;  // "ns", "Class<int>", "method"; at least one, which may be ""
    std::string_view parameters;          // "(int) const"; "" when none are written
};

// Views into `text`. "::" within <>, () and {} does not separate; an unclosed bracket ends with the text.
QualifiedName split_name(std::string_view text);
// Likewise for a demangler's text of a function, which may have a result type in front.
QualifiedName split_demangled(std::string_view text);

// "max<int>" -> "max", "operator<< <int>" -> "operator<<".
std::string_view without_template_arguments(std::string_view part);

// "to_string[abi:cxx11](int)" -> "to_string(int)": demanglers show tags that sources do not.
std::string without_abi_tags(std::string_view name);

std::string join_name(std::span<const std::string_view> parts);

// Without template arguments and without scopes that may be left out; `inlined` as NamePattern::matches() takes it.
// Names that one pattern without wildcards matches have the same, or one's ends with that of the other.
struct BareName {
    std::string text;
    uint64_t arguments = 0;  // which of its parts had some, a bit each, the innermost the lowest
};
BareName bare_name(std::span<const std::string_view> parts, uint64_t inlined = 0);

// A pattern as probe points have it: "method", "Class::method", "ns::*", "*::method", "max<int>", "f(int)",
// "<Circle as Shape>::area", "::main".
//
// A name matches with all of its parts or with its last ones, as many as the pattern has. A part without template
// arguments stands for all of them; wildcards stay within a part, but a part "*" is any number of scopes or, at the
// end, any name in the scope or below it. Scopes that sources need not write may be left out: inline namespaces (where
// that is not known, those with reserved identifiers), anonymous ones, impl blocks. Types in template arguments and
// parameters are compared by their type_spelling(). `*`, `[` and the like of operators and of
// template arguments stand for themselves where something matches so, else they are wildcards too; in parameters only a
// `*` that a parameter begins with is one.
class NamePattern {
  public:
    // Exact: nothing is a wildcard; Loose: nor is here, but template arguments may be left out or lack their scopes,
    // see stands_for().
    enum class Mode { Literal, Wild, Exact, Loose };

    explicit NamePattern(std::string_view text);

    const std::string &text() const { return text_; }
    // The last part: what debug information calls the name of the function or type.
    const std::string &last() const { return parts_.back().text; }
    // last() without template arguments.
    std::string_view base() const { return without_template_arguments(parts_.back().text); }
    // May the last part match any other name than base() and base() with template arguments?
    bool last_is_open(Mode mode) const { return is_open(parts_.back(), mode); }
    // Has any part wildcards that act as such?
    bool is_open(Mode mode) const;
    // Are there parts that Mode::Literal takes literally although they have wildcards?
    bool has_literals() const { return has_literals_; }
    bool is_plain() const { return parts_.size() == 1 && !from_global_ && parameters_.empty(); }
    // Matches names of one part only by the last one.
    bool matches_last(std::string_view name, Mode mode) const { return part_matches(parts_.back(), name, mode); }
    // Are there template arguments in it?
    bool has_arguments() const { return has_arguments_; }
    // `parts`: scopes and name. `inlined`: those that are inline namespaces, a bit each, the outermost the lowest.
    bool matches(std::span<const std::string_view> parts, Mode mode, uint64_t inlined = 0) const;
    bool has_parameters() const { return !parameters_.empty(); }
    // `parameters` as a demangler writes them: "(int, char const*) const".
    bool matches_parameters(std::string_view parameters, Mode mode) const;
    // "<Circle as Shape>::area": debug information does not have such scopes, linkage names do.
    bool needs_linkage_name() const { return parts_.front().text.starts_with('<'); }
    // The longest run of letters, digits and underscores that a mangled name that matches must have; "" if none.
    std::string_view identifier() const { return identifier_; }

  private:
    struct Part {
        std::string text, compact;
        bool has_arguments, literal, wild;
    };
    static bool is_open(const Part &part, Mode mode);
    static bool part_matches(const Part &part, std::string_view name, Mode mode);
    void take_identifier(std::string_view part);
    struct Scopes {
        std::span<const std::string_view> names;
        uint64_t inlined;
        bool may_be_left_out(size_t i) const;
    };
    bool matches_scopes(size_t count, const Scopes &scopes, size_t left, Mode mode) const;

    std::string text_;
    bool from_global_ = false, has_literals_ = false, has_open_parameters_ = false, has_arguments_ = false;
    std::vector<Part> parts_;
    std::string parameters_;  // in one spelling
    std::string identifier_;
};

}  // namespace tapir
