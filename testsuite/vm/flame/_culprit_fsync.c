// SPDX-License-Identifier: GPL-2.0-or-later
// Payments: each is appended to a journal and forced to the disk before the next, and told to a client that is slow. At
// its end the program says how long it waited for the disk, and for everything: "fsync MICROSECONDS", "all
// MICROSECONDS". _culprit_fsync FILE PAYMENTS
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define KEEP __attribute__((noinline, noipa))

static long in_fsync, waited;

static long now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000L + t.tv_nsec / 1000;
}

KEEP void append_payment(int journal, int payment) {
    char line[256];
    const int length = snprintf(line, sizeof line, "payment %d of %d\n", payment, payment * 3);
    const long begun = now();
    if (write(journal, line, (size_t)length) != length) _exit(1);
    const long written = now();
    if (fsync(journal)) _exit(1);
    const long forced = now();
    in_fsync += forced - written;
    waited += forced - begun;
}

KEEP void notify_client(int payment) {
    const long begun = now();
    usleep(200 + payment % 5);
    waited += now() - begun;
}

KEEP void handle_payment(int journal, int payment) {
    append_payment(journal, payment);
    if (payment % 10 == 0) notify_client(payment);
}

int main(int argc, char **argv) {
    if (argc < 3) return 2;
    const int journal = open(argv[1], O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (journal < 0) return 1;
    for (int i = 0; i < atoi(argv[2]); i++)
        handle_payment(journal, i);
    printf("fsync %ld\nall %ld\n", in_fsync, waited);
    return 0;
}
