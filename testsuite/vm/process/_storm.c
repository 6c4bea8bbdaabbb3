// SPDX-License-Identifier: GPL-2.0-or-later
// N: children that work, execute this program anew, work again and end, four of them at a time.
// "watch": works, waits for a line, works again and says whether there is a breakpoint in its code; twice.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

__attribute__((noinline)) int work(int n) {
    __asm__ volatile("" ::: "memory");
    return n + 1;
}

static int live(int n) {
    int result = work(n);

    for (int i = 0; i < 3; i++)
        syscall(SYS_getppid);
    return result == n + 1 ? 0 : 1;
}

static int watch(void) {
    const volatile unsigned char *code = (const unsigned char *)work;
    char line[16];

    for (int i = 0; i < 2 && fgets(line, sizeof line, stdin); i++) {
        int wrong = live(7);

        printf("%s %s\n", wrong ? "wrong" : "right", *code == 0xcc ? "probed" : "clean");
        fflush(stdout);
    }
    return 0;
}

static int wait_for_one(void) {
    int status;

    return wait(&status) > 0 && !(WIFEXITED(status) && !WEXITSTATUS(status));
}

int main(int argc, char **argv) {
    int children = argc > 1 ? atoi(argv[1]) : 0, failed = 0;

    if (argc > 1 && !strcmp(argv[1], "watch")) return watch();
    if (!children) return live(1);
    for (int i = 0; i < children; i++) {
        if (i >= 4) failed += wait_for_one();
        if (fork()) continue;
        if (live(i)) _exit(1);
        execl(argv[0], argv[0], NULL);
        _exit(1);
    }
    for (int i = 0; i < 4; i++)
        failed += wait_for_one();
    printf("failed %d\n", failed);
    return failed;
}
