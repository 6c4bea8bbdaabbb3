// SPDX-License-Identifier: GPL-2.0-or-later
// Scopes from BTF.
#include "target/calling_convention.h"
#include "target/debug_info.h"

namespace tapir::target {

namespace {

using ctypes::Type;

// The scope of a whole object, or of the entry of a function.
class BtfScope : public Scope {
  public:
    BtfScope(const DebugInfo &debug, const BtfObject &object, std::string module, std::string function)
        : debug_(debug), object_(object), module_(std::move(module)), function_(std::move(function)) {}

    std::vector<Variable> variables() const override { return entered().variables; }

    // BTF knows no variables but those of each CPU, and of these no address.
    std::optional<Variable> find(std::string_view name) const override {
        return find_variable(entered().variables, name);
    }

    std::optional<Type> result() const override { return entered().result; }

    std::optional<Type> find_type(std::string_view name) const override {
        const auto id = object_.types->find_type(name);
        if (id) object_.used = true;
        return id ? std::optional<Type>(type(*id)) : std::nullopt;
    }

    std::optional<int64_t> find_enumerator(std::string_view name) const override {
        const auto value = object_.types->find_enumerator(name);
        if (value) object_.used = true;
        return value;
    }
    std::optional<Anchor> anchor(uint64_t) const override { return std::nullopt; }
    std::string source() const override { return "BTF of " + object_.path; }
    std::string missing() const override { return debug_.missing(module_); }
    std::string module() const override { return module_; }

  private:
    struct Entered {
        std::vector<Variable> variables;
        std::optional<Type> result;
    };

    Type type(ctypes::TypeId id) const { return {object_.types.get(), id}; }

    const Entered &entered() const {
        if (entered_) return *entered_;
        entered_.emplace();
        const auto prototype = function_.empty() ? std::nullopt : object_.types->find_function(function_);
        if (!prototype) return *entered_;
        object_.used = true;
        std::vector<Type> types;
        const auto parameters = object_.types->named_parameters(*prototype);
        for (const BtfTypes::Parameter &parameter : parameters)
            types.push_back(type(parameter.type));
        const Type result = type(object_.types->info(*prototype).target);
        const std::vector<ctypes::Place> places = argument_places(debug_.arch(), types, result);
        for (size_t i = 0; i < parameters.size(); ++i)
            if (!parameters[i].name.empty())
                entered_->variables.push_back({parameters[i].name, types[i], places[i], true, false});
        entered_->result = result;
        return *entered_;
    }

    const DebugInfo &debug_;
    const BtfObject &object_;
    std::string module_, function_;
    mutable std::optional<Entered> entered_;
};

}  // namespace

std::unique_ptr<Scope> make_scope(const DebugInfo &debug, const BtfObject &object, std::string module,
                                  std::string function) {
    return std::make_unique<BtfScope>(debug, object, std::move(module), std::move(function));
}

}  // namespace tapir::target
