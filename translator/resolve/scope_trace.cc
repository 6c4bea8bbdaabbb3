// SPDX-License-Identifier: GPL-2.0-or-later
#include "resolve/scope_trace.h"

namespace tapir::resolve {

namespace {

using ctypes::Place;
using ctypes::Term;
using target::Variable;

// Locations as large as this are taken for different ones.
constexpr int kMaxTracedTerms = 4096;

// Texts that are equal if their objects are.
class Text {
  public:
    void number(uint64_t value) { text_ += std::to_string(value) + ","; }
    void string(std::string_view value) {
        number(value.size());
        text_ += value;
    }
    void pointer(const void *value) { number(reinterpret_cast<uintptr_t>(value)); }

    void type(const ctypes::Type &type) {
        pointer(type.source);
        number(type.id);
    }

    void term(const Term &term) {
        if (++terms_ > kMaxTracedTerms) return number(++unlike_);
        number(static_cast<uint64_t>(term.op));
        number(static_cast<uint64_t>(term.constant));
        number(term.size);
        number(term.operands.size());
        for (const ctypes::TermPtr &operand : term.operands)
            this->term(*operand);
    }

    void place(const Place &place) {
        number(static_cast<uint64_t>(place.kind));
        if (place.term) term(*place.term);
        string(place.why);
        number(place.later);
        number(place.pieces.size());
        for (const ctypes::Piece &piece : place.pieces) {
            number(piece.bytes);
            this->place(piece.place);
        }
    }

    void variable(const Variable &variable) {
        string(variable.name);
        type(variable.type);
        place(variable.place);
        number(variable.parameter);
        number(variable.global);
    }

    std::string take() { return std::move(text_); }

  private:
    std::string text_;
    int terms_ = 0;
    static inline uint64_t unlike_ = 0;
};

void write(Text &text, const Variable &variable) {
    text.variable(variable);
}
void write(Text &text, const ctypes::Type &type) {
    text.type(type);
}
void write(Text &text, const ctypes::Place &place) {
    text.place(place);
}
void write(Text &text, const std::string &string) {
    text.string(string);
}
void write(Text &text, const target::Anchor &anchor) {
    text.string(anchor.module);
    text.string(anchor.symbol);
    text.number(static_cast<uint64_t>(anchor.offset));
}
void write(Text &text, const target::FunctionVariable *variable) {
    text.pointer(variable);
}
void write(Text &text, int64_t number) {
    text.number(static_cast<uint64_t>(number));
}
void write(Text &text, bool flag) {
    text.number(flag);
}
template <typename Value>
void write(Text &text, const std::optional<Value> &value) {
    text.number(value.has_value());
    if (value) write(text, *value);
}
template <typename Value>
void write(Text &text, const std::vector<Value> &values) {
    text.number(values.size());
    for (const Value &value : values)
        write(text, value);
}

template <typename Answer>
std::string text_of(const Answer &answer) {
    Text text;
    write(text, answer);
    return text.take();
}

}  // namespace

std::string ScopeQuestion::answer(const target::Scope &scope) const {
    switch (kind) {
        case Kind::Variables:
            return text_of(scope.variables());
        case Kind::Find:
            return text_of(scope.find(name));
        case Kind::FindGlobal:
            return text_of(scope.find_global(name));
        case Kind::ByFunction:
            return text_of(scope.by_function(name));
        case Kind::Result:
            return text_of(scope.result());
        case Kind::Results:
            return text_of(scope.results());
        case Kind::Type:
            return text_of(scope.find_type(name));
        case Kind::Measure:
            return text_of(scope.measure({types, address}));
        case Kind::Enumerator:
            return text_of(scope.find_enumerator(name));
        case Kind::Anchor:
            return text_of(scope.anchor(address));
        case Kind::Name:
            return text_of(scope.probe_name());
        case Kind::System:
            return text_of(scope.probe_system());
        case Kind::Provider:
            return text_of(scope.probe_provider());
        case Kind::User:
            return text_of(scope.user());
    }
    return {};
}

template <typename Answer>
Answer TracedScope::note(Kind kind, std::string_view name, uint64_t address, Answer answer) const {
    steps_.push_back({{kind, std::string(name), address, nullptr}, text_of(answer)});
    return answer;
}

std::vector<Variable> TracedScope::variables() const {
    return note(Kind::Variables, "", 0, scope_.variables());
}
std::optional<Variable> TracedScope::find(std::string_view name) const {
    return note(Kind::Find, name, 0, scope_.find(name));
}
std::optional<Variable> TracedScope::find_global(std::string_view name) const {
    return note(Kind::FindGlobal, name, 0, scope_.find_global(name));
}
const target::FunctionVariable *TracedScope::by_function(std::string_view name) const {
    return note(Kind::ByFunction, name, 0, scope_.by_function(name));
}
std::optional<ctypes::Type> TracedScope::result() const {
    return note(Kind::Result, "", 0, scope_.result());
}
std::vector<target::Variable> TracedScope::results() const {
    return note(Kind::Results, "", 0, scope_.results());
}
std::optional<ctypes::Type> TracedScope::find_type(std::string_view name) const {
    return note(Kind::Type, name, 0, scope_.find_type(name));
}
ctypes::Place TracedScope::measure(const ctypes::Type &type) const {
    ctypes::Place place = scope_.measure(type);
    steps_.push_back({{Kind::Measure, "", type.id, type.source}, text_of(place)});
    return place;
}
std::optional<int64_t> TracedScope::find_enumerator(std::string_view name) const {
    return note(Kind::Enumerator, name, 0, scope_.find_enumerator(name));
}
std::optional<target::Anchor> TracedScope::anchor(uint64_t linked_address) const {
    return note(Kind::Anchor, "", linked_address, scope_.anchor(linked_address));
}
std::string TracedScope::probe_name() const {
    return note(Kind::Name, "", 0, scope_.probe_name());
}
std::optional<std::string> TracedScope::probe_system() const {
    return note(Kind::System, "", 0, scope_.probe_system());
}

std::optional<std::string> TracedScope::probe_provider() const {
    return note(Kind::Provider, "", 0, scope_.probe_provider());
}

bool TracedScope::user() const {
    return note(Kind::User, "", 0, scope_.user());
}

std::optional<size_t> ScopeTraces::find(const target::Scope &scope) const {
    const Node *node = root_.get();
    while (node && node->question) {
        const auto next = node->answers.find(node->question->answer(scope));
        if (next == node->answers.end()) return std::nullopt;
        node = next->second.get();
    }
    return node ? std::optional(node->outcome) : std::nullopt;
}

void ScopeTraces::add(const std::vector<TracedScope::Step> &steps, size_t outcome) {
    std::unique_ptr<Node> *at = &root_;
    for (const TracedScope::Step &step : steps) {
        if (!*at) {
            *at = std::make_unique<Node>();
            (*at)->question = step.question;
        }
        at = &(*at)->answers[step.answer];
    }
    if (!*at) *at = std::make_unique<Node>();
    (*at)->outcome = outcome;
}

}  // namespace tapir::resolve
