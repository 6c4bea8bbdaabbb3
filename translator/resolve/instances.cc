// SPDX-License-Identifier: GPL-2.0-or-later
#include "resolve/instances.h"

namespace tapir::resolve {

std::unique_ptr<ast::Function> another(const ast::Function &function) {
    auto copy = std::make_unique<ast::Function>();
    copy->name = function.name;
    copy->at = function.at;
    copy->declared = function.declared;
    copy->params = function.params;
    for (ast::Param &parameter : copy->params)
        parameter.variable = nullptr;
    copy->priority = function.priority;
    copy->embedded_c = function.embedded_c;
    copy->embedded_at = function.embedded_at;
    copy->pragmas = function.pragmas;
    copy->names_from = function.seen_from();
    return copy;
}

ast::Function &FunctionInstances::of(ast::Function &function, const std::string &module) {
    if (module.empty() || modules_.contains(&function) || needs_.of(function) != Needs::Module) return function;
    if (const auto known = instances_.find({&function, module}); known != instances_.end()) return *known->second;
    std::unique_ptr<ast::Function> copy = another(function);
    copy->body = ast::clone(*needs_.written(function));
    copy->file = &made_;
    ast::Function &made = *copy;
    instances_[{&function, module}] = &made;
    replaced_.insert(&function);
    modules_[&made] = module;
    made_.functions.push_back(std::move(copy));
    return made;
}

ast::Function &FunctionInstances::add(const ast::Function &written, std::unique_ptr<ast::Function> instance,
                                      const std::string &module) {
    instance->file = &made_;
    replaced_.insert(&written);
    placed_.insert(instance.get());
    modules_[instance.get()] = module;
    made_.functions.push_back(std::move(instance));
    return *made_.functions.back();
}

std::string FunctionInstances::module_of(const ast::Function &function) const {
    const auto found = modules_.find(&function);
    return found == modules_.end() ? "" : found->second;
}

}  // namespace tapir::resolve
