// SPDX-License-Identifier: GPL-2.0-or-later
// The questions of a body to the place where it was resolved. At another place with the same answers the body has the
// same meaning, without resolving it there. Wildcards probe thousands of places, and few of them differ in the answers
// that a script needs.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "target/scope.h"

namespace tapir::resolve {

// One question to a scope. Answers are texts that are equal when the answers are.
struct ScopeQuestion {
    enum class Kind : uint8_t {
        Variables,
        Find,
        FindGlobal,
        ByFunction,
        Result,
        Results,
        Type,
        Measure,
        Enumerator,
        Anchor,
        Name,
        System,
        Provider,
        User
    };
    Kind kind = Kind::Variables;
    std::string name;                           // the name to look for
    uint64_t address = 0;                       // Anchor; the type's id of a Measure
    const ctypes::TypeSource *types = nullptr;  // Measure

    std::string answer(const target::Scope &scope) const;
};

// Answers as `scope` does, and records the questions.
class TracedScope : public target::Scope {
  public:
    struct Step {
        ScopeQuestion question;
        std::string answer;
    };
    // `scope` must outlive it.
    explicit TracedScope(const target::Scope &scope) : scope_(scope) {}

    std::vector<target::Variable> variables() const override;
    std::optional<target::Variable> find(std::string_view name) const override;
    std::optional<target::Variable> find_global(std::string_view name) const override;
    const target::FunctionVariable *by_function(std::string_view name) const override;
    std::optional<ctypes::Type> result() const override;
    std::vector<target::Variable> results() const override;
    std::optional<ctypes::Type> find_type(std::string_view name) const override;
    ctypes::Place measure(const ctypes::Type &type) const override;
    std::optional<int64_t> find_enumerator(std::string_view name) const override;
    std::optional<target::Anchor> anchor(uint64_t linked_address) const override;
    // Follows from the object, which an anchor identifies.
    target::ThreadBlock thread_block() const override { return scope_.thread_block(); }
    std::string probe_name() const override;
    std::optional<std::string> probe_system() const override;
    std::optional<std::string> probe_provider() const override;
    bool user() const override;
    std::string module() const override { return scope_.module(); }
    // Places with any of this are not remembered.
    std::optional<uint64_t> behind_prologue() const override { return scope_.behind_prologue(); }
    void move_behind_prologue() const override { scope_.move_behind_prologue(); }
    // Only messages have these.
    std::string source() const override { return scope_.source(); }
    std::string missing() const override { return scope_.missing(); }
    std::string readable_at(std::string_view name) const override { return scope_.readable_at(name); }

    const std::vector<Step> &steps() const { return steps_; }

  private:
    using Kind = ScopeQuestion::Kind;
    template <typename Answer>
    Answer note(Kind kind, std::string_view name, uint64_t address, Answer answer) const;

    const target::Scope &scope_;
    mutable std::vector<Step> steps_;
};

// The outcomes of the places seen so far. The first question is always the same, and each further one depends on the
// answers before it. So they make a tree.
class ScopeTraces {
  public:
    // Returns the outcome of a place with the same answers; nothing if no place has them.
    std::optional<size_t> find(const target::Scope &scope) const;
    void add(const std::vector<TracedScope::Step> &steps, size_t outcome);

  private:
    struct Node {
        std::optional<ScopeQuestion> question;  // none: the end
        size_t outcome = 0;
        std::map<std::string, std::unique_ptr<Node>> answers;
    };
    std::unique_ptr<Node> root_;
};

}  // namespace tapir::resolve
