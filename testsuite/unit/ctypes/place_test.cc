// SPDX-License-Identifier: GPL-2.0-or-later
#include "ctypes/place.h"

#include <gtest/gtest.h>

namespace tapir::ctypes {
namespace {

std::string text(TermOp op, int64_t left, int64_t right = 0) {
    return term_text(*make_term(op, constant_term(left), constant_term(right)));
}

TEST(Place, ConstantsFold) {
    EXPECT_EQ("7", text(TermOp::Add, 3, 4));
    EXPECT_EQ("-1", text(TermOp::Subtract, 3, 4));
    EXPECT_EQ("12", text(TermOp::Multiply, 3, 4));
    EXPECT_EQ("-9223372036854775808", text(TermOp::Add, INT64_MAX, 1));
}

TEST(Place, OffsetsAddUp) {
    TermPtr t = make_term(TermOp::Add, register_term(7), constant_term(8));
    t = make_term(TermOp::Add, t, constant_term(16));
    EXPECT_EQ("(reg7 + 24)", term_text(*t));
    EXPECT_EQ("u32[(reg7 + 24)]", term_text(*load_term(4, t)));
    EXPECT_EQ("thread-local 16", term_text(*make_term(TermOp::ThreadLocal, constant_term(16))));
}

TEST(Place, DivisionByZeroIsLeftToTheHit) {
    EXPECT_EQ("(3 / 0)", text(TermOp::Divide, 3, 0));
    EXPECT_EQ("(3 % 0)", text(TermOp::Modulo, 3, 0));
}

TEST(Place, AbsentSaysWhy) {
    const Place place = absent("it was optimized out");
    EXPECT_EQ(Place::Kind::Absent, place.kind);
    EXPECT_EQ("it was optimized out", place.why);
}

}  // namespace
}  // namespace tapir::ctypes
