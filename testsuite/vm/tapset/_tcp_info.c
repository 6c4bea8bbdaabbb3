// SPDX-License-Identifier: GPL-2.0-or-later
// Connections in known states. Prints what the kernel tells of each by TCP_INFO, with the number of the recv() that
// went with it.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <linux/tcp.h>
#include <net/if.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

static int calls;

static void check(long result, const char *what) {
    if (result >= 0) return;
    perror(what);
    exit(1);
}

static void set_loopback(int up) {
    struct ifreq request = {.ifr_name = "lo", .ifr_flags = (short)(up ? IFF_UP : 0)};
    const int fd = socket(AF_INET, SOCK_DGRAM, 0);
    check(ioctl(fd, SIOCSIFFLAGS, &request), "SIOCSIFFLAGS");
    close(fd);
}

static struct tcp_info info_of(int fd) {
    struct tcp_info info = {0};
    socklen_t length = sizeof info;
    check(getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &length), "TCP_INFO");
    return info;
}

static int in_queue(int fd, unsigned long which) {
    int bytes = 0;
    check(ioctl(fd, which, &bytes), "queue");
    return bytes;
}

// The values may change between two calls: only those count that are the same before and after.
static void report(const char *what, int fd) {
    for (int tries = 0; tries < 1000; tries++) {
        const struct tcp_info before = info_of(fd);
        const int listens = before.tcpi_state == 10;
        const int sent = listens ? 0 : in_queue(fd, SIOCOUTQ), received = listens ? 0 : in_queue(fd, SIOCINQ);
        int nodelay = 0;
        socklen_t length = sizeof nodelay;
        char byte;
        recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
        calls++;
        const struct tcp_info after = info_of(fd);
        if (before.tcpi_rtt != after.tcpi_rtt || before.tcpi_rttvar != after.tcpi_rttvar ||
            before.tcpi_unacked != after.tcpi_unacked || before.tcpi_retransmits != after.tcpi_retransmits ||
            before.tcpi_total_retrans != after.tcpi_total_retrans)
            continue;
        check(getsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &nodelay, &length), "TCP_NODELAY");
        if (listens)  // Here these are the connections that wait, and for how many there is room.
            printf("listen %d %u %u\n", calls, before.tcpi_unacked, before.tcpi_sacked);
        else
            printf("info %d %u %u %u %u %u %d %d %d\n", calls, before.tcpi_rtt, before.tcpi_rttvar, before.tcpi_unacked,
                   before.tcpi_retransmits, before.tcpi_total_retrans, sent, received, nodelay != 0);
        if (!listens)
            printf("idle %d %u %u %u %u\n", calls, before.tcpi_last_data_sent, after.tcpi_last_data_sent,
                   before.tcpi_last_data_recv, after.tcpi_last_data_recv);
        printf("was %s\n", what);
        return;
    }
    printf("%s does not come to rest\n", what);
    exit(1);
}

int main(void) {
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK), .sin_port = htons(5000)};
    static char data[1 << 20];
    const int on = 1;
    check(unshare(CLONE_NEWNET), "unshare");
    setvbuf(stdout, NULL, _IOLBF, 0);
    const int listener = socket(AF_INET, SOCK_STREAM, 0);
    set_loopback(1);
    check(bind(listener, (struct sockaddr *)&address, sizeof address), "bind");
    check(listen(listener, 5), "listen");
    int ends[2] = {socket(AF_INET, SOCK_STREAM, 0)};
    check(connect(ends[0], (struct sockaddr *)&address, sizeof address), "connect");
    ends[1] = accept(listener, NULL, NULL);
    check(ends[1], "accept");
    report("a new connection", ends[0]);
    for (int i = 0; i < 3; i++)
        check(connect(socket(AF_INET, SOCK_STREAM, 0), (struct sockaddr *)&address, sizeof address), "connect");
    report("a listener", listener);
    check(send(ends[0], data, 3000, 0), "send");
    usleep(50000);
    report("one that has been read from", ends[1]);
    check(setsockopt(ends[0], IPPROTO_TCP, TCP_NODELAY, &on, sizeof on), "TCP_NODELAY");
    check(fcntl(ends[0], F_SETFL, O_NONBLOCK), "O_NONBLOCK");
    while (send(ends[0], data, sizeof data, 0) > 0)
        usleep(1000);
    usleep(300000);
    report("one whose peer does not read", ends[0]);
    report("one that does not read", ends[1]);
    set_loopback(0);
    check(send(ends[1], data, 2500, 0), "send");
    while (info_of(ends[1]).tcpi_retransmits < 2)
        usleep(10000);
    report("one that sends again", ends[1]);
    return 0;
}
