// SPDX-License-Identifier: GPL-2.0-or-later
#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include "bpf/compile/lowering.h"

namespace tapir::bpf {

namespace {

// As many bytes are copied or set by single loads and stores.
constexpr uint64_t kInlineBytes = 128;

class Simplifier {
  public:
    explicit Simplifier(llvm::Module &module) : module_(module) {}

    void run(llvm::Function &function) {
        function_ = &function;
        for (llvm::Instruction &i : llvm::make_early_inc_range(llvm::instructions(function))) {
            replace_undefined(i);
            if (auto *plain = llvm::dyn_cast<llvm::CallInst>(&i); plain && plain->isInlineAsm()) {
                // Where it is empty, it only kept the compiler from moving accesses.
                if (!llvm::cast<llvm::InlineAsm>(plain->getCalledOperand())->getAsmString().empty())
                    refuse("has instructions of another machine");
                else
                    plain->eraseFromParent();
            } else if (auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&i)) {
                simplify_intrinsic(*call);
            } else if (auto *load = llvm::dyn_cast<llvm::LoadInst>(&i)) {
                simplify_load(*load);
            } else if (auto *store = llvm::dyn_cast<llvm::StoreInst>(&i)) {
                simplify_store(*store);
            } else if (auto *fence = llvm::dyn_cast<llvm::FenceInst>(&i)) {
                simplify_fence(*fence);
            } else if (auto *change = llvm::dyn_cast<llvm::AtomicRMWInst>(&i)) {
                simplify_change(*change);
            } else if (auto *swap = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&i)) {
                check_word(swap->getCompareOperand()->getType());
            } else if (i.getOpcode() == llvm::Instruction::Mul && i.getType()->isIntegerTy(128)) {
                simplify_product(i);
            } else if (i.isShift() && i.getType()->isIntegerTy(128) && !llvm::isa<llvm::ConstantInt>(i.getOperand(1))) {
                simplify_shift(i);
            } else if (i.isIntDivRem() && i.getType()->isIntegerTy(128)) {
                refuse("divides numbers of 128 bits");
            }
        }
    }

    std::map<std::string, std::string> refusals;

  private:
    void refuse(const std::string &why) { refusals[function_->getName().str()] = why; }

    void check_word(const llvm::Type *type) {
        if (!type->isIntegerTy(64) && !type->isIntegerTy(32) && !type->isPointerTy())
            refuse("changes a part of a word at once");
    }

    // A register that was never written is no argument to the verifier.
    void replace_undefined(llvm::Instruction &i) {
        for (llvm::Use &operand : i.operands())
            if (llvm::isa<llvm::UndefValue>(operand.get()) && operand->getType()->isIntOrPtrTy())
                operand.set(llvm::Constant::getNullValue(operand->getType()));
    }

    void simplify_load(llvm::LoadInst &load) {
        if (load.isAtomic()) {
            load.setAtomic(llvm::AtomicOrdering::NotAtomic);
            load.setVolatile(true);
        }
        load.setAlignment(natural(load.getType()));
    }

    void simplify_store(llvm::StoreInst &store) {
        // Stores of x86 are seen in their order; a store that all have to agree on is an exchange.
        if (store.isAtomic() && store.getOrdering() == llvm::AtomicOrdering::SequentiallyConsistent) {
            llvm::IRBuilder<> b(&store);
            check_word(store.getValueOperand()->getType());
            b.CreateAtomicRMW(llvm::AtomicRMWInst::Xchg, store.getPointerOperand(), store.getValueOperand(),
                              llvm::MaybeAlign(), llvm::AtomicOrdering::SequentiallyConsistent);
            store.eraseFromParent();
            return;
        }
        if (store.isAtomic()) {
            store.setAtomic(llvm::AtomicOrdering::NotAtomic);
            store.setVolatile(true);
        }
        store.setAlignment(natural(store.getValueOperand()->getType()));
    }

    // Words at any address are read and written as one: the machines that Tapir runs on do.
    llvm::Align natural(llvm::Type *type) { return module_.getDataLayout().getABITypeAlign(type); }

    void simplify_fence(llvm::FenceInst &fence) {
        if (fence.getOrdering() == llvm::AtomicOrdering::SequentiallyConsistent) {
            llvm::IRBuilder<> b(&fence);
            llvm::Type *word = b.getInt64Ty();
            llvm::Constant *fenced = module_.getOrInsertGlobal("tapir_bpf_fence", word);
            b.CreateAtomicRMW(llvm::AtomicRMWInst::Xchg, fenced, llvm::ConstantInt::get(word, 0), llvm::MaybeAlign(),
                              llvm::AtomicOrdering::SequentiallyConsistent);
        }
        fence.eraseFromParent();
    }

    void simplify_change(llvm::AtomicRMWInst &change) {
        check_word(change.getValOperand()->getType());
        switch (change.getOperation()) {
            case llvm::AtomicRMWInst::Add:
            case llvm::AtomicRMWInst::And:
            case llvm::AtomicRMWInst::Or:
            case llvm::AtomicRMWInst::Xor:
            case llvm::AtomicRMWInst::Xchg:
                return;
            case llvm::AtomicRMWInst::Sub: {
                llvm::IRBuilder<> b(&change);
                change.setOperand(1, b.CreateNeg(change.getValOperand()));
                change.setOperation(llvm::AtomicRMWInst::Add);
                return;
            }
            default:
                refuse("changes a word in a way that BPF has not");
        }
    }

    void simplify_intrinsic(llvm::IntrinsicInst &call) {
        if (auto *copy = llvm::dyn_cast<llvm::MemTransferInst>(&call)) {
            simplify_copy(*copy);
        } else if (auto *set = llvm::dyn_cast<llvm::MemSetInst>(&call)) {
            simplify_set(*set);
        } else if (call.getIntrinsicID() == llvm::Intrinsic::umul_with_overflow &&
                   call.getArgOperand(0)->getType()->isIntegerTy(64)) {
            llvm::IRBuilder<> b(&call);
            auto [lower, upper] = product_of(b, call.getArgOperand(0), call.getArgOperand(1));
            llvm::Value *both = b.CreateInsertValue(llvm::PoisonValue::get(call.getType()), lower, 0);
            call.replaceAllUsesWith(b.CreateInsertValue(both, b.CreateICmpNE(upper, b.getInt64(0)), 1));
            call.eraseFromParent();
        } else if (call.getIntrinsicID() == llvm::Intrinsic::cttz) {
            // The bits below the lowest one that is set, counted: LLVM would take a table, whose accesses it makes
            // after ours.
            llvm::IRBuilder<> b(&call);
            llvm::Value *x = call.getArgOperand(0);
            llvm::Value *below = b.CreateSub(b.CreateAnd(x, b.CreateNeg(x)), llvm::ConstantInt::get(x->getType(), 1));
            call.replaceAllUsesWith(b.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, below));
            call.eraseFromParent();
        } else if (call.isLifetimeStartOrEnd() || call.getIntrinsicID() == llvm::Intrinsic::assume ||
                   call.getIntrinsicID() == llvm::Intrinsic::experimental_noalias_scope_decl) {
            call.eraseFromParent();
        }
    }

    uint64_t constant_length(llvm::Value *length) {
        const auto *number = llvm::dyn_cast<llvm::ConstantInt>(length);
        return number ? number->getZExtValue() : UINT64_MAX;
    }

    void simplify_copy(llvm::MemTransferInst &copy) {
        llvm::IRBuilder<> b(&copy);
        uint64_t length = constant_length(copy.getLength());
        if (length > kInlineBytes) {
            call(b, llvm::isa<llvm::MemMoveInst>(copy) ? "tapir_bpf_move" : "tapir_bpf_copy",
                 {copy.getRawDest(), copy.getRawSource(), b.CreateZExt(copy.getLength(), b.getInt64Ty())});
        } else {
            // All is read before anything is written, if parts can be the same.
            std::vector<std::pair<llvm::Value *, uint64_t>> held;
            bool overlaps = llvm::isa<llvm::MemMoveInst>(copy);
            for (uint64_t at = 0, size; at < length; at += size) {
                size = piece(length - at);
                llvm::Type *type = b.getIntNTy(static_cast<unsigned>(size * 8));
                llvm::Value *value = b.CreateAlignedLoad(
                    type, b.CreateConstGEP1_64(b.getInt8Ty(), copy.getRawSource(), at), natural(type));
                held.emplace_back(value, at);
                if (!overlaps) store_held(b, copy.getRawDest(), held);
            }
            store_held(b, copy.getRawDest(), held);
        }
        copy.eraseFromParent();
    }

    void store_held(llvm::IRBuilder<> &b, llvm::Value *to, std::vector<std::pair<llvm::Value *, uint64_t>> &held) {
        for (const auto &[value, at] : held)
            b.CreateAlignedStore(value, b.CreateConstGEP1_64(b.getInt8Ty(), to, at), natural(value->getType()));
        held.clear();
    }

    void simplify_set(llvm::MemSetInst &set) {
        llvm::IRBuilder<> b(&set);
        uint64_t length = constant_length(set.getLength());
        llvm::Value *byte = b.CreateZExt(set.getValue(), b.getInt64Ty());
        llvm::Value *word = b.CreateMul(byte, b.getInt64(0x0101010101010101));
        if (length > kInlineBytes) {
            call(b, "tapir_bpf_set", {set.getRawDest(), word, b.CreateZExt(set.getLength(), b.getInt64Ty())});
        } else {
            for (uint64_t at = 0, size; at < length; at += size) {
                size = piece(length - at);
                llvm::Type *type = b.getIntNTy(static_cast<unsigned>(size * 8));
                b.CreateAlignedStore(b.CreateTrunc(word, type),
                                     b.CreateConstGEP1_64(b.getInt8Ty(), set.getRawDest(), at), natural(type));
            }
        }
        set.eraseFromParent();
    }

    static uint64_t piece(uint64_t left) { return left >= 8 ? 8 : left >= 4 ? 4 : left >= 2 ? 2 : 1; }

    void call(llvm::IRBuilder<> &b, const char *name, std::initializer_list<llvm::Value *> arguments) {
        if (function_->getName() == name) return refuse("calls itself");
        llvm::Function *function = module_.getFunction(name);
        if (!function) return refuse(std::string("needs ") + name + "(), which the port has not");
        b.CreateCall(function, arguments);
    }

    // Both halves of a product, of four products of 32 bits each: BPF has no instruction for the upper half.
    static std::pair<llvm::Value *, llvm::Value *> product_of(llvm::IRBuilder<> &b, llvm::Value *x, llvm::Value *y) {
        llvm::Value *low = b.getInt64(0xffffffff);
        llvm::Value *a0 = b.CreateAnd(x, low), *a1 = b.CreateLShr(x, 32), *b0 = b.CreateAnd(y, low),
                    *b1 = b.CreateLShr(y, 32);
        llvm::Value *p00 = b.CreateMul(a0, b0), *p01 = b.CreateMul(a0, b1), *p10 = b.CreateMul(a1, b0),
                    *p11 = b.CreateMul(a1, b1);
        llvm::Value *middle =
            b.CreateAdd(b.CreateAdd(b.CreateLShr(p00, 32), b.CreateAnd(p01, low)), b.CreateAnd(p10, low));
        llvm::Value *lower = b.CreateOr(b.CreateAnd(p00, low), b.CreateShl(middle, 32));
        llvm::Value *upper = b.CreateAdd(b.CreateAdd(p11, b.CreateLShr(p01, 32)),
                                         b.CreateAdd(b.CreateLShr(p10, 32), b.CreateLShr(middle, 32)));
        return {lower, upper};
    }

    void simplify_product(llvm::Instruction &product) {
        llvm::IRBuilder<> b(&product);
        llvm::Type *word = b.getInt64Ty(), *wide = b.getInt128Ty();
        llvm::Value *x = product.getOperand(0), *y = product.getOperand(1);
        llvm::Value *x0 = b.CreateTrunc(x, word), *y0 = b.CreateTrunc(y, word);
        llvm::Value *x1 = b.CreateTrunc(b.CreateLShr(x, 64), word), *y1 = b.CreateTrunc(b.CreateLShr(y, 64), word);
        auto [lower, upper] = product_of(b, x0, y0);
        upper = b.CreateAdd(upper, b.CreateAdd(b.CreateMul(x1, y0), b.CreateMul(x0, y1)));
        llvm::Value *all = b.CreateOr(b.CreateZExt(lower, wide), b.CreateShl(b.CreateZExt(upper, wide), 64));
        product.replaceAllUsesWith(all);
        product.eraseFromParent();
    }

    // By any number of bits: of two words, with the bits that go from one to the other.
    void simplify_shift(llvm::Instruction &shift) {
        llvm::IRBuilder<> b(&shift);
        llvm::Type *word = b.getInt64Ty(), *wide = b.getInt128Ty();
        bool left = shift.getOpcode() == llvm::Instruction::Shl;
        if (shift.getOpcode() == llvm::Instruction::AShr) return refuse("shifts signed numbers of 128 bits");
        llvm::Value *n = b.CreateTrunc(shift.getOperand(1), word), *low = b.CreateTrunc(shift.getOperand(0), word);
        llvm::Value *high = b.CreateTrunc(b.CreateLShr(shift.getOperand(0), 64), word);
        // `near` is the word that bits leave for `far`.
        llvm::Value *near = left ? low : high, *far = left ? high : low, *within = b.CreateAnd(n, 63);
        auto towards = [&](llvm::Value *v, llvm::Value *by) { return left ? b.CreateShl(v, by) : b.CreateLShr(v, by); };
        auto back = [&](llvm::Value *v, llvm::Value *by) { return left ? b.CreateLShr(v, by) : b.CreateShl(v, by); };
        llvm::Value *moved = back(back(near, b.getInt64(1)), b.CreateXor(within, 63));
        llvm::Value *all = b.CreateICmpUGE(n, b.getInt64(64)), *zero = b.getInt64(0);
        llvm::Value *far_out = b.CreateSelect(all, towards(near, within), b.CreateOr(towards(far, within), moved));
        llvm::Value *near_out = b.CreateSelect(all, zero, towards(near, within));
        llvm::Value *low_out = left ? near_out : far_out, *high_out = left ? far_out : near_out;
        shift.replaceAllUsesWith(
            b.CreateOr(b.CreateZExt(low_out, wide), b.CreateShl(b.CreateZExt(high_out, wide), 64)));
        shift.eraseFromParent();
    }

    llvm::Module &module_;
    llvm::Function *function_ = nullptr;
};

}  // namespace

// A structure that is handed over is a copy of the caller's, whose address is handed over.
void hand_over_copies(llvm::Function &function) {
    llvm::BasicBlock::iterator start = function.getEntryBlock().getFirstInsertionPt();
    for (llvm::Instruction &i : llvm::instructions(function)) {
        auto *call = llvm::dyn_cast<llvm::CallInst>(&i);
        for (unsigned n = 0; call && n < call->arg_size(); n++) {
            call->removeParamAttr(n, llvm::Attribute::StructRet);
            if (!call->isByValArgument(n)) continue;
            llvm::Type *type = call->getParamByValType(n);
            auto *copy = llvm::IRBuilder<>(&*start).CreateAlloca(type);
            uint64_t bytes = function.getParent()->getDataLayout().getTypeAllocSize(type);
            llvm::IRBuilder<>(call).CreateMemCpy(copy, copy->getAlign(), call->getArgOperand(n), llvm::MaybeAlign(),
                                                 bytes);
            call->setArgOperand(n, copy);
            call->removeParamAttr(n, llvm::Attribute::ByVal);
        }
    }
    for (llvm::Argument &argument : function.args()) {
        argument.removeAttr(llvm::Attribute::ByVal);
        argument.removeAttr(llvm::Attribute::StructRet);
    }
}

std::map<std::string, std::string> simplify(llvm::Module &module) {
    for (llvm::Function &function : module)
        if (!function.isDeclaration()) hand_over_copies(function);
    Simplifier simplifier(module);
    for (llvm::Function &function : module)
        if (!function.isDeclaration()) simplifier.run(function);
    return simplifier.refusals;
}

}  // namespace tapir::bpf
