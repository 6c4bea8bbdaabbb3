// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * peers WHAT [NUMBER...]: programs on the network that do not read, do not answer, or send to themselves as often as
 * they are told. Addresses are those of the loopback.
 *
 * Exits with 1 if anything that has to work does not.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/ip_icmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static char block[1 << 16];

static void must(int good, const char *what) {
    if (good) return;
    perror(what);
    exit(1);
}

static void sleep_ms(long ms) {
    struct timespec t = {ms / 1000, ms % 1000 * 1000000};

    while (nanosleep(&t, &t) && errno == EINTR)
        ;
}

static struct sockaddr_in here(long port) {
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};

    return a;
}

/* N times, a connection's buffer is filled until nothing more can be sent, and then read empty. */
static void full(long n, long port) {
    struct sockaddr_in a = here(port);
    int bytes = 20000, listener = socket(AF_INET, SOCK_STREAM, 0), sender = socket(AF_INET, SOCK_STREAM, 0), reader;

    must(!setsockopt(listener, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes)), "SO_RCVBUF");
    must(!bind(listener, (struct sockaddr *)&a, sizeof(a)) && !listen(listener, 5), "listen");
    must(!connect(sender, (struct sockaddr *)&a, sizeof(a)), "connect");
    reader = accept(listener, 0, 0);
    fcntl(sender, F_SETFL, O_NONBLOCK);
    fcntl(reader, F_SETFL, O_NONBLOCK);
    while (n-- > 0) {
        while (write(sender, block, sizeof(block)) > 0)
            ;
        sleep_ms(400);
        for (int quiet = 0; quiet < 5; sleep_ms(20))
            quiet = read(reader, block, sizeof(block)) > 0 ? 0 : quiet + 1;
    }
}

/* N packets to a raw socket with place for few of them. */
static void raw(long n) {
    struct sockaddr_in a = here(0);
    struct icmphdr echo = {.type = ICMP_ECHOREPLY};
    int bytes = 1000, to = socket(AF_INET, SOCK_RAW, IPPROTO_ICMP), from = socket(AF_INET, SOCK_RAW, IPPROTO_ICMP);

    must(to >= 0 && !setsockopt(to, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes)), "socket");
    shutdown(from, SHUT_RD);
    bytes = 1 << 20;
    setsockopt(from, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes));
    echo.checksum = htons(0xffff);
    while (n-- > 0)
        must(sendto(from, &echo, sizeof(echo), 0, (struct sockaddr *)&a, sizeof(a)) == sizeof(echo), "sendto");
    sleep_ms(100);
    execlp("awk", "awk", "$NF ~ /^[0-9]+$/ { n += $NF } END { print n > \"/dev/stderr\" }", "/proc/net/raw", (char *)0);
    must(0, "awk");
}

/* N connections that carry a byte, of the ports from PORT on. */
static void connections(long n, long port) {
    for (long i = 0; i < n; i++) {
        struct sockaddr_in a = here(port + i);
        int one = 1, listener = socket(AF_INET, SOCK_STREAM, 0), sender = socket(AF_INET, SOCK_STREAM, 0), reader;
        char c;

        setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
        must(!bind(listener, (struct sockaddr *)&a, sizeof(a)) && !listen(listener, 5), "listen");
        must(!connect(sender, (struct sockaddr *)&a, sizeof(a)), "connect");
        reader = accept(listener, 0, 0);
        must(write(sender, "x", 1) == 1 && read(reader, &c, 1) == 1, "a byte");
        close(sender);
        close(reader);
        close(listener);
    }
}

/* N datagrams to ports from PORT on, from one socket. */
static void datagrams(long n, long port) {
    int from = socket(AF_INET, SOCK_DGRAM, 0);

    while (n-- > 0) {
        struct sockaddr_in a = here(port++);

        if (sendto(from, "x", 1, 0, (struct sockaddr *)&a, sizeof(a)) != 1) sleep_ms(1);
    }
}

/* A port for datagrams where no program reads. */
static void deaf(long port, long ms) {
    struct sockaddr_in a = here(port);
    int fd = socket(AF_INET, SOCK_DGRAM, 0);

    must(!bind(fd, (struct sockaddr *)&a, sizeof(a)), "bind");
    sleep_ms(ms);
}

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    long n = argc > 2 ? atol(argv[2]) : 0, m = argc > 3 ? atol(argv[3]) : 0;

    if (!strcmp(what, "full"))
        full(n, m);
    else if (!strcmp(what, "raw"))
        raw(n);
    else if (!strcmp(what, "connections"))
        connections(n, m);
    else if (!strcmp(what, "datagrams"))
        datagrams(n, m);
    else if (!strcmp(what, "deaf"))
        deaf(n, m);
    else
        return 2;
    return 0;
}
