// SPDX-License-Identifier: GPL-2.0-or-later
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Support/Alignment.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include "bpf/compile/lowering.h"

namespace tapir::bpf {

namespace {

constexpr uint64_t kWord = 8, kFrameAlign = 16;

bool fits_register(const llvm::Type *type) {
    return !type->isAggregateType() && !type->isIntegerTy(128);
}

std::vector<llvm::AllocaInst *> locals_of(llvm::Function &function) {
    std::vector<llvm::AllocaInst *> locals;
    for (llvm::Instruction &i : llvm::instructions(function))
        if (auto *local = llvm::dyn_cast<llvm::AllocaInst>(&i); local && !is_on_bpf_stack(*local))
            locals.push_back(local);
    return locals;
}

class Framer {
  public:
    explicit Framer(llvm::Module &module) : module_(module), layout_(module.getDataLayout()) {}

    Shapes run() {
        find_shapes();
        for (const auto &[function, shape] : shapes_)
            if (shape.framed) reshape(*function);
        Shapes shapes;
        for (auto &[function, shape] : shapes_) {
            llvm::Function *now = shape.framed ? reshaped_[function] : function;
            rewrite(*now, shape);
            shapes[now] = shape;
        }
        for (const auto &[old, now] : reshaped_) {
            // Uses that are left are addresses in data.
            old->replaceAllUsesWith(now);
            old->eraseFromParent();
        }
        for (const auto &[old, name] : names_)
            reshaped_[old]->setName(name);
        return shapes;
    }

  private:
    void find_shapes() {
        for (llvm::Function &function : module_) {
            if (function.isDeclaration()) continue;
            Shape &shape = shapes_[&function];
            shape.variadic = function.isVarArg();
            if (!fits_register(function.getReturnType()))
                shape.result_bytes = layout_.getTypeAllocSize(function.getReturnType());
            shape.framed = needs_frame(function, shape);
        }
        for (bool changed = true; changed;) {
            changed = false;
            for (auto &[function, shape] : shapes_) {
                if (shape.framed || !calls_framed(*function)) continue;
                shape.framed = changed = true;
            }
        }
        for (auto &[function, shape] : shapes_)
            place_arguments(*function, shape);
    }

    void place_arguments(llvm::Function &function, Shape &shape) {
        unsigned most = kArgumentRegisters - (shape.framed ? 1 : 0);
        for (llvm::Argument &argument : function.args()) {
            bool direct = fits_register(argument.getType()) && shape.registers < most;
            shape.arguments.push_back({direct, direct ? shape.registers++ : shape.argument_bytes});
            if (!direct)
                shape.argument_bytes +=
                    llvm::alignTo(layout_.getTypeAllocSize(argument.getType()).getFixedValue(), kWord);
        }
        if (shape.framed) shape.registers++;
        shape.result_at = shape.argument_bytes + (shape.variadic ? kVariadicWords * kWord : 0);
    }

    bool needs_frame(llvm::Function &function, const Shape &shape) {
        if (shape.variadic || shape.result_bytes != 0 || function.arg_size() > kArgumentRegisters) return true;
        for (llvm::Argument &argument : function.args())
            if (!fits_register(argument.getType())) return true;
        return !locals_of(function).empty();
    }

    bool calls_framed(llvm::Function &function) {
        for (llvm::Instruction &i : llvm::instructions(function)) {
            auto *call = llvm::dyn_cast<llvm::CallBase>(&i);
            llvm::Function *called = call ? call->getCalledFunction() : nullptr;
            if (auto found = shapes_.find(called); called && found != shapes_.end() && found->second.framed)
                return true;
        }
        return false;
    }

    // A function of the same body that takes the frame.
    void reshape(llvm::Function &function) {
        const Shape &shape = shapes_[&function];
        std::vector<llvm::Type *> types;
        for (llvm::Argument &argument : function.args())
            if (shape.arguments[argument.getArgNo()].in_register) types.push_back(argument.getType());
        types.push_back(llvm::PointerType::getUnqual(module_.getContext()));
        llvm::Type *result =
            shape.result_bytes ? llvm::Type::getVoidTy(module_.getContext()) : function.getReturnType();
        auto *type = llvm::FunctionType::get(result, types, false);
        llvm::Function *now = llvm::Function::Create(type, function.getLinkage(), "", &module_);
        now->splice(now->begin(), &function);
        names_.emplace_back(&function, function.getName().str());
        reshaped_[&function] = now;
        llvm::Argument *frame = now->getArg(shape.registers - 1);
        frame->setName("frame");
        llvm::IRBuilder<> b(&*now->getEntryBlock().getFirstInsertionPt());
        for (llvm::Argument &old : function.args()) {
            const Shape::Place &place = shape.arguments[old.getArgNo()];
            old.replaceAllUsesWith(place.in_register
                                       ? static_cast<llvm::Value *>(now->getArg(static_cast<unsigned>(place.at)))
                                       : b.CreateLoad(old.getType(), at(b, frame, place.at)));
        }
        if (!shape.result_bytes) return;
        for (llvm::BasicBlock &block : *now) {
            auto *end = llvm::dyn_cast<llvm::ReturnInst>(block.getTerminator());
            if (!end) continue;
            llvm::IRBuilder<> at_end(end);
            at_end.CreateStore(end->getReturnValue(), at(at_end, frame, shape.result_at));
            at_end.CreateRetVoid();
            end->eraseFromParent();
        }
    }

    static llvm::Value *at(llvm::IRBuilder<> &b, llvm::Value *base, uint64_t offset) {
        return offset ? b.CreateConstGEP1_64(b.getInt8Ty(), base, offset) : base;
    }

    void rewrite(llvm::Function &function, Shape &shape) {
        llvm::Argument *frame = shape.framed ? function.getArg(function.arg_size() - 1) : nullptr;
        uint64_t variadic = shape.argument_bytes, used = shape.result_at + shape.result_bytes;
        for (llvm::AllocaInst *local : locals_of(function)) {
            used = llvm::alignTo(used, std::max<uint64_t>(local->getAlign().value(), kWord));
            llvm::IRBuilder<> b(local);
            local->replaceAllUsesWith(at(b, frame, used));
            used += *local->getAllocationSize(layout_);
            local->eraseFromParent();
        }
        shape.frame_bytes = llvm::alignTo(used, kFrameAlign);
        std::vector<llvm::Instruction *> all;
        for (llvm::Instruction &i : llvm::instructions(function))
            all.push_back(&i);
        for (llvm::Instruction *i : all) {
            if (auto *start = llvm::dyn_cast<llvm::VAStartInst>(i)) {
                llvm::IRBuilder<> b(start);
                b.CreateStore(at(b, frame, variadic), start->getArgList());
                start->eraseFromParent();
            } else if (auto *copy = llvm::dyn_cast<llvm::VACopyInst>(i)) {
                llvm::IRBuilder<> b(copy);
                b.CreateStore(b.CreateLoad(b.getPtrTy(), copy->getSrc()), copy->getDest());
                copy->eraseFromParent();
            } else if (auto *end = llvm::dyn_cast<llvm::VAEndInst>(i)) {
                end->eraseFromParent();
            } else if (auto *next = llvm::dyn_cast<llvm::VAArgInst>(i)) {
                llvm::IRBuilder<> b(next);
                llvm::Value *list = next->getPointerOperand(), *place = b.CreateLoad(b.getPtrTy(), list);
                llvm::Value *value = b.CreateLoad(next->getType(), place);
                b.CreateStore(at(b, place, kWord), list);
                next->replaceAllUsesWith(value);
                next->eraseFromParent();
            } else if (auto *call = llvm::dyn_cast<llvm::CallInst>(i)) {
                rewrite_call(*call, frame, shape.frame_bytes);
            }
        }
    }

    void rewrite_call(llvm::CallInst &call, llvm::Argument *frame, uint64_t own) {
        llvm::Function *called = call.getCalledFunction();
        auto found = called ? reshaped_.find(called) : reshaped_.end();
        if (found == reshaped_.end()) return;
        const Shape &shape = shapes_[called];
        llvm::IRBuilder<> b(&call);
        llvm::Value *next = at(b, frame, own);
        std::vector<llvm::Value *> arguments;
        for (unsigned i = 0; i < call.arg_size(); i++) {
            llvm::Value *value = call.getArgOperand(i);
            bool named = i < shape.arguments.size();
            if (named && shape.arguments[i].in_register) {
                arguments.push_back(value);
                continue;
            }
            if (value->getType()->isIntegerTy() && fits_register(value->getType()))
                value = b.CreateZExt(value, b.getInt64Ty());
            b.CreateStore(
                value, at(b, next,
                          named ? shape.arguments[i].at : shape.argument_bytes + (i - shape.arguments.size()) * kWord));
        }
        arguments.push_back(next);
        llvm::CallInst *now = b.CreateCall(found->second, arguments);
        llvm::Value *result = shape.result_bytes ? b.CreateLoad(call.getType(), at(b, next, shape.result_at))
                                                 : static_cast<llvm::Value *>(now);
        call.replaceAllUsesWith(result);
        call.eraseFromParent();
    }

    llvm::Module &module_;
    const llvm::DataLayout &layout_;
    std::map<llvm::Function *, Shape> shapes_;
    std::map<llvm::Function *, llvm::Function *> reshaped_;
    std::vector<std::pair<llvm::Function *, std::string>> names_;
};

}  // namespace

Shapes give_frames(llvm::Module &module) {
    return Framer(module).run();
}

}  // namespace tapir::bpf
