// SPDX-License-Identifier: GPL-2.0-or-later
// Every operation of ops.def as the dump shows it, against testsuite/golden/ir/ops.golden, which has a line for each;
// TAPIR_UPDATE_GOLDEN=1 writes it anew. And what the verifier finds.
#include "ir/ops.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <set>

#include "ir/ir.h"
#include "ir/verifier.h"
#include "testsuite/trees.h"

namespace tapir {
namespace {

const std::string kGolden = tapir::source_dir() + "/testsuite/golden/ir/ops.golden";

std::vector<ir::Op> all_ops() {
    std::vector<ir::Op> ops;
    for (int i = 0; i < ir::kOps; ++i)
        ops.push_back(static_cast<ir::Op>(i));
    return ops;
}

// One entry of everything that operations speak of.
class Ops : public testing::Test {
  protected:
    Ops() {
        ir::Global global;
        global.name = "total";
        module_.globals = {global};
        module_.literals = {"text"};
        ir::Function function;
        function.name = "callee";
        module_.functions = {function};
        module_.snippets = {{" (void)0; ", ast::Type::Void, {}, false}};
        module_.regexes = {{"a|b", {}}};
        module_.snapshots = {{{.global = 0, .sort = {}, .limit = 5}}};
        module_.addresses = {{"ext4", "ext4_mount"}};
    }

    static ir::Inst full(ir::Op op, bool old) {
        const ir::OpFacts &is = ir::facts(op);
        ir::Inst inst;
        inst.op = op;
        inst.old = old;
        inst.a = {ir::ValueKind::Reg, 1};
        inst.b = {ir::ValueKind::Int, 2};
        inst.args = {{ir::ValueKind::Reg, 3}, {ir::ValueKind::Literal, 0}};
        inst.next = {ir::ValueKind::Reg, 4};
        inst.sort = {.direction = -1, .column = 0, .stat = ast::StatOpKind::Sum};
        inst.global = inst.index = 0;
        if (is.has_dst || is.may_have_dst) inst.dst = {ir::ValueKind::Reg, 0};
        if (is.goes) inst.target = 0;
        return inst;
    }

    std::string line(ir::Op op, bool old) const {
        ir::Body body;
        body.code = {full(op, old)};
        const std::string text = ir::print(module_, body);
        return text.substr(text.find_first_not_of(' '));
    }

    ir::Module module_;
};

TEST_F(Ops, EveryOperationIsShownAsItsGoldenSays) {
    std::string shown;
    for (ir::Op op : all_ops()) {
        const std::string name = std::string(ir::facts(op).name) + ": ";
        shown += name + line(op, false);
        if (line(op, true) != line(op, false)) shown += name + line(op, true);
    }
    if (std::getenv("TAPIR_UPDATE_GOLDEN")) std::ofstream(kGolden) << shown;
    std::ifstream in(kGolden);
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), shown);
}

TEST_F(Ops, FormsNameOnlyWhatThePrinterKnows) {
    const std::set<std::string> known = {"a",        "b",         "args",      "global",   "index",  "detail",
                                         "binary",   "stat",      "compare",   "regex",    "symbol", "user",
                                         "which",    "snippet",   "order",     "snapshot", "limit",  "next",
                                         "function", "snapshots", "histogram", "newline",  "merged"};
    for (ir::Op op : all_ops()) {
        const std::string_view form = ir::facts(op).form;
        for (size_t at = form.find('{'); at != std::string_view::npos; at = form.find('{', at + 1)) {
            const size_t end = form.find('}', at);
            ASSERT_NE(end, std::string_view::npos) << ir::facts(op).name;
            EXPECT_TRUE(known.count(std::string(form.substr(at + 1, end - at - 1)))) << ir::facts(op).name;
        }
    }
}

// The module with a handler of one instruction, and the label that some go to.
std::string verified(ir::Module module, const ir::Inst &inst) {
    ir::Inst label;
    label.op = ir::Op::Label;
    label.target = 0;
    ir::Handler handler;
    handler.body.code = {inst, label};
    module.handlers = {handler};
    return ir::verify(module);
}

TEST_F(Ops, TheVerifierTakesWhatIsWhole) {
    for (ir::Op op : all_ops())
        EXPECT_EQ(verified(module_, full(op, false)), "");
}

TEST_F(Ops, TheVerifierFindsWhatIsMissing) {
    ir::Inst inst = full(ir::Op::Binary, false);
    inst.b = {};
    EXPECT_EQ(verified(module_, inst), "instruction 0 of handler0, Binary, lacks b");
    inst = full(ir::Op::Store, false);
    inst.global = -1;
    EXPECT_EQ(verified(module_, inst), "instruction 0 of handler0, Store, lacks global");
    inst = full(ir::Op::EmbeddedStmt, false);
    inst.index = -1;
    EXPECT_EQ(verified(module_, inst), "instruction 0 of handler0, EmbeddedStmt, lacks index");
    inst = full(ir::Op::Move, false);
    inst.dst = {};
    EXPECT_EQ(verified(module_, inst), "instruction 0 of handler0, Move, lacks dst");
    inst = full(ir::Op::Store, false);
    inst.dst = {ir::ValueKind::Reg, 0};
    EXPECT_EQ(verified(module_, inst), "instruction 0 of handler0, Store, lacks a place for its result");
    inst = full(ir::Op::Jump, false);
    inst.target = 7;
    EXPECT_EQ(verified(module_, inst), "instruction 0 of handler0, Jump, lacks the label it goes to");
    inst = full(ir::Op::Charge, false);
    inst.on_error = 7;
    EXPECT_EQ(verified(module_, inst), "instruction 0 of handler0, Charge, lacks the label of its error");
}

}  // namespace
}  // namespace tapir
