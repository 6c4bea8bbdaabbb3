// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuse DIRECTORY MS: mounts a file system with one file, "file" of 8 pages, and serves it. Each read takes MS longer.
 * When it is unmounted, prints how many requests of each kind there were: "OPCODE COUNT" each.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { SIZE = 8 * 4096, KINDS = 64 };

static int device;
static char request[1 << 18];

static void answer(unsigned long unique, int error, const void *data, unsigned length) {
    static char block[sizeof(struct fuse_out_header) + SIZE];
    struct fuse_out_header head = {sizeof(head) + length, -error, unique};

    memcpy(block, &head, sizeof(head));
    memcpy(block + sizeof(head), data, length);
    if (write(device, block, head.len) != head.len) perror("an answer");
}

static struct fuse_attr attributes(unsigned long node) {
    struct fuse_attr a = {.ino = node, .nlink = 1, .blksize = 4096};

    a.mode = node == 1 ? S_IFDIR | 0755 : S_IFREG | 0644;
    a.size = node == 1 ? 0 : SIZE;
    return a;
}

static void serve(const struct fuse_in_header *in, const void *data, long ms) {
    static char file[SIZE];
    struct timespec t = {ms / 1000, ms % 1000 * 1000000};

    switch (in->opcode) {
        case FUSE_INIT: {
            struct fuse_init_out out = {
                .major = 7, .minor = 31, .max_readahead = 131072, .flags = FUSE_ASYNC_READ, .max_write = 4096};

            answer(in->unique, 0, &out, sizeof(out));
            return;
        }
        case FUSE_LOOKUP: {
            struct fuse_entry_out out = {.nodeid = 2, .attr = attributes(2)};

            if (strcmp(data, "file"))
                answer(in->unique, ENOENT, 0, 0);
            else
                answer(in->unique, 0, &out, sizeof(out));
            return;
        }
        case FUSE_GETATTR: {
            struct fuse_attr_out out = {.attr = attributes(in->nodeid)};

            answer(in->unique, 0, &out, sizeof(out));
            return;
        }
        case FUSE_OPEN: {
            struct fuse_open_out out = {.fh = 1};

            answer(in->unique, 0, &out, sizeof(out));
            return;
        }
        case FUSE_READ: {
            const struct fuse_read_in *r = data;
            unsigned left = r->offset < SIZE ? SIZE - r->offset : 0;

            nanosleep(&t, 0);
            answer(in->unique, 0, file, r->size < left ? r->size : left);
            return;
        }
        case FUSE_FORGET:
        case FUSE_BATCH_FORGET:
            return;
        case FUSE_RELEASE:
        case FUSE_FLUSH:
            answer(in->unique, 0, 0, 0);
            return;
        default:
            answer(in->unique, ENOSYS, 0, 0);
    }
}

int main(int argc, char **argv) {
    static int counts[KINDS];
    char options[100];

    if (argc < 3) return 2;
    device = open("/dev/fuse", O_RDWR);
    snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=0,group_id=0", device);
    if (device < 0 || mount("of-the-test", argv[1], "fuse.test", 0, options)) {
        perror("mount");
        return 1;
    }
    while (read(device, request, sizeof(request)) > 0) {
        const struct fuse_in_header *in = (const void *)request;

        if (in->opcode < KINDS) counts[in->opcode]++;
        serve(in, in + 1, atol(argv[2]));
    }
    for (int i = 0; i < KINDS; i++)
        if (counts[i]) printf("%d %d\n", i, counts[i]);
    return 0;
}
