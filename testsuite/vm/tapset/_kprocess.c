// SPDX-License-Identifier: GPL-2.0-or-later
// Three children that end with 11, 12 and 13; the second has two threads before. A fourth executes this program again,
// after one that does not exist.
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static void *nothing(void *unused) {
    return unused;
}

int main(int argc, char **argv) {
    // On the stack, which a child has from the beginning.
    char missing[] = "/nonexistent/program", program[] = "program", words[] = "one two", self[] = "/proc/self/exe",
         argument[] = "an argument";
    pid_t other;

    if (argc > 1) return 0;
    for (int i = 1; i <= 3; i++) {
        pid_t child = fork();

        if (!child) {
            pthread_t thread;

            for (int n = 0; i == 2 && n < 2; n++) {
                pthread_create(&thread, NULL, nothing, NULL);
                pthread_join(thread, NULL);
            }
            _exit(10 + i);
        }
        waitpid(child, NULL, 0);
    }
    other = fork();
    if (!other) {
        execl(missing, program, words, NULL);
        execl(self, argv[0], argument, NULL);
        _exit(1);
    }
    waitpid(other, NULL, 0);
    // A thread is released after it is joined.
    usleep(100000);
    return 0;
}
