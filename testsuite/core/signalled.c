// SPDX-License-Identifier: GPL-2.0-or-later
/* Its child sends it signals of the kind that queues until SIGTERM comes. Then it says how many are missing. */
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

struct shared {
    volatile long sent, received;
    volatile int end;
};
static struct shared *shared;

static void count(int number) {
    if (number == SIGTERM)
        shared->end = 1;
    else
        shared->received++;
}

int main(void) {
    const pid_t receiver = getpid();
    const struct sigaction action = {.sa_handler = count, .sa_flags = SA_RESTART};

    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) return 1;
    sigaction(SIGRTMIN, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    const pid_t sender = fork();
    if (sender < 0) return 1;
    if (sender == 0) {
        // Not so many at once that a busy machine would take minutes to deliver them.
        while (!shared->end)
            if (shared->sent - shared->received < 100 && sigqueue(receiver, SIGRTMIN, (union sigval){0}) == 0)
                shared->sent++;
            else
                sched_yield();
        _exit(0);
    }
    while (waitpid(sender, NULL, 0) != sender)
        continue;
    printf("%ld of %s\n", shared->sent - shared->received, shared->sent ? "some" : "none");
    return 0;
}
