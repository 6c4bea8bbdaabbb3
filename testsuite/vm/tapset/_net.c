// SPDX-License-Identifier: GPL-2.0-or-later
// In a network namespace of its own: connections and messages of known lengths between known ports. Prints what probes
// are to see, then the kernel's counters.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/ip.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

static char data[8192];

static void check(int ok, const char *what) {
    if (ok) return;
    perror(what);
    exit(1);
}

union address {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
};

static socklen_t loopback(union address *a, int family, int port) {
    memset(a, 0, sizeof *a);
    a->any.sa_family = (sa_family_t)family;
    if (family == AF_INET) {
        a->v4.sin_port = htons((unsigned short)port);
        a->v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        return sizeof a->v4;
    }
    a->v6.sin6_port = htons((unsigned short)port);
    a->v6.sin6_addr = in6addr_loopback;
    return sizeof a->v6;
}

static int bound(int family, int type, int port) {
    union address a;
    socklen_t length = loopback(&a, family, port);
    int fd = socket(family, type, 0), yes = 1;
    check(fd >= 0 && !setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) && !bind(fd, &a.any, length), "bind");
    return fd;
}

static int to(int fd, int family, int port) {
    union address a;
    socklen_t length = loopback(&a, family, port);
    return connect(fd, &a.any, length);
}

static const char *name(int family) {
    return family == AF_INET ? "127.0.0.1" : "0000:0000:0000:0000:0000:0000:0000:0001";
}

// A connection between two ports; its ends.
static void connection(int family, int from, int port, int *client, int *server) {
    int listening = bound(family, SOCK_STREAM, port);
    check(!listen(listening, 1), "listen");
    *client = bound(family, SOCK_STREAM, from);
    check(!to(*client, family, port), "connect");
    *server = accept(listening, NULL, NULL);
    check(*server >= 0, "accept");
    close(listening);
}

static void tcp(int family, int from, int port) {
    int client, server, one = 1, none = 0;
    connection(family, from, port, &client, &server);
    check(!setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one), "setsockopt");
    printf("option 6 TCP_NODELAY 4 %d\n", family);
    check(send(client, data, 1000, 0) == 1000 && recv(server, data, 2000, MSG_WAITALL * 0) == 1000, "send");
    printf("tcp send 1000\ntcp recv 1000 %d %s:%d %s:%d\n", family, name(family), port, name(family), from);
    check(write(server, data, 700) == 700 && read(client, data, 900) == 700, "write");
    printf("tcp send 700\ntcp recv 700 %d %s:%d %s:%d\n", family, name(family), from, name(family), port);
    // A lone segment is acknowledged by a timer.
    check(!setsockopt(server, IPPROTO_TCP, TCP_QUICKACK, &none, sizeof none) && send(client, data, 10, 0) == 10,
          "send");
    printf("option 6 TCP_QUICKACK 4 %d\ntcp send 10\n", family);
    usleep(300000);
    check(recv(client, data, 1, MSG_DONTWAIT) == -1 && errno == EAGAIN, "recv");
    printf("tcp recv -11 %d %s:%d %s:%d\n", family, name(family), from, name(family), port);
    struct sockaddr nothing = {.sa_family = AF_UNSPEC};
    check(!connect(client, &nothing, sizeof nothing), "disconnect");
    printf("tcp disconnect %d %s:%d %s:%d = 0\n", family, name(family), from, name(family), port);
    close(client);
    close(server);
}

static void udp(int family, int from, int port) {
    union address a;
    int in = bound(family, SOCK_DGRAM, port), out = bound(family, SOCK_DGRAM, from);
    socklen_t length = loopback(&a, family, port);
    const char *any = family == AF_INET ? "0.0.0.0" : "0000:0000:0000:0000:0000:0000:0000:0000";
    check(sendto(out, data, 300, 0, &a.any, length) == 300, "sendto");
    printf("udp send 300 %d %s:%d %s:0\n", family, name(family), from, any);
    check(recv(in, data, 500, 0) == 300, "recv");
    printf("udp recv 300 %d %s:%d %s:0\n", family, name(family), port, any);
    check(!connect(out, &a.any, length) && send(out, data, 4000, 0) == 4000 && recv(in, data, 100, 0) == 100, "send");
    printf("udp send 4000 %d %s:%d %s:%d\nudp recv 100 %d %s:%d %s:0\n", family, name(family), from, name(family), port,
           family, name(family), port, any);
    struct sockaddr nothing = {.sa_family = AF_UNSPEC};
    check(!connect(out, &nothing, sizeof nothing), "disconnect");
    printf("udp disconnect %d %s:%d %s:%d = 0\n", family, name(family), from, name(family), port);
    close(in);
    close(out);
}

static void interface(void) {
    struct ifreq r = {.ifr_name = "lo"};
    int fd = socket(AF_INET, SOCK_DGRAM, 0);
    check(fd >= 0 && !ioctl(fd, SIOCGIFFLAGS, &r), "flags");
    printf("ioctl 0x8913 \"lo\"\n");
    r.ifr_flags |= IFF_UP;
    check(!ioctl(fd, SIOCSIFFLAGS, &r), "up");
    printf("open lo\n");  // that request is IPv4's own
    r.ifr_mtu = 1500;
    check(!ioctl(fd, SIOCSIFMTU, &r), "mtu");
    printf("ioctl 0x8922 \"lo\"\nmtu lo 65536 1500\n");
    close(fd);
}

static void print_file(const char *path) {
    FILE *f = fopen(path, "r");
    char line[4096];
    check(f != NULL, path);
    while (fgets(line, sizeof line, f))
        printf("counters %s", line);
    fclose(f);
}

int main(void) {
    int client, server, refused, listening, some[3], pair[2];
    setvbuf(stdout, NULL, _IOFBF, 65536);
    check(!unshare(CLONE_NEWNET), "unshare");
    interface();
    tcp(AF_INET, 5001, 4001);
    udp(AF_INET, 5002, 4002);

    // Refused, broken off, left standing, and more than a queue of one takes; what is not taken is sent again after a
    // second.
    refused = bound(AF_INET, SOCK_STREAM, 5003);
    check(to(refused, AF_INET, 4003) && errno == ECONNREFUSED, "refused");
    connection(AF_INET, 5004, 4004, &client, &server);
    struct linger now = {.l_onoff = 1};
    check(!setsockopt(client, SOL_SOCKET, SO_LINGER, &now, sizeof now) && !close(client), "linger");
    connection(AF_INET, 5005, 4005, &client, &server);
    listening = bound(AF_INET, SOCK_STREAM, 4006);
    check(!listen(listening, 0), "listen");
    for (int i = 0; i < 3; ++i) {
        some[i] = bound(AF_INET, SOCK_STREAM, 5006 + i);
        fcntl(some[i], F_SETFL, O_NONBLOCK);
        check(to(some[i], AF_INET, 4006) && errno == EINPROGRESS, "connect");
    }
    for (int i = 1; i < 3; ++i) {
        struct tcp_info info = {0};
        socklen_t size = sizeof info;
        while (!info.tcpi_total_retrans && !usleep(50000))
            check(!getsockopt(some[i], IPPROTO_TCP, TCP_INFO, &info, &size), "TCP_INFO");
    }

    // No host knows this protocol.
    union address a;
    socklen_t length = loopback(&a, AF_INET, 0);
    struct iphdr header = {.version = 4, .ihl = 5, .ttl = 9, .protocol = 253, .tot_len = htons(sizeof header)};
    header.daddr = header.saddr = a.v4.sin_addr.s_addr;
    int raw = socket(AF_INET, SOCK_RAW, IPPROTO_RAW);
    check(raw >= 0 && sendto(raw, &header, sizeof header, 0, &a.any, length) == sizeof header, "raw");
    close(raw);

    check(!socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair) && send(pair[0], data, 77, 0) == 77 &&
              read(pair[1], data, 100) == 77,
          "socketpair");
    printf("socket send 77 LOCAL SEQPACKET CONNECTED 1\nsocket receive 77 LOCAL SEQPACKET CONNECTED 1\n");
    check(write(pair[1], data, 78) == 78 && recv(pair[0], data, 100, MSG_PEEK) == 78, "socketpair");
    printf("socket send 78 LOCAL SEQPACKET CONNECTED 1\nsocket receive 78 LOCAL SEQPACKET CONNECTED 1\n");
    check(recv(pair[1], data, 100, MSG_DONTWAIT) < 0, "empty");
    printf("socket receive -11 LOCAL SEQPACKET CONNECTED 0\n");
    check(socket(AF_INET, SOCK_STREAM, IPPROTO_UDP) < 0 && errno == EPROTONOSUPPORT, "socket");
    printf("socket create INET STREAM UDP 0 = -93\n");
    print_file("/proc/self/net/snmp");
    print_file("/proc/self/net/netstat");
    print_file("/proc/self/net/dev");
    printf("counters done\n");

    tcp(AF_INET6, 5011, 4011);
    udp(AF_INET6, 5012, 4012);
    fflush(stdout);
    return 0;
}
