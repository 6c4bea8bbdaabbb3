// SPDX-License-Identifier: GPL-2.0-or-later
#include "exporter/clients.h"

#include <sys/socket.h>
#include <unistd.h>

#include <gtest/gtest.h>

namespace tapir::exporter {
namespace {

// A connection, and the client's side of it.
struct Ends {
    Ends() { socketpair(AF_UNIX, SOCK_STREAM, 0, ends); }
    ~Ends() {
        close(ends[0]);
        close(ends[1]);
    }
    // The client sees that its connection has ended.
    bool is_cut() const {
        char c;
        return recv(ends[1], &c, 1, MSG_DONTWAIT) == 0;
    }
    int ends[2];
};

TEST(Clients, CutsTheOneThatIsWaitedForLongest) {
    Clients clients(3);
    Ends a, b, c;
    for (int i = 0; i < 3; i++)
        clients.come();
    const Clients::Place first = clients.enter(a.ends[0]), second = clients.enter(b.ends[0]);
    const Clients::Place third = clients.enter(c.ends[0]);
    clients.begin_wait(second);
    clients.begin_wait(first);
    EXPECT_FALSE(a.is_cut() || b.is_cut() || c.is_cut());
    clients.come();
    EXPECT_TRUE(b.is_cut());
    EXPECT_FALSE(a.is_cut() || c.is_cut());
    // The next one does not count on the same place.
    clients.come();
    EXPECT_TRUE(a.is_cut());
    // The third is being answered.
    clients.come();
    EXPECT_FALSE(c.is_cut());
    for (const Clients::Place place : {first, second, third})
        clients.leave(place);
}

TEST(Clients, LeavesThemAloneWhileThereAreThreads) {
    Clients clients(2);
    Ends a, b;
    clients.come();
    const Clients::Place first = clients.enter(a.ends[0]);
    clients.begin_wait(first);
    clients.come();
    EXPECT_FALSE(a.is_cut());
    clients.leave(first);
    const Clients::Place second = clients.enter(b.ends[0]);
    clients.begin_wait(second);
    clients.come();
    EXPECT_FALSE(b.is_cut());
    clients.end_wait(second);
    clients.leave(second);
}

TEST(Clients, CutsAllAtTheEnd) {
    Clients clients(2);
    Ends a, b;
    clients.come();
    const Clients::Place first = clients.enter(a.ends[0]);
    clients.end_all();
    EXPECT_TRUE(a.is_cut());
    EXPECT_TRUE(clients.are_ended());
    clients.come();
    const Clients::Place late = clients.enter(b.ends[0]);
    EXPECT_TRUE(b.is_cut());
    clients.leave(first);
    clients.leave(late);
}

}  // namespace
}  // namespace tapir::exporter
