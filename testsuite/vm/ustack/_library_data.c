// SPDX-License-Identifier: GPL-2.0-or-later
// Looks at addresses of libraries: "PATH OFFSET ADDRESS NAMES" on standard input, NAMES as "|a|b|". Before, it looks at
// the first of each library until there is a file "go".
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static volatile long looks;
static struct place {
    char path[256], names[2048];
    unsigned long at, offset;
} places[600];

__attribute__((noinline)) void look(unsigned long at, unsigned long offset, const char *names) {
    looks += (long)at + (long)offset + names[0];
}

__attribute__((noinline)) void glance(unsigned long at, unsigned long offset, const char *names) {
    looks -= (long)at + (long)offset + names[0];
}

int main(void) {
    int count = 0;
    unsigned long address;

    for (struct place *p = places; count < 600; count++, p++) {
        void *library;
        struct link_map *map;

        if (scanf("%255s %lx %lx %2047s", p->path, &p->offset, &address, p->names) != 4) break;
        library = dlopen(p->path, RTLD_LAZY);
        if (!library || dlinfo(library, RTLD_DI_LINKMAP, &map)) {
            fprintf(stderr, "%s\n", dlerror());
            return 1;
        }
        p->at = map->l_addr + address + p->offset;
    }
    while (access("go", F_OK)) {
        for (int i = 0; i < count; i++) {
            int first = 0;

            while (strcmp(places[first].path, places[i].path))
                first++;
            if (first == i) glance(places[i].at, places[i].offset, places[i].names);
        }
        usleep(20000);
    }
    for (int i = 0; i < count; i++)
        look(places[i].at, places[i].offset, places[i].names);
    return 0;
}
