// SPDX-License-Identifier: GPL-2.0-or-later
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/Instructions.h>

#include "bpf/compile/lowering.h"

namespace tapir::bpf {

namespace {

// The address that an instruction uses; null: it uses none.
llvm::Use *address_of(llvm::Instruction &i) {
    if (llvm::isa<llvm::LoadInst>(i)) return &i.getOperandUse(llvm::LoadInst::getPointerOperandIndex());
    if (llvm::isa<llvm::StoreInst>(i)) return &i.getOperandUse(llvm::StoreInst::getPointerOperandIndex());
    if (llvm::isa<llvm::AtomicRMWInst>(i)) return &i.getOperandUse(llvm::AtomicRMWInst::getPointerOperandIndex());
    if (llvm::isa<llvm::AtomicCmpXchgInst>(i))
        return &i.getOperandUse(llvm::AtomicCmpXchgInst::getPointerOperandIndex());
    return nullptr;
}

// In a block, one cast serves all accesses by the same address: what lives longer stays a number, as calls want it.
class Caster {
  public:
    explicit Caster(llvm::Module &module) : layout_(module.getDataLayout()) {
        llvm::Type *pointer = llvm::PointerType::getUnqual(module.getContext());
        cast_ = llvm::InlineAsm::get(llvm::FunctionType::get(pointer, {pointer}, false),
                                     "$0 = addr_space_cast($1, 0x0, 0x1)", "=r,r",
                                     /*hasSideEffects=*/false);
    }

    void run(llvm::BasicBlock &block) {
        casts_.clear();
        for (llvm::Instruction &i : block) {
            if (llvm::Use *address = address_of(i)) cast(i, *address);
            // Registers that calls do not keep are few.
            if (llvm::isa<llvm::CallInst>(i) && !llvm::cast<llvm::CallInst>(i).isInlineAsm()) casts_.clear();
        }
    }

  private:
    void cast(llvm::Instruction &i, llvm::Use &address) {
        if (llvm::isa<llvm::AllocaInst>(llvm::getUnderlyingObject(address.get(), 0))) return;
        llvm::APInt offset(layout_.getIndexTypeSizeInBits(address->getType()), 0);
        llvm::Value *base = address->stripAndAccumulateConstantOffsets(layout_, offset, /*AllowNonInbounds=*/true);
        llvm::IRBuilder<> b(&i);
        llvm::Value *&known = casts_[base];
        if (!known) known = b.CreateCall(cast_, {base});
        address.set(offset.isZero() ? known : b.CreateGEP(b.getInt8Ty(), known, {b.getInt(offset)}));
    }

    const llvm::DataLayout &layout_;
    llvm::InlineAsm *cast_;
    std::map<llvm::Value *, llvm::Value *> casts_;
};

class Forgetter {
  public:
    explicit Forgetter(llvm::Module &module)
        : zero_(module.getOrInsertGlobal("tapir_bpf_zero", llvm::Type::getInt64Ty(module.getContext()))) {}

    void run(llvm::Function &function) {
        llvm::DominatorTree tree(function);
        llvm::LoopInfo loops(tree);
        for (llvm::Loop *loop : loops.getLoopsInPreorder())
            for (llvm::PHINode &phi : loop->getHeader()->phis())
                forget(phi);
    }

  private:
    void forget(llvm::PHINode &phi) {
        llvm::Type *type = phi.getType();
        if (!type->isPointerTy() &&
            !(type->isIntegerTy() && type->getIntegerBitWidth() >= 8 && type->getIntegerBitWidth() <= 64))
            return;
        for (unsigned i = 0; i < phi.getNumIncomingValues(); i++) {
            llvm::Value *value = phi.getIncomingValue(i);
            llvm::IRBuilder<> b(phi.getIncomingBlock(i)->getTerminator());
            llvm::Value *zero = b.CreateLoad(b.getInt64Ty(), zero_, /*isVolatile=*/true);
            phi.setIncomingValue(i, type->isPointerTy() ? b.CreateGEP(b.getInt8Ty(), value, {zero})
                                                        : b.CreateAdd(value, b.CreateTrunc(zero, type)));
        }
    }

    llvm::Constant *zero_;
};

}  // namespace

void forget_numbers(llvm::Module &module) {
    Forgetter forgetter(module);
    for (llvm::Function &function : module)
        if (!function.isDeclaration()) forgetter.run(function);
}

void cast_accesses(llvm::Module &module) {
    Caster caster(module);
    for (llvm::Function &function : module)
        for (llvm::BasicBlock &block : function)
            caster.run(block);
}

}  // namespace tapir::bpf
