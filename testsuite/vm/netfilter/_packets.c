// SPDX-License-Identifier: GPL-2.0-or-later
// Sends 20 UDP packets of 100 bytes to port 4242 and 5 to port 4343 of the loopback device, by IPv4, prints how many of
// each came back, and makes one TCP connection to port 4444.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

static struct sockaddr_in address(int port) {
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons((unsigned short)port)};
    a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return a;
}

// How many of `count` packets to the port arrive.
static int udp(int port, int count) {
    struct sockaddr_in a = address(port);
    int in = socket(AF_INET, SOCK_DGRAM, 0), out = socket(AF_INET, SOCK_DGRAM, 0), arrived = 0;
    char data[100] = "x";
    if (bind(in, (struct sockaddr *)&a, sizeof a)) return -1;
    for (int i = 0; i < count; ++i)
        sendto(out, data, sizeof data, 0, (struct sockaddr *)&a, sizeof a);
    // The last one may be on its way.
    struct timeval second = {.tv_sec = 1};
    setsockopt(in, SOL_SOCKET, SO_RCVTIMEO, &second, sizeof second);
    while (arrived < count && recv(in, data, sizeof data, 0) == sizeof data)
        ++arrived;
    close(in);
    close(out);
    return arrived;
}

static int tcp(int port) {
    struct sockaddr_in a = address(port);
    int in = socket(AF_INET, SOCK_STREAM, 0), out = socket(AF_INET, SOCK_STREAM, 0);
    int yes = 1;
    setsockopt(in, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (bind(in, (struct sockaddr *)&a, sizeof a) || listen(in, 1)) return 0;
    return connect(out, (struct sockaddr *)&a, sizeof a) == 0;
}

int main(void) {
    printf("%d %d %d\n", udp(4242, 20), udp(4343, 5), tcp(4444));
    return 0;
}
