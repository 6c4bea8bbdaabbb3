// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A file system that a program serves, and may stop serving, and programs that use it; by the kernel's protocol,
 * <linux/fuse.h>. serve DIRECTORY PROGRAM: has "program", which is PROGRAM and after SIGUSR1 is not opened any more;
 * "silent", which is never read; "broken", of which the first two reads fail, ahead and of the page, and no other is
 * answered. spin: computes. touch FILE: reads memory of the file. hold FILE: the same with the mappings locked, as a
 * read is tried again with the lock held, while another thread waits to change them and a third one computes.
 */
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const names[] = {"program", "silent", "broken"};
static off_t sizes[] = {0, 65536, 65536};
volatile char *page;
volatile unsigned long turns;
static volatile sig_atomic_t silent;

static void be_silent(int signal) {
    (void)signal;
    silent = 1;
}

static void attributes(unsigned long node, struct fuse_attr *attr) {
    memset(attr, 0, sizeof(*attr));
    attr->ino = node;
    attr->mode = node == 1 ? S_IFDIR | 0755 : S_IFREG | 0755;
    attr->nlink = 1;
    attr->blksize = 4096;
    attr->size = node == 1 ? 0 : sizes[node - 2];
}

static void answer(int device, const struct fuse_in_header *in, int error, const void *data, size_t length) {
    static char out[sizeof(struct fuse_out_header) + (1 << 20)];
    struct fuse_out_header *header = (struct fuse_out_header *)out;

    header->len = sizeof(*header) + length;
    header->error = error;
    header->unique = in->unique;
    if (length) memcpy(header + 1, data, length);
    if (write(device, out, header->len) < 0) warn("answer to %u", in->opcode);
}

static void read_file(int device, const struct fuse_in_header *in, int program) {
    static char data[1 << 20];
    static int reads;
    const struct fuse_read_in *read = (const void *)(in + 1);
    ssize_t got;

    if (in->nodeid == 2) {
        got = pread(program, data, read->size < sizeof(data) ? read->size : sizeof(data), read->offset);
        answer(device, in, 0, data, got < 0 ? 0 : got);
    } else if (in->nodeid == 4 && reads++ < 2) {
        answer(device, in, -EIO, NULL, 0);
    }
}

static int serve(const char *place, const char *path) {
    static char request[1 << 17];
    char options[100];
    int program = open(path, O_RDONLY), device = open("/dev/fuse", O_RDWR);

    if (program < 0 || device < 0) err(1, "%s or /dev/fuse", path);
    sizes[0] = lseek(program, 0, SEEK_END);
    snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=0,group_id=0,allow_other", device);
    if (mount("served", place, "fuse", 0, options)) err(1, "mount");
    sigaction(SIGUSR1, &(struct sigaction){.sa_handler = be_silent, .sa_flags = SA_RESTART}, NULL);
    while (read(device, request, sizeof(request)) > 0) {
        const struct fuse_in_header *in = (const void *)request;

        switch (in->opcode) {
            case FUSE_INIT:
                answer(device, in, 0,
                       &(struct fuse_init_out){.major = 7, .minor = 31, .max_readahead = 65536, .max_write = 65536},
                       sizeof(struct fuse_init_out));
                break;
            case FUSE_LOOKUP: {
                struct fuse_entry_out entry = {.entry_valid = 100000, .attr_valid = 100000};

                for (unsigned i = 0; i < 3; i++)
                    if (!strcmp((const char *)(in + 1), names[i])) entry.nodeid = i + 2;
                if (entry.nodeid) attributes(entry.nodeid, &entry.attr);
                answer(device, in, entry.nodeid ? 0 : -ENOENT, &entry, entry.nodeid ? sizeof(entry) : 0);
                break;
            }
            case FUSE_GETATTR: {
                struct fuse_attr_out out = {.attr_valid = 100000};

                attributes(in->nodeid, &out.attr);
                answer(device, in, 0, &out, sizeof(out));
                break;
            }
            case FUSE_OPEN:
                if (!silent)
                    answer(device, in, 0, &(struct fuse_open_out){.open_flags = FOPEN_KEEP_CACHE},
                           sizeof(struct fuse_open_out));
                break;
            case FUSE_READ:
                read_file(device, in, program);
                break;
            case FUSE_FORGET:
            case FUSE_BATCH_FORGET:
            case FUSE_INTERRUPT:
                break;
            case FUSE_RELEASE:
            case FUSE_FLUSH:
                answer(device, in, 0, NULL, 0);
                break;
            default:
                answer(device, in, -ENOSYS, NULL, 0);
        }
    }
    return 0;
}

__attribute__((noinline)) void spin(void) {
    for (;;)
        turns++;
}

static void *touch(void *unused) {
    (void)unused;
    turns += *page;
    return NULL;
}

static void *spin_in_thread(void *unused) {
    (void)unused;
    spin();
    return NULL;
}

static void change_mappings(void) {
    for (;;)
        munmap(mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 4096);
}

int main(int argc, char **argv) {
    pthread_t thread;
    int file;

    if (argc == 4) return serve(argv[2], argv[3]);
    if (argc == 2) {
        spin();
    } else if (argc == 3) {
        file = open(argv[2], O_RDONLY);
        page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, file, 0);
        if (file < 0 || page == MAP_FAILED) err(1, "%s", argv[2]);
        const bool hold = !strcmp(argv[1], "hold");
        if (hold) pthread_create(&thread, NULL, spin_in_thread, NULL);
        pthread_create(&thread, NULL, touch, NULL);
        sleep(1);
        if (hold) change_mappings();
        pause();
    }
    return 1;
}
