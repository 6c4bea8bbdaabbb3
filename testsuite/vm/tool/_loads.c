// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * loads WHAT [NUMBER...]: does something that tools count, as often as it is told, and prints nothing. Directories are
 * under the working one.
 *
 * Times are in milliseconds. Exits with 1 if anything that has to work does not.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char block[1 << 20];

static void must(int good, const char *what) {
    if (good) return;
    perror(what);
    exit(1);
}

static void sleep_ms(long ms) {
    struct timespec t = {ms / 1000, ms % 1000 * 1000000};

    while (nanosleep(&t, &t) && errno == EINTR)
        ;
}

static long cpu_ms(void) {
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Runs as long from now on: the process has run before it became this program. */
static void run_ms(long ms) {
    for (long end = cpu_ms() + ms; cpu_ms() < end;)
        ;
}

/* GOOD opens of a file that is there, BAD of one that is not. */
static void opens(long good, long bad) {
    while (good-- > 0) {
        int fd = open("/etc/passwd", O_RDONLY);

        must(fd >= 0, "/etc/passwd");
        close(fd);
    }
    while (bad-- > 0)
        must(open("/not/there", O_RDONLY) < 0, "/not/there");
}

static void stats(long good, long bad) {
    struct stat s;

    while (good-- > 0)
        must(!stat("/etc/passwd", &s), "stat");
    while (bad-- > 0)
        must(stat("/not/there", &s), "/not/there");
}

/* N files that live for a moment. */
static void short_files(long n) {
    for (long i = 0; i < n; i++) {
        int fd = open("short-lived", O_CREAT | O_WRONLY | O_EXCL, 0600);

        must(fd >= 0, "short-lived");
        close(fd);
        must(!unlink("short-lived"), "unlink");
    }
}

/* N writes of SIZE bytes to a file, each forced to the disk if FORCE. */
static void writes(long n, long size, long force) {
    int fd = open("written", O_CREAT | O_WRONLY | O_TRUNC, 0600);

    must(fd >= 0, "written");
    while (n-- > 0) {
        must(write(fd, block, size) == size, "write");
        if (force) must(!fsync(fd), "fsync");
    }
    close(fd);
}

static void reads(long n, long size) {
    int fd = open("written", O_RDONLY);

    must(fd >= 0, "written");
    while (n-- > 0)
        must(pread(fd, block, size, 0) == size, "read");
    close(fd);
}

/* N descriptors, of which every LEAK-th is not closed. */
static void descriptors(long n, long leak) {
    for (long i = 1; i <= n; i++) {
        int fd = open("/dev/null", O_RDONLY);

        must(fd >= 0, "/dev/null");
        if (i % leak) close(fd);
    }
}

/* A chain: this process reads from a child, which reads from another one, which sleeps; N times. */
static void chain(long n, long ms) {
    int first[2], second[2];

    must(!pipe(first) && !pipe(second), "pipe");
    if (!fork()) {
        char c;

        pthread_setname_np(pthread_self(), "middle");
        while (read(second[0], &c, 1) == 1)
            must(write(first[1], &c, 1) == 1, "write");
        exit(0);
    }
    if (!fork()) {
        pthread_setname_np(pthread_self(), "last");
        while (n-- > 0) {
            sleep_ms(ms);
            must(write(second[1], "x", 1) == 1, "write");
        }
        exit(0);
    }
    pthread_setname_np(pthread_self(), "first");
    close(first[1]);
    close(second[1]);
    for (char c; n-- > 0;)
        must(read(first[0], &c, 1) == 1, "read");
}

/* N messages of SIZE bytes through a bound socket of the family UNIX. */
static void unix_socket(long n, long size) {
    struct sockaddr_un name = {.sun_family = AF_UNIX, .sun_path = "messages.sock"};
    int here = socket(AF_UNIX, SOCK_STREAM, 0), there = socket(AF_UNIX, SOCK_STREAM, 0), accepted;

    unlink(name.sun_path);
    must(!bind(here, (struct sockaddr *)&name, sizeof(name)) && !listen(here, 5), "listen");
    must(!connect(there, (struct sockaddr *)&name, sizeof(name)), "connect");
    accepted = accept(here, 0, 0);
    while (n-- > 0) {
        must(send(there, block, size, 0) == size, "send");
        for (long got = 0; got < size;) {
            long more = read(accepted, block, size);

            must(more > 0, "read");
            got += more;
        }
    }
}

/* Memory of BYTES that has a descriptor alone; then sleeps. */
static void shared_memory(long bytes, long ms) {
    int fd = memfd_create("of-the-test", 0);

    must(fd >= 0, "memfd_create");
    for (long done = 0; done < bytes; done += 4096)
        must(write(fd, block, 4096) == 4096, "write");
    sleep_ms(ms);
}

/* TCP on the loopback: N connections that each carry SIZE bytes there and one back, after DELAY; REFUSED ones to a port
 * where no program listens. The client ends each CLIENT_FIRST, or else the server. */
struct server {
    int fd;
    long n, size, delay, client_first;
};

static void *serve(void *p) {
    struct server *s = p;

    for (long i = 0; i < s->n; i++) {
        int c = accept(s->fd, 0, 0);

        must(c >= 0, "accept");
        for (long got = 0; got < s->size;) {
            long more = read(c, block + (1 << 19), 1 << 19);

            must(more > 0, "read");
            got += more;
        }
        sleep_ms(s->delay);
        must(write(c, "y", 1) == 1, "write");
        if (s->client_first) must(read(c, block + (1 << 19), 1) == 0, "end");
        close(c);
    }
    return 0;
}

static void tcp(long n, long size, long refused, long port, long delay, long client_first) {
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct server s = {socket(AF_INET, SOCK_STREAM, 0), n, size, delay, client_first};
    pthread_t thread;
    int one = 1;

    must(!setsockopt(s.fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)), "setsockopt");
    must(!bind(s.fd, (struct sockaddr *)&a, sizeof(a)) && !listen(s.fd, 5), "listen");
    must(!pthread_create(&thread, 0, serve, &s), "thread");
    while (n-- > 0) {
        int c = socket(AF_INET, SOCK_STREAM, 0);
        char answer;

        must(!connect(c, (struct sockaddr *)&a, sizeof(a)), "connect");
        for (long done = 0; done < size;) {
            long more = write(c, block, size - done > 65536 ? 65536 : size - done);

            must(more > 0, "write");
            done += more;
        }
        must(read(c, &answer, 1) == 1, "read");
        close(c);
    }
    pthread_join(thread, 0);
    a.sin_port = htons(port + 1);
    while (refused-- > 0) {
        int c = socket(AF_INET, SOCK_STREAM, 0);

        must(connect(c, (struct sockaddr *)&a, sizeof(a)) && errno == ECONNREFUSED, "refused");
        close(c);
    }
}

/* A small write that waits for the acknowledgement of the one before, which the peer delays; N times. */
static void nagle(long n, long port) {
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int here = socket(AF_INET, SOCK_STREAM, 0), there = socket(AF_INET, SOCK_STREAM, 0), one = 1, zero = 0, accepted;
    struct linger reset = {.l_onoff = 1};
    char data[200];

    must(!setsockopt(here, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)), "setsockopt");
    must(!bind(here, (struct sockaddr *)&a, sizeof(a)) && !listen(here, 5), "listen");
    must(!connect(there, (struct sockaddr *)&a, sizeof(a)), "connect");
    accepted = accept(here, 0, 0);
    while (n-- > 0) {
        setsockopt(accepted, IPPROTO_TCP, TCP_QUICKACK, &zero, sizeof(zero));
        must(write(there, block, 100) == 100 && write(there, block, 100) == 100, "write");
        for (long got = 0; got < 200;) {
            long more = read(accepted, data, 200);

            must(more > 0, "read");
            got += more;
            setsockopt(accepted, IPPROTO_TCP, TCP_QUICKACK, &zero, sizeof(zero));
        }
        must(write(accepted, "y", 1) == 1 && read(there, data, 1) == 1, "answer");
    }
    /* The connection ends with the program: a path that loses packets has nothing left to send again. */
    must(!setsockopt(there, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset)), "setsockopt");
    must(!setsockopt(accepted, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset)), "setsockopt");
}

/* N connections to a port whose queue holds two, where no program accepts them; after MS, all end. */
static void full_queue(long n, long port, long ms) {
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int here = socket(AF_INET, SOCK_STREAM, 0);

    must(!bind(here, (struct sockaddr *)&a, sizeof(a)) && !listen(here, 1), "listen");
    while (n-- > 0) {
        int there = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);

        must(!connect(there, (struct sockaddr *)&a, sizeof(a)) || errno == EINPROGRESS, "connect");
        sleep_ms(20);
    }
    sleep_ms(ms);
}

/* UDP to a socket whose buffer is full: N datagrams are sent, and those that are there are counted and printed. */
static void udp(long n, long size, long port) {
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int here = socket(AF_INET, SOCK_DGRAM, 0), there = socket(AF_INET, SOCK_DGRAM, 0), bytes = 2000;
    long came = 0;

    must(!setsockopt(here, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes)), "setsockopt");
    must(!bind(here, (struct sockaddr *)&a, sizeof(a)), "bind");
    for (long i = 0; i < n; i++)
        must(sendto(there, block, size, 0, (struct sockaddr *)&a, sizeof(a)) == size, "sendto");
    while (recv(here, block, size, MSG_DONTWAIT) >= 0)
        came++;
    fprintf(stderr, "%ld\n", n - came);
}

/* GOOD signals that are ignored, to itself. */
static void signals(long n) {
    signal(SIGUSR1, SIG_IGN);
    while (n-- > 0)
        kill(getpid(), SIGUSR1);
}

/* Children that end with status 0 to N-1, and one for each of three signals. */
static void children(long n) {
    static const int by[] = {SIGTERM, SIGKILL, SIGSEGV};
    struct rlimit none = {0, 0};

    setrlimit(RLIMIT_CORE, &none);
    for (long i = 0; i < n + 3; i++) {
        pid_t child = fork();

        if (!child) {
            if (i >= n) kill(getpid(), by[i - n]);
            _exit(i);
        }
        waitpid(child, 0, 0);
    }
}

/* Two processes lock the same file: one holds it, the other waits for it; N times. */
static void file_locks(long n, long ms) {
    for (long i = 0; i < n; i++) {
        int fd = open("locked", O_CREAT | O_RDWR, 0600), ends[2];
        char c;

        must(!pipe(ends), "pipe");
        if (!fork()) {
            int mine = open("locked", O_RDWR);

            must(!flock(mine, LOCK_EX), "flock");
            must(write(ends[1], "x", 1) == 1, "write");
            sleep_ms(ms);
            _exit(0);
        }
        must(read(ends[0], &c, 1) == 1, "read");
        must(!flock(fd, LOCK_EX), "flock");
        close(fd);
        close(ends[0]);
        close(ends[1]);
        wait(0);
    }
}

/* N waits for a futex that time out at once, and M that find another value. */
static void futexes(long n, long m) {
    static int word = 5;
    struct timespec t = {0, 1000};

    while (n-- > 0)
        must(syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 5, &t, 0, 0) < 0 && errno == ETIMEDOUT, "futex");
    while (m-- > 0)
        must(syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 6, &t, 0, 0) < 0 && errno == EAGAIN, "futex");
}

/* An event loop that handles N events, and works MS for every tenth. */
static void event_loop(long n, long ms) {
    int ends[2], set = epoll_create1(0);
    struct epoll_event e = {.events = EPOLLIN};
    char c;

    must(!pipe(ends) && !epoll_ctl(set, EPOLL_CTL_ADD, ends[0], &e), "epoll");
    for (long i = 1; i <= n; i++) {
        must(write(ends[1], "x", 1) == 1 && epoll_wait(set, &e, 1, -1) == 1 && read(ends[0], &c, 1) == 1, "event");
        if (i % 10 == 0) sleep_ms(ms);
    }
}

/* N pages of new memory are touched. */
static void pages(long n) {
    char *p = mmap(0, n * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    must(p != MAP_FAILED, "mmap");
    madvise(p, n * 4096, MADV_NOHUGEPAGE);
    for (long i = 0; i < n; i++)
        p[i * 4096] = 1;
}

/* Memory of N pages of its own, then sleeps. */
static void memory(long n, long ms) {
    pages(n);
    sleep_ms(ms);
}

/* One page of every second MB: as many page tables. Then sleeps. */
static void sparse_memory(long n, long ms) {
    char *p = mmap(0, n << 21, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    must(p != MAP_FAILED, "mmap");
    madvise(p, n << 21, MADV_NOHUGEPAGE);
    for (long i = 0; i < n; i++)
        p[i << 21] = 1;
    sleep_ms(ms);
}

/* N descriptors, of which every LEAK-th is not closed, then sleeps. */
static void kept_descriptors(long n, long leak, long ms) {
    descriptors(n, leak);
    sleep_ms(ms);
}

/* N pieces of memory are mapped and given back. */
static void maps(long n) {
    while (n-- > 0) {
        void *p = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

        must(p != MAP_FAILED && !munmap(p, 8192), "mmap");
    }
}

/* N questions for the time by a system call. */
static void clocks(long n) {
    struct timespec t;

    while (n-- > 0)
        must(!syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &t), "clock_gettime");
}

/* N sleeps. */
static void naps(long n, long ms) {
    while (n-- > 0)
        sleep_ms(ms);
}

/* N sleeps between two signals SIGUSR1, so that a session can begin and end meanwhile. */
static void naps_between(long n, long ms) {
    sigset_t set;
    int got;

    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigprocmask(SIG_BLOCK, &set, 0);
    sigwait(&set, &got);
    naps(n, ms);
    sigwait(&set, &got);
}

/* Moves N times to the other one of two processors, between two signals. */
static void moves_between(long n) {
    sigset_t set;
    cpu_set_t cpu;
    int got;

    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigprocmask(SIG_BLOCK, &set, 0);
    for (long i = 0; i <= n; i++) {
        CPU_ZERO(&cpu);
        CPU_SET(i % 2, &cpu);
        must(!sched_setaffinity(0, sizeof(cpu), &cpu), "sched_setaffinity");
        if (i == 0 || i == n) sigwait(&set, &got);
    }
}

/* The parent waits uninterruptibly while its child, which has its memory, sleeps. */
static void forks_and_waits(long ms) {
    if (!vfork()) {
        sleep_ms(ms);
        _exit(0);
    }
}

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    long n[6] = {0};

    for (int i = 0; i < 6 && i + 2 < argc; i++)
        n[i] = atol(argv[i + 2]);
    if (!strcmp(what, "opens"))
        opens(n[0], n[1]);
    else if (!strcmp(what, "stats"))
        stats(n[0], n[1]);
    else if (!strcmp(what, "files"))
        short_files(n[0]);
    else if (!strcmp(what, "writes"))
        writes(n[0], n[1], n[2]);
    else if (!strcmp(what, "reads"))
        reads(n[0], n[1]);
    else if (!strcmp(what, "descriptors"))
        descriptors(n[0], n[1]);
    else if (!strcmp(what, "chain"))
        chain(n[0], n[1]);
    else if (!strcmp(what, "unix"))
        unix_socket(n[0], n[1]);
    else if (!strcmp(what, "memory"))
        shared_memory(n[0], n[1]);
    else if (!strcmp(what, "tcp"))
        tcp(n[0], n[1], n[2], n[3], n[4], n[5]);
    else if (!strcmp(what, "queue"))
        full_queue(n[0], n[1], n[2]);
    else if (!strcmp(what, "nagle"))
        nagle(n[0], n[1]);
    else if (!strcmp(what, "udp"))
        udp(n[0], n[1], n[2]);
    else if (!strcmp(what, "signals"))
        signals(n[0]);
    else if (!strcmp(what, "children"))
        children(n[0]);
    else if (!strcmp(what, "locks"))
        file_locks(n[0], n[1]);
    else if (!strcmp(what, "futexes"))
        futexes(n[0], n[1]);
    else if (!strcmp(what, "events"))
        event_loop(n[0], n[1]);
    else if (!strcmp(what, "pages"))
        pages(n[0]);
    else if (!strcmp(what, "own"))
        memory(n[0], n[1]);
    else if (!strcmp(what, "sparse"))
        sparse_memory(n[0], n[1]);
    else if (!strcmp(what, "kept"))
        kept_descriptors(n[0], n[1], n[2]);
    else if (!strcmp(what, "maps"))
        maps(n[0]);
    else if (!strcmp(what, "clocks"))
        clocks(n[0]);
    else if (!strcmp(what, "naps"))
        naps(n[0], n[1]);
    else if (!strcmp(what, "paused"))
        naps_between(n[0], n[1]);
    else if (!strcmp(what, "moves"))
        moves_between(n[0]);
    else if (!strcmp(what, "vfork"))
        forks_and_waits(n[0]);
    else if (!strcmp(what, "run"))
        run_ms(n[0]);
    else if (!strcmp(what, "sleep"))
        sleep_ms(n[0]);
    else
        return 2;
    return 0;
}
