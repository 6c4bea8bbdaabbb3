// SPDX-License-Identifier: GPL-2.0-or-later
// Spins in code that it has made, half of the time in each of two functions, and says in /tmp/perf-PID.map what they
// are called: outer() calls inner(). With an argument another user owns that file.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

// outer(n, inner): push, mov; a loop of n; call inner(n); leave, ret. inner(n): the same without the call.
static const unsigned char kOuter[] = {0x55, 0x48, 0x89, 0xe5, 0x48, 0x83, 0xec, 0x10, 0x48, 0x89,
                                       0xf8, 0x48, 0xff, 0xc8, 0x75, 0xfb, 0xff, 0xd6, 0xc9, 0xc3};
static const unsigned char kInner[] = {0x55, 0x48, 0x89, 0xe5, 0x48, 0x89, 0xf8,
                                       0x48, 0xff, 0xc8, 0x75, 0xfb, 0xc9, 0xc3};

__attribute__((noinline, noipa)) long call_made_code(char *code, long n) {
    ((void (*)(long, void *))code)(n, code + 64);
    return n;
}

int main(int argc, char **argv) {
    char path[64];
    char *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memcpy(code, kOuter, sizeof kOuter);
    memcpy(code + 64, kInner, sizeof kInner);
    snprintf(path, sizeof path, "/tmp/perf-%d.map", (int)getpid());
    FILE *map = fopen(path, "w");
    fprintf(map, "%lx %zx made_outer\n%lx %zx made_inner\n", (long)code, sizeof kOuter, (long)code + 64, sizeof kInner);
    fclose(map);
    if (argc > 1 && chown(path, 12345, 12345)) return 1;
    long sum = 0;
    for (clock_t end = clock() + 3 * CLOCKS_PER_SEC; clock() < end;)
        sum += call_made_code(code, 2000000);
    printf("%s\n", path);
    return sum < 0;
}
