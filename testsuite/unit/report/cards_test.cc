// SPDX-License-Identifier: GPL-2.0-or-later
// Cards by the rule that cards.h gives; the amounts are added up by hand.
#include "report/cards.h"

#include "unit/report/made_profile.h"

namespace tapir::report {
namespace {

std::vector<Card> cards_of(const MadeProfile &made, const Profile *before = nullptr) {
    const Picture picture{made.frames, made.profile, before};
    const CallTree tree = make_tree(made.profile, before, made.frames);
    return make_cards(tree, made.frames, owners_of(picture));
}

// "3500 render › memcpy in handle_request < loop", one after the other.
std::vector<std::string> texts(const MadeProfile &made) {
    std::vector<std::string> out;
    int64_t sum = 0;
    uint64_t count = 0;
    for (const Card &card : cards_of(made)) {
        out.push_back(std::to_string(card.value) + " " + card.text());
        sum += card.value;
        count += card.count;
    }
    EXPECT_EQ(sum, made.profile.total);
    EXPECT_EQ(count, made.profile.count);
    return out;
}

using Texts = std::vector<std::string>;

TEST(Cards, OfAServer) {
    // Everything forks into main() and a thread, main() into three, and the widest of these into two.
    EXPECT_EQ(texts(MadeProfile("clean")),
              (Texts{"3500 render › memcpy in handle_request < loop", "2000 parse_header in handle_request < loop",
                     "1400 walk in worker", "700 epoll_wait in loop < main", "600 handler.py:serve in loop < main",
                     "400 elsewhere"}));
}

TEST(Cards, IdleIsLast) {
    EXPECT_EQ(texts(MadeProfile("waits")),
              (Texts{"100 handle_request › pthread_mutex_lock in main", "900 idle: waits for events"}));
}

MadeProfile made(const std::vector<std::pair<std::vector<std::string>, int64_t>> &stacks) {
    return MadeProfile([&](capture::KnownCapture &out) {
        capture::Meta meta;
        meta.unit = "faults";
        meta.program = "/usr/bin/server";
        out.writer().meta(meta);
        for (const auto &[stack, value] : stacks)
            out.sample(stack, 1, value);
    });
}

// A library's function that an own one calls has its name, and the caller's.
TEST(Cards, LibraryFunctionHasItsCaller) {
    EXPECT_EQ(
        texts(made({{{"libc.so.6!start_thread", "worker", "place", "libc.so.6!pthread_mutex_lock", "k!futex"}, 67},
                    {{"libc.so.6!start_thread", "worker", "place", "audit", "libc.so.6!usleep", "k!sleep"}, 15},
                    {{"_start", "main", "libc.so.6!pthread_join", "k!futex"}, 17},
                    {{"_start", "main", "load"}, 1}})),
        (Texts{"67 pthread_mutex_lock in place < worker", "18 main › pthread_join",
               "15 audit › usleep in place < worker"}));
}

// The culprit may be the function that calls others, too.
TEST(Cards, OwnTimeOfAForkIsABranch) {
    EXPECT_EQ(texts(made({{{"main", "work"}, 60}, {{"main", "work", "a"}, 20}, {{"main", "work", "b"}, 20}})),
              (Texts{"60 work in main", "20 a in work < main", "20 b in work < main"}));
}

// 4.9 % is no branch, 5 % is one.
TEST(Cards, BranchesHaveFivePercent) {
    EXPECT_EQ(texts(made({{{"main", "a"}, 951}, {{"main", "b"}, 49}})), (Texts{"951 a in main", "49 elsewhere"}));
    EXPECT_EQ(texts(made({{{"main", "a"}, 950}, {{"main", "b"}, 50}})), (Texts{"950 a in main", "50 b in main"}));
}

// A name needs 70 % of its branch.
TEST(Cards, NamesKeepSeventyPercent) {
    EXPECT_EQ(texts(made({{{"main", "a"}, 69},
                          {{"main", "b"}, 4},
                          {{"main", "c"}, 4},
                          {{"main", "d"}, 4},
                          {{"main", "e"}, 4},
                          {{"main", "f"}, 4},
                          {{"main", "g"}, 4},
                          {{"main", "h"}, 4},
                          {{"main", "i"}, 3}})),
              (Texts{"100 main"}));
    EXPECT_EQ(texts(made({{{"main", "a"}, 70},
                          {{"main", "b"}, 4},
                          {{"main", "c"}, 4},
                          {{"main", "d"}, 4},
                          {{"main", "e"}, 4},
                          {{"main", "f"}, 4},
                          {{"main", "g"}, 4},
                          {{"main", "h"}, 4},
                          {{"main", "i"}, 2}})),
              (Texts{"70 a in main", "30 elsewhere"}));
}

TEST(Cards, AreFiveAtMost) {
    std::vector<std::pair<std::vector<std::string>, int64_t>> stacks;
    for (int i = 0; i < 9; i++)
        stacks.push_back({{"main", "f" + std::to_string(i)}, 10 + i});
    EXPECT_EQ(texts(made(stacks)), (Texts{"18 f8 in main", "17 f7 in main", "16 f6 in main", "15 f5 in main",
                                          "14 f4 in main", "46 elsewhere"}));
}

// Without own code the card can only give the reason.
TEST(Cards, WithoutOwnCode) {
    EXPECT_EQ(texts(made({{{"k!ret_from_fork", "k!kthread", "k!kswapd", "k!shrink_node"}, 10}})), (Texts{"10 kswapd"}));
    EXPECT_EQ(texts(made({{{"!libc.so.6", "!libc.so.6"}, 10}})), (Texts{"10 [libc.so.6]"}));
    const std::vector<std::string> cut = texts(MadeProfile([](capture::KnownCapture &out) {
        out.writer().stack({8, capture::End::None, capture::End::Exec, {}});
        out.writer().sample({8, 0, 1, 1, 0, {}});
    }));
    EXPECT_EQ(cut, (Texts{"1 [program being replaced by exec]"}));
    EXPECT_TRUE(cards_of(made({})).empty());
}

// A script's label for a sample stands in the card.
TEST(Cards, LabelsStandBefore) {
    EXPECT_EQ(texts(MadeProfile([](capture::KnownCapture &out) {
                  out.sample({"main", "serve"}, 1, 30, {{"label", "request=/a", 0}});
                  out.sample({"main", "serve"}, 1, 70, {{"label", "request=/b", 0}});
              })),
              (Texts{"1 request=/a: serve in main", "1 request=/b: serve in main"}));
}

TEST(Cards, SumsOfBothSidesOfADifference) {
    FrameTable frames;
    const Profile after = make_profile(read_known("after"), {}, frames),
                  before = make_profile(read_known("before"), {}, frames);
    const CallTree tree = make_tree(after, &before, frames);
    int64_t now = 0, then = 0;
    for (const Card &card : make_cards(tree, frames, owners_of({frames, after, &before}))) {
        now += card.value;
        then += card.before;
    }
    EXPECT_EQ(now, 12600);
    EXPECT_EQ(then, 10100);
}

std::string shortened(const std::string &name, Origin origin = Origin::Program) {
    FrameText frame;
    frame.name = name;
    frame.origin = origin;
    return short_name(frame);
}

TEST(Cards, LeaveOutCallersWithoutRoom) {
    Card card;
    card.name = "pthread_mutex_lock";
    card.callers = {"place_order", "worker"};
    card.label = "sleeping";
    EXPECT_EQ(card.text(), "sleeping: pthread_mutex_lock in place_order < worker");
    EXPECT_EQ(card.text(52), "sleeping: pthread_mutex_lock in place_order < worker");
    EXPECT_EQ(card.text(51), "sleeping: pthread_mutex_lock in place_order");
    EXPECT_EQ(card.text(10), "sleeping: pthread_mutex_lock");
}

TEST(Cards, ShortNames) {
    EXPECT_EQ(shortened("main"), "main");
    EXPECT_EQ(shortened("place_order(Book&, int)"), "place_order");
    EXPECT_EQ(shortened("void Book<int>::add<char>(std::pair<int, char>) const [clone .isra.0]"), "Book::add");
    EXPECT_EQ(shortened("std::vector<std::pair<int, char>>::operator[](unsigned long)"), "std::vector::operator[]");
    EXPECT_EQ(shortened("Order::operator<(Order const&) const"), "Order::operator<");
    EXPECT_EQ(shortened("Order::operator<<(int)"), "Order::operator<<");
    EXPECT_EQ(shortened("Order::operator()(int)"), "Order::operator()");
    EXPECT_EQ(shortened("Pointer<int>::operator->()"), "Pointer::operator->");
    EXPECT_EQ(shortened("(anonymous namespace)::read(int)"), "read");
    EXPECT_EQ(shortened("shop::(anonymous namespace)::Book::read((anonymous namespace)::Page)"), "shop::Book::read");
    EXPECT_EQ(shortened("call(int (*)(int), std::function<void (int)>)"), "call");
    EXPECT_EQ(shortened("finish_task_switch.isra.0", Origin::Kernel), "finish_task_switch");
    EXPECT_EQ(shortened("pthread_create@@GLIBC_2.34"), "pthread_create");
    EXPECT_EQ(shortened("main.(*Server).handle"), "main.(*Server).handle");
    EXPECT_EQ(shortened("<alloc::vec::Vec<T> as core::clone::Clone>::clone"),
              "<alloc::vec::Vec as core::clone::Clone>::clone");
    EXPECT_EQ(shortened("<module> (shop.py)", Origin::Script), "<module> (shop.py)");
    EXPECT_EQ(shortened("broken<int"), "broken<int");
}

}  // namespace
}  // namespace tapir::report
