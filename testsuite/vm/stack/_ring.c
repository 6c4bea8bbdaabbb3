// SPDX-License-Identifier: GPL-2.0-or-later
// Has the kernel start a thread for system calls and end it: the last thing that its function does is a call that does
// not return.
#include <linux/io_uring.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void) {
    struct io_uring_params parameters = {.flags = IORING_SETUP_SQPOLL};
    int ring = (int)syscall(SYS_io_uring_setup, 4, &parameters);
    if (ring < 0) {
        perror("io_uring_setup");
        return 0;
    }
    close(ring);
    return 0;
}
