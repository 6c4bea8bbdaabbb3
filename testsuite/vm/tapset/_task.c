// SPDX-License-Identifier: GPL-2.0-or-later
// task FILE: becomes a process of known properties, says "ready", and calls getppid() when a line comes on standard
// input: that is when it is looked at. FILE gets what it knows of itself by then, a line "NAME VALUE" each; the same is
// written as _task.stp writes it.
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static FILE *out;

static void statm(char *text) {
    FILE *f = fopen("/proc/self/statm", "r");
    unsigned long size, resident, shared, code, library, data;

    if (!f || fscanf(f, "%lu %lu %lu %lu %lu %lu", &size, &resident, &shared, &code, &library, &data) != 6) exit(1);
    fclose(f);
    sprintf(text, "%lu %lu %lu %lu %lu", size, resident, shared, code, data);
}

// Fields of /proc/self/stat from the third on, which is the state.
static void stat_fields(long *fields, int count) {
    char text[1024], *at;
    FILE *f = fopen("/proc/self/stat", "r");

    if (!f || !fgets(text, sizeof text, f)) exit(1);
    fclose(f);
    at = strrchr(text, ')') + 4;
    for (int i = 4; i <= count; i++)
        fields[i] = strtol(at, &at, 10);
}

static void limits(void) {
    static const struct {
        const char *name;
        int resource;
    } all[] = {{"cpu", RLIMIT_CPU},           {"fsize", RLIMIT_FSIZE},
               {"data", RLIMIT_DATA},         {"stack", RLIMIT_STACK},
               {"core", RLIMIT_CORE},         {"rss", RLIMIT_RSS},
               {"nproc", RLIMIT_NPROC},       {"nofile", RLIMIT_NOFILE},
               {"memlock", RLIMIT_MEMLOCK},   {"as", RLIMIT_AS},
               {"locks", RLIMIT_LOCKS},       {"sigpending", RLIMIT_SIGPENDING},
               {"msgqueue", RLIMIT_MSGQUEUE}, {"nice", RLIMIT_NICE},
               {"rtprio", RLIMIT_RTPRIO},     {"rttime", RLIMIT_RTTIME}};

    for (unsigned i = 0; i < sizeof all / sizeof all[0]; i++) {
        struct rlimit limit;

        getrlimit(all[i].resource, &limit);
        // All different, but for what would hinder.
        if (all[i].resource != RLIMIT_NOFILE && all[i].resource != RLIMIT_NPROC) {
            limit.rlim_cur = 1000000000 + i;
            if (limit.rlim_cur > limit.rlim_max) limit.rlim_max = limit.rlim_cur;
            setrlimit(all[i].resource, &limit);
        }
        getrlimit(all[i].resource, &limit);
        fprintf(out, "rlimit_%s %ld\n", all[i].name, (long)limit.rlim_cur);
    }
}

int main(int argc, char **argv) {
    char before[200], after[200], line[8];
    struct stat file;
    long fields[22], work = 0;
    cpu_set_t cpus;
    int open_files = 0;
    DIR *dir;

    if (argc < 2 || !(out = fopen(argv[1], "w"))) return 2;
    setvbuf(stdin, NULL, _IONBF, 0);
    CPU_ZERO(&cpus);
    CPU_SET(1, &cpus);
    if (sched_setaffinity(0, sizeof cpus, &cpus) || prctl(PR_SET_NAME, "task under test") ||
        setpriority(PRIO_PROCESS, 0, 7))
        return 3;
    limits();
    if (dup2(0, 70) < 0) return 3;
    fprintf(out, "pid %d\ntid %d\nname task under test\nparent %d\ncpu 1\nnice 7\n", getpid(), (int)syscall(SYS_gettid),
            getppid());
    if (stat("/proc/self/exe", &file)) return 3;
    fprintf(out, "exe %lu\n", (unsigned long)file.st_ino);
    if (stat(".", &file)) return 3;
    fprintf(out, "cwd %lu\n", (unsigned long)file.st_ino);
    if (fstat(fileno(out), &file)) return 3;
    fprintf(out, "fd %d %lu\n", fileno(out), (unsigned long)file.st_ino);
    if (setresgid(1234, 2345, 3456) || setresuid(4321, 5432, 6543)) return 3;
    fprintf(out, "ids 4321 5432 1234 2345\n");
    stat_fields(fields, 22);
    fprintf(out, "prio %ld\nstart %ld\n", fields[18], fields[22]);
    dir = opendir("/dev/fd/");
    while (readdir(dir))
        open_files++;
    closedir(dir);
    fprintf(out, "files %d\n", open_files - 3);  // ".", "..", and the folder's own
    printf("ready\n");
    fflush(stdout);
    if (!fgets(line, sizeof line, stdin)) return 4;
    // So much that ticks count.
    for (volatile long i = 0; i < 200000000 && work < 40; i++)
        if (i % 1000000 == 0) {
            stat_fields(fields, 22);
            work = fields[14] + fields[15];
        }
    do {
        statm(before);
        syscall(SYS_getppid);
        statm(after);
    } while (strcmp(before, after));
    stat_fields(fields, 22);
    fprintf(out, "memory %s\n", after);
    fclose(out);
    printf("ticks %ld\n", fields[14] + fields[15]);
    return 0;
}
