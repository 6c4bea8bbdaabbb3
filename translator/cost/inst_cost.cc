// SPDX-License-Identifier: GPL-2.0-or-later
#include "cost/inst_cost.h"

#include <algorithm>

#include "cost/weights.h"
#include "ir/reckon.h"

namespace tapir::cost {

using ir::Access;
using ir::Inst;
using ir::Op;
using ir::Value;
using ir::ValueKind;

namespace {

// Writes the arguments of the system call that was hit.
constexpr std::string_view kShowsArguments = "tapir_syscall_here_argstr";

bool is_text(const syscalls::Show &show) {
    return show.kind == TAPIR_SHOW_STRING;
}

// Statements of C; each counts as a loop of few turns.
bool loops(std::string_view word) {
    return word == "for" || word == "while";
}

}  // namespace

ModuleFacts::ModuleFacts(const ir::Module &module) {
    each_body(module, [&](const ir::Body &body) {
        for (const Inst &inst : body.code)
            if (inst.op == Op::MapDelete || inst.op == Op::MapDeleteSlice) deleted.insert(inst.global);
    });
    for (const size_t i : module.syscalls.entries)
        for (const syscalls::Show &show : module.syscalls.calls->entries()[i].call.args)
            (is_text(show) ? shown_texts : shown_numbers) += 1;
    const auto calls = static_cast<double>(std::max<size_t>(module.syscalls.entries.size(), 1));
    shown_texts /= calls;
    shown_numbers /= calls;
}

// The groups of ir/ops.def.
double InstCost::operator()(const Inst &i) const {
    const auto within = [&](Op first, Op last) { return i.op >= first && i.op <= last; };
    if (i.op == Op::Point || i.op == Op::SetNext) return 0;
    if (within(Op::Label, Op::CheckDivisor)) return number(i);
    if (within(Op::Copy, Op::RegexMatch) || i.op == Op::Sprintf) return text(i);
    if (within(Op::Load, Op::Update)) return scalar(i);
    if (within(Op::MapGet, Op::MapSample)) return array(i);
    if (within(Op::Sample, Op::HistSprint)) return statistic(i);
    if (within(Op::SnapshotsTake, Op::IterStat)) return loop(i);
    if (within(Op::ReadRegister, Op::SavedSet)) return hit(i);
    if (i.op == Op::Call) return call(i);
    if (within(Op::EmbeddedStmt, Op::EmbeddedExpr)) return c_code(module_.snippets[static_cast<size_t>(i.index)].code);
    if (within(Op::PrintBytes, Op::Printf) || i.op == Op::Send) return print(i);
    return limits(i);
}

double InstCost::number(const Inst &i) const {
    if (i.op == Op::Label || i.op == Op::Jump) return 0;
    const auto op = static_cast<ast::BinaryOp>(i.detail);
    if (i.op != Op::Binary || (op != ast::BinaryOp::Div && op != ast::BinaryOp::Mod)) return weight::Number;
    return i.b.kind == ValueKind::Int ? weight::DivideByConstant : weight::Divide;
}

double InstCost::bytes(const Value &value) const {
    if (value.kind == ValueKind::Literal)
        return static_cast<double>(module_.literals[static_cast<size_t>(value.n)].size());
    return value.is_string() ? sizes_.text : 0;
}

// Errors, limits, locks.
double InstCost::limits(const Inst &i) const {
    switch (i.op) {
        case Op::Raise:
        case Op::Catch:
            return weight::Raise;
        case Op::LocksTake:
            return weight::LocksTake + weight::LockTake * static_cast<double>(body_.locks);
        case Op::LocksDrop:
            return weight::LocksDrop + weight::LockDrop * static_cast<double>(body_.locks);
        case Op::CheckCondition:
            return weight::CheckCondition;
        default:
            return weight::Charge;
    }
}

// The hit, and memory.
double InstCost::hit(const Inst &i) const {
    switch (i.op) {
        case Op::ReadRegister:
        case Op::WriteRegister:
        case Op::HitArgument:
            return body_.leaf ? weight::Argument : weight::ArgumentOfContext;
        case Op::SavedGet:
        case Op::SavedSet:
            return weight::Saved + weight::CopiedByte * bytes(i.op == Op::SavedGet ? i.dst : i.a);
        case Op::ReadMemory:
            return i.old ? weight::ReadUser : weight::ReadKernel;
        case Op::WriteMemory:
            return weight::WriteMemory;
        case Op::SymbolAddress:
            return weight::Number;
        default:
            return weight::ProgramAddress;
    }
}

double InstCost::text(const Inst &i) const {
    const double a = bytes(i.a), b = bytes(i.b);
    switch (i.op) {
        case Op::Copy:
            return i.a.kind == ValueKind::Literal && a == 0 ? weight::Number : weight::Copy + weight::CopiedByte * a;
        case Op::Concat:
            return weight::Concat + weight::CopiedByte * (a + b);
        case Op::Append:
            return weight::Append + weight::CopiedByte * (a + bytes(i.dst));
        case Op::StrCompare:
            return weight::Compare + weight::ComparedByte * std::min(a, b);
        case Op::RegexMatch:
            return weight::Regex + weight::MatchedByte * a;
        default: {
            double sum = weight::Sprintf;
            for (const ir::FormatPiece &piece : module_.formats[static_cast<size_t>(i.index)])
                sum += piece.conv == ast::FormatPiece::Conv::Literal
                           ? weight::FormatText + weight::CopiedByte * static_cast<double>(piece.literal.size())
                           : weight::FormatPiece;
            for (const Value &arg : i.args)
                sum += weight::FormatByte * bytes(arg);
            return sum;
        }
    }
}

double InstCost::scalar(const Inst &i) const {
    const ir::Global &global = module_.globals[static_cast<size_t>(i.global)];
    double sum = i.op == Op::Load ? weight::Number : weight::ChangeGlobal;
    if (global.type == ast::Type::String) sum += weight::Copy + weight::CopiedByte * sizes_.text;
    if (i.access == Access::Locked) sum += weight::OwnLock;
    return sum;
}

// An operation on an element, once its keys have found it.
double InstCost::array_operation(const Inst &i) const {
    const ir::Global &global = module_.globals[static_cast<size_t>(i.global)];
    const double copied = global.type == ast::Type::String ? weight::Copy + weight::CopiedByte * sizes_.text : 0;
    switch (i.op) {
        case Op::MapGet:
            return weight::ArrayGet + copied;
        case Op::MapSet:
            // Where elements go away, most of those that are set are new.
            return weight::ArraySet + copied + (facts_.deleted.contains(i.global) ? weight::NewElement : 0.0);
        case Op::MapUpdate:
            return weight::ArrayAdd + (i.access == Access::Atomic ? 0 : weight::ArraySet);
        case Op::MapSample:
            return global.stable ? weight::ArraySample : weight::ArraySampleGoing;
        case Op::MapDelete:
            return weight::ArrayDelete;
        case Op::MapHasSlice:
        case Op::MapDeleteSlice:
            return weight::ArrayElement * sizes_.elements;
        case Op::MapClear:
            return weight::ArrayClear + weight::ClearedElement * sizes_.elements;
        default:
            return 0;
    }
}

double InstCost::array(const Inst &i) const {
    const ir::Global &global = module_.globals[static_cast<size_t>(i.global)];
    double sum = array_operation(i);
    if (i.op == Op::MapClear) return sum;
    // An attempt finds the element by the address of its key.
    if (body_.leaf && !i.args.empty() && i.args[0].is_string()) return sum + weight::Attempt;
    // Elements that stay are added to without their lock.
    const bool one = i.args.size() == 1, adds = i.op == Op::MapUpdate || i.op == Op::MapSample;
    sum += one && adds && global.stable ? weight::FindStaying : one ? weight::Find : weight::FindSeveral;
    for (const Value &key : i.args) {
        const double text = one ? weight::KeyText : weight::SeveralKeyText;
        sum += key.is_string() ? text + weight::KeyByte * bytes(key)
               : one           ? weight::KeyNumber
                               : weight::SeveralKeyNumber;
    }
    if (i.access == Access::Locked) sum += weight::OwnLock;
    return sum;
}

double InstCost::statistic(const Inst &i) const {
    switch (i.op) {
        case Op::Sample: {
            const ir::Global &global = module_.globals[static_cast<size_t>(i.global)];
            if (global.stat.hists.empty()) return weight::Sample;
            return weight::Sample + (body_.leaf ? weight::Bucket : weight::BucketOfContext);
        }
        case Op::StatRead:
        case Op::MapStatRead: {
            double sum = weight::Merge;
            for (const Value &key : i.args)
                sum += key.is_string() ? weight::KeyText + weight::KeyByte * bytes(key) : weight::KeyNumber;
            return sum + (i.args.empty() ? 0 : weight::Find);
        }
        case Op::StatExtract:
        case Op::HistGet:
            return weight::DivideByConstant;
        case Op::StatClear:
            return weight::Merge;
        default:
            return weight::Histogram;
    }
}

double InstCost::loop(const Inst &i) const {
    switch (i.op) {
        case Op::SnapshotsTake:
            return weight::Snapshot + weight::CopiedElement * sizes_.elements;
        case Op::IterBegin:
            return weight::LoopBegin + (i.sort.direction ? weight::SortedElement * sizes_.elements : 0);
        case Op::IterNext:
            return weight::LoopNext;
        case Op::IterKey:
        case Op::IterValue:
            return weight::LoopValue + weight::CopiedByte * bytes(i.dst);
        case Op::IterStat:
            return weight::Merge;
        default:
            return weight::Charge;
    }
}

double InstCost::print(const Inst &i) const {
    switch (i.op) {
        case Op::Send:
            return weight::Charge;
        case Op::PrintBytes:
        case Op::PrintString:
            return weight::Print + weight::CopiedByte * bytes(i.a);
        case Op::PrintLong:
            return weight::Print + weight::PrintedNumber;
        default: {
            double sum = weight::Print;
            for (const Value &arg : i.args)
                sum += arg.is_string() ? weight::PrintedText + weight::CopiedByte * bytes(arg) : weight::PrintedNumber;
            return sum;
        }
    }
}

double InstCost::call(const Inst &i) const {
    const auto index = static_cast<size_t>(i.index);
    const ir::Function &f = module_.functions[index];
    double sum = functions_[index].at(level_);
    // The compiler puts most of them in place.
    if (!f.leaf) sum += weight::Call;
    if (f.pushes) sum += weight::Frame;
    if (f.can_fail) sum += weight::FailureTest;
    return sum;
}

double InstCost::c_code(std::string_view code) const {
    double sum = 0;
    size_t turns = 0;
    for (const std::string &word : ir::called_words(code)) {
        turns += loops(word);
        sum += weight::runtime_call(word, sizes_);
        if (word == kShowsArguments)
            sum += facts_.shown_numbers * weight::ShownNumber +
                   facts_.shown_texts * (weight::ShownText + weight::ShownByte * sizes_.text);
    }
    return sum + weight::CodeLoop * static_cast<double>(turns) * sizes_.turns;
}

}  // namespace tapir::cost
