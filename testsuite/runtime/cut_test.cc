// SPDX-License-Identifier: GPL-2.0-or-later
// Which texts count as cut: those for which strings have no room, once each; not those that a script wants short.
#include <cstring>

#include "fixture.h"
extern "C" {
#include "syscall_internal.h"
}

namespace tapir::test {
namespace {

class Cut : public Runtime {
  protected:
    // How many texts were cut since the last call.
    u64 strings() { return since(TAPIR_CUT_STRING); }
    u64 stacks() { return since(TAPIR_CUT_STACK); }

    const std::string full_ = std::string(Buffer::cap - 1, 'f');
    const std::string longer_ = std::string(Buffer::cap, 'l');
    Buffer to_;

  private:
    u64 since(u32 what) {
        const u64 all = tapir_host_cut(what), news = all - told_[what];
        told_[what] = all;
        return news;
    }
    u64 told_[TAPIR_CUTS] = {};
};

TEST_F(Cut, Copies) {
    for (size_t shift = 0; shift < 9; shift++) {
        const std::string before(shift, ' '), fits = before + full_, not_quite = before + longer_;
        tapir_str_copy(to_.text, fits.c_str() + shift, Buffer::cap);
        EXPECT_EQ(strings(), 0u);
        EXPECT_EQ(to_.text, full_);
        tapir_str_copy(to_.text, not_quite.c_str() + shift, Buffer::cap);
        EXPECT_EQ(strings(), 1u);
        EXPECT_EQ(to_.text, longer_.substr(1));
    }
    // As by substr().
    tapir_str_take(to_.text, full_.c_str(), 11);
    EXPECT_EQ(strings(), 0u);
    EXPECT_EQ(std::string(to_.text), "ffffffffff");
}

TEST_F(Cut, Concatenations) {
    Buffer a;
    strcpy(to_.text, "0123456789");
    strcpy(a.text, full_.c_str() + 10);
    tapir_str_append(to_.text, a.text, Buffer::cap);
    EXPECT_EQ(strings(), 0u);
    EXPECT_EQ(strlen(to_.text), full_.size());
    tapir_str_append(to_.text, "", Buffer::cap);
    EXPECT_EQ(strings(), 0u);
    tapir_str_append(to_.text, "x", Buffer::cap);
    EXPECT_EQ(strings(), 1u);
    tapir_str_append(to_.text, to_.text, Buffer::cap);
    EXPECT_EQ(strings(), 1u);
    tapir_str_concat(a.text, full_.c_str(), "x", Buffer::cap);
    EXPECT_EQ(strings(), 1u);
    tapir_str_concat(a.text, "x", a.text, Buffer::cap);
    EXPECT_EQ(strings(), 1u);
    EXPECT_EQ(a.text, "x" + full_.substr(1));
    tapir_str_concat(a.text, "x", full_.c_str() + 1, Buffer::cap);
    EXPECT_EQ(strings(), 0u);
}

TEST_F(Cut, PartsThatAreJoined) {
    const char *const parts[] = {"ab", full_.c_str(), "c", "d"};
    tapir_str_join(to_.text, parts, 1, Buffer::cap);
    EXPECT_STREQ(to_.text, "ab");
    EXPECT_EQ(strings(), 0u);
    tapir_str_join(to_.text, parts, 4, Buffer::cap);
    EXPECT_EQ(to_.text, ("ab" + full_).substr(0, Buffer::cap - 1));
    EXPECT_EQ(strings(), 1u);
    tapir_str_join(to_.text, parts + 1, 1, Buffer::cap);
    EXPECT_EQ(to_.text, full_);
    EXPECT_EQ(strings(), 0u);
    tapir_str_join(to_.text, parts, 0, Buffer::cap);
    EXPECT_STREQ(to_.text, "");
}

TEST_F(Cut, FormattedTextsCountOnce) {
    tapir_fmt text = {};
    text.conv = TAPIR_CONV_STRING;
    text.width = text.precision = TAPIR_FMT_UNSET;
    const tapir_fmt two[] = {text, text};
    const tapir_val pair[] = {val(full_.c_str()), val("")}, more[] = {val("more"), val(full_.c_str())},
                    most[] = {val(full_.c_str()), val(full_.c_str())};
    tapir_sprintf(c_, to_.text, Buffer::cap, two, 2, pair, nullptr);
    EXPECT_EQ(strings(), 0u);
    tapir_sprintf(c_, to_.text, Buffer::cap, two, 2, more, nullptr);
    EXPECT_EQ(strings(), 1u);
    tapir_sprintf(c_, to_.text, Buffer::cap, two, 2, most, nullptr);
    EXPECT_EQ(strings(), 1u);
    // A precision is what the script wants; output has no such limit.
    tapir_fmt precise = text;
    precise.precision = 3;
    tapir_sprintf(c_, to_.text, Buffer::cap, &precise, 1, pair, nullptr);
    tapir_printf(c_, two, 2, most, nullptr);
    tapir_errorf(c_, nullptr, "%s%s%s%s%s", full_.c_str(), full_.c_str(), full_.c_str(), full_.c_str(), full_.c_str());
    EXPECT_EQ(strings(), 0u);
    // Caught, it is a string.
    EXPECT_TRUE(tapir_error_catch(c_, to_.text, Buffer::cap));
    EXPECT_EQ(strings(), 1u);
    // Reported, it is none.
    tapir_errorf(c_, nullptr, "%s", full_.c_str());
    finish();
    EXPECT_EQ(take(TAPIR_REC_ERROR), full_);
    EXPECT_EQ(strings(), 0u);
}

TEST_F(Cut, TextsInMemory) {
    EXPECT_EQ(tapir_read_user_text(to_.text, address(full_.c_str()), Buffer::cap), static_cast<int>(full_.size()));
    EXPECT_EQ(tapir_read_kernel_text(to_.text, address(full_.c_str()), Buffer::cap), static_cast<int>(full_.size()));
    EXPECT_EQ(strings(), 0u);
    EXPECT_EQ(tapir_read_user_text(to_.text, address(longer_.c_str()), Buffer::cap), Buffer::cap - 1);
    EXPECT_EQ(strings(), 1u);
    EXPECT_EQ(tapir_read_kernel_text(to_.text, address(longer_.c_str()), Buffer::cap), Buffer::cap - 1);
    EXPECT_EQ(strings(), 1u);
    // As by user_string_n().
    EXPECT_EQ(tapir_read_user_text(to_.text, address(longer_.c_str()), 11), 10);
    EXPECT_EQ(tapir_read_user_text(to_.text, 8, Buffer::cap), -14);
    EXPECT_EQ(strings(), 0u);
    const std::u16string wide(Buffer::cap - 1, u'w'), wider(Buffer::cap, u'w');
    EXPECT_EQ(tapir_read_wide_text(to_.text, address(wide.c_str()), Buffer::cap, 2, true), Buffer::cap - 1);
    EXPECT_EQ(strings(), 0u);
    EXPECT_EQ(tapir_read_wide_text(to_.text, address(wider.c_str()), Buffer::cap, 2, true), Buffer::cap - 1);
    EXPECT_EQ(strings(), 1u);
}

TEST_F(Cut, FunctionsOfTheLibrary) {
    const std::string half(Buffer::cap / 2 - 1, 'a');
    tapir_str_replace(c_, to_.text, half.c_str(), "a", "bb", Buffer::cap);
    EXPECT_EQ(strings(), 0u);
    tapir_str_replace(c_, to_.text, (half + "a").c_str(), "a", "bb", Buffer::cap);
    EXPECT_EQ(strings(), 1u);
    tapir_str_replace(c_, to_.text, ("x" + half + "yz").c_str(), "a", "bb", Buffer::cap);
    EXPECT_EQ(strings(), 1u);
    tapir_str_replace(c_, to_.text, (half + "xxx").c_str(), "x", "", Buffer::cap);
    EXPECT_EQ(strings(), 0u);
    tapir_str_escape(to_.text, full_.c_str(), Buffer::cap, false);
    EXPECT_EQ(strings(), 0u);
    tapir_str_escape(to_.text, full_.c_str(), Buffer::cap, true);
    EXPECT_EQ(strings(), 1u);
    tapir_str_escape(to_.text, full_.c_str(), 32, true);
    EXPECT_EQ(strings(), 0u);
    const s64 third = 0x3fd5555555555555;
    tapir_fp_to_string(to_.text, third, Buffer::cap - 3, Buffer::cap);
    EXPECT_EQ(strlen(to_.text), Buffer::cap - 1);
    EXPECT_EQ(strings(), 0u);
    tapir_fp_to_string(to_.text, third, Buffer::cap - 2, Buffer::cap);
    EXPECT_EQ(strings(), 1u);
    tapir_strftime(c_, to_.text, Buffer::cap, (full_ + "%Y").c_str(), 0, 0, "UTC");
    EXPECT_EQ(strings(), 1u);
    for (const u64 set : {u64{0x5555555555555555}, u64{3}}) {
        tapir_text text{};
        text.dst = to_.text;
        text.cap = Buffer::cap;
        tapir_text_signals(&text, set);
        tapir_text_done(&text);
        EXPECT_EQ(strings(), set == 3 ? 0u : 1u);
    }
}

TEST_F(Cut, StacksCountForThemselves) {
    std::string list;
    for (size_t i = 0; i < (Buffer::cap - 1) / 7; i++)
        list += "0x1234 ";
    tapir_addresses_text(c_, list.c_str(), to_.text, Buffer::cap);
    EXPECT_EQ(stacks(), 0u);
    tapir_addresses_text(c_, (list + "0x1234").c_str(), to_.text, Buffer::cap);
    EXPECT_EQ(stacks(), 1u);
    EXPECT_EQ(strings(), 0u);
}

}  // namespace
}  // namespace tapir::test
