// SPDX-License-Identifier: GPL-2.0-or-later
// frames DEVICE: sends a spanning tree message and an ARP request for 192.0.2.1 from there.
#include <arpa/inet.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#define OURS 0x02, 0, 0, 0, 0, 0x07

static const unsigned char tree[] = {
    0x01, 0x80, 0xc2, 0,    0,    0,    OURS, 0,    38,                      // to all bridges, 38 bytes
    0x42, 0x42, 0x03,                                                        // LLC
    0,    0,    2,    0,    0x7c,                                            // protocol, version, type, flags
    0x80, 0x01, 0x02, 0x11, 0x22, 0x33, 0x44, 0x55,                          // root
    0,    1,    0x38, 0x80, 0x90, 0x03, 0x02, 0xaa, 0xbb, 0xcc, 0xdd, 0xee,  // cost, bridge
    0x80, 0x05, 1,    0,    20,   0,    2,    0,    15,   0,                 // port, ages, hello, delay
};
static const unsigned char arp[] = {
    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, OURS, 0x08, 0x06,     // to all
    0,    1,    8,    0,    6,    4,    0,    1,              // Ethernet, IP, request
    OURS, 192,  0,    2,    7,                                // by
    0,    0,    0,    0,    0,    0,    192,  0,    2,    1,  // for
};

int main(int argc, char **argv) {
    int s = socket(AF_PACKET, SOCK_RAW, 0);
    struct sockaddr_ll to = {.sll_family = AF_PACKET};
    if (argc != 2 || s < 0) return 2;
    to.sll_ifindex = (int)if_nametoindex(argv[1]);
    if (sendto(s, tree, sizeof tree, 0, (struct sockaddr *)&to, sizeof to) != sizeof tree ||
        sendto(s, arp, sizeof arp, 0, (struct sockaddr *)&to, sizeof to) != sizeof arp) {
        perror("frames");
        return 1;
    }
    return 0;
}
