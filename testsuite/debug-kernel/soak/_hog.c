// SPDX-License-Identifier: GPL-2.0-or-later
// hog MEGABYTES: writes to that much memory, holds it for two seconds, gives it back, and so on.
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int main(int argc, char **argv) {
    size_t size = argc > 1 ? strtoul(argv[1], NULL, 10) << 20 : 0;

    while (size > 0) {
        char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

        if (memory == MAP_FAILED) return 1;
        memset(memory, 1, size);
        sleep(2);
        munmap(memory, size);
    }
    return 2;
}
