// SPDX-License-Identifier: GPL-2.0-or-later
// The hit: registers, arguments, values saved at the entry of a call; and memory.
#include "ir/lowerer.h"

namespace tapir::ir {

int ModuleLowering::address(const ast::SymbolAddress &expr) {
    const Address wanted{expr.module, expr.symbol};
    for (size_t i = 0; i < module.addresses.size(); i++)
        if (module.addresses[i] == wanted) return static_cast<int>(i);
    module.addresses.push_back(wanted);
    return static_cast<int>(module.addresses.size() - 1);
}

int ModuleLowering::program_index(const std::string &path) {
    for (size_t i = 0; i < module.programs.size(); i++)
        if (module.programs[i].path == path) return static_cast<int>(i);
    return -1;
}

static int64_t literal_number(const ast::Expr &e) {
    return static_cast<const ast::Number &>(e).value;
}

Operand BodyLowerer::lower_register(const ast::Register &e) {
    Value r = new_register();
    Inst &read = emit(Op::ReadRegister, r);
    read.index = static_cast<int>(literal_number(*e.number));
    read.old = e.user;
    failing(read, e.at);
    return {r, {}, {}};
}

Operand BodyLowerer::lower_deref(const ast::Deref &e) {
    Value address = evaluate(*e.address);
    Value r = new_register();
    Inst &read = emit(Op::ReadMemory, r, address);
    read.detail = static_cast<uint8_t>(literal_number(*e.size));
    read.old = e.user;
    failing(read, e.at);
    return {r, {}, {}};
}

Operand BodyLowerer::lower_symbol(const ast::SymbolAddress &e) {
    Value r = new_register();
    emit(Op::SymbolAddress, r, number(e.offset)).index = m_.address(e);
    return {r, {}, {}};
}

Operand BodyLowerer::lower_program_address(const ast::ProgramAddress &e) {
    Value r = new_register();
    Inst &find = emit(Op::ProgramAddress, r, number(e.linked));
    find.index = m_.program_index(e.path);
    failing(find, e.at);
    return {r, {}, {}};
}

Operand BodyLowerer::read_saved(const ast::Variable &v) {
    Value value = v.type == ast::Type::String ? new_pointer() : new_register();
    emit(Op::SavedGet, value).index = saved_.at(&v);
    return {value, {}, {}};
}

void BodyLowerer::write_saved(const ast::Variable &v, const Operand &value) {
    emit(Op::SavedSet, {}, value.value).index = saved_.at(&v);
}

Operand BodyLowerer::assign_hit(const ast::Assign &e) {
    if (e.op != ast::AssignOp::Set) {
        m_.unsupported(*e.target, "updating this context expression");
        return {number(0), {}, {}};
    }
    if (e.target->kind == ast::ExprKind::Deref) {
        auto &target = static_cast<const ast::Deref &>(*e.target);
        Operand address = lower_long(*target.address);
        protect(address, {e.value.get()});
        Operand value = lower_long(*e.value);
        Inst &write = emit(Op::WriteMemory, {}, address.value, value.value);
        write.detail = static_cast<uint8_t>(literal_number(*target.size));
        write.old = target.user;
        failing(write, e.target->at);
        return value;
    }
    if (e.target->kind == ast::ExprKind::Register) {
        auto &target = static_cast<const ast::Register &>(*e.target);
        Operand value = lower_long(*e.value);
        Inst &write = emit(Op::WriteRegister, {}, value.value);
        write.index = static_cast<int>(literal_number(*target.number));
        failing(write, e.target->at);
        return value;
    }
    m_.unsupported(*e.target, "writing to this context expression");
    return {number(0), {}, {}};
}

}  // namespace tapir::ir
