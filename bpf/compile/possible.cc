// SPDX-License-Identifier: GPL-2.0-or-later
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include "bpf/compile/lowering.h"

namespace tapir::bpf {

bool is_helper_call(const llvm::CallBase &call) {
    const auto *number = llvm::dyn_cast<llvm::ConstantExpr>(call.getCalledOperand());
    return number && number->getOpcode() == llvm::Instruction::IntToPtr;
}

bool is_on_bpf_stack(const llvm::AllocaInst &variable) {
    llvm::SmallVector<const llvm::Value *, 8> todo{&variable};
    while (!todo.empty()) {
        for (const llvm::User *user : todo.pop_back_val()->users()) {
            if (const auto *call = llvm::dyn_cast<llvm::CallBase>(user); call && is_helper_call(*call)) return true;
            if (llvm::isa<llvm::GetElementPtrInst>(user)) todo.push_back(user);
        }
    }
    return false;
}

namespace {

// Returns why BPF cannot have the instruction; "": it can.
std::string refusal(const llvm::Instruction &i) {
    if (const auto *call = llvm::dyn_cast<llvm::CallBase>(&i)) {
        if (call->isInlineAsm()) return "";
        if (!call->getCalledFunction() && !is_helper_call(*call)) return "calls by a pointer";
    }
    if (i.getType()->isFPOrFPVectorTy()) return "has a number with a fraction";
    if (i.getType()->isVectorTy()) return "has a vector";
    if (const auto *variable = llvm::dyn_cast<llvm::AllocaInst>(&i); variable && !variable->isStaticAlloca())
        return "has a variable of any size";
    return "";
}

std::string refusal(const llvm::Function &function) {
    for (const llvm::Instruction &i : llvm::instructions(function))
        if (std::string why = refusal(i); !why.empty()) return why;
    return "";
}

}  // namespace

std::map<std::string, std::string> drop_impossible(llvm::Module &module, std::map<std::string, std::string> why) {
    for (const llvm::Function &function : module) {
        if (function.isIntrinsic()) continue;
        if (function.isDeclaration() && function.hasNUsesOrMore(1)) why[function.getName().str()] = "is not there";
        if (function.isDeclaration()) continue;
        if (std::string reason = refusal(function); !reason.empty()) why[function.getName().str()] = reason;
    }
    // A caller of such a function is one, too.
    for (bool changed = true; changed;) {
        changed = false;
        for (const llvm::Function &function : module) {
            if (function.isDeclaration() || why.contains(function.getName().str())) continue;
            for (const llvm::Instruction &i : llvm::instructions(function)) {
                const auto *call = llvm::dyn_cast<llvm::CallBase>(&i);
                const llvm::Function *called = call ? call->getCalledFunction() : nullptr;
                if (!called || !why.contains(called->getName().str())) continue;
                why[function.getName().str()] = "calls " + called->getName().str();
                changed = true;
                break;
            }
        }
    }
    for (llvm::Function &function : module)
        if (!function.isDeclaration() && why.contains(function.getName().str())) function.deleteBody();
    return why;
}

}  // namespace tapir::bpf
