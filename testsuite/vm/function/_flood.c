// SPDX-License-Identifier: GPL-2.0-or-later
// _flood: sends small packets to 10.99.0.2 for ever, also while there is no route to it; leaves the processor some
// time.
#include <arpa/inet.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

int main(void) {
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(9)};
    unsigned int n = 0;
    int fd = socket(AF_INET, SOCK_DGRAM, 0);

    if (fd < 0 || !inet_aton("10.99.0.2", &to.sin_addr)) return 1;
    for (;; n++) {
        (void)!sendto(fd, "tapir", 5, 0, (struct sockaddr *)&to, sizeof(to));
        if (n % 64 == 0) usleep(2000);
    }
}
