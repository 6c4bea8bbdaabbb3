// SPDX-License-Identifier: GPL-2.0-or-later
// Threads that wait in known ways, each in one. Prints "TID KIND WAITS" for each: how often it gave its processor up,
// by the kernel. Usage: waits ROUNDS. While a thread waits, its name begins with "w:".
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <pty.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int rounds;

static void check(long result, const char *what) {
    if (result >= 0) return;
    perror(what);
    exit(1);
}

// ---- what a thread says ----

static long given_up(void) {
    struct rusage usage;
    getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_nvcsw;
}

static pthread_mutex_t lines = PTHREAD_MUTEX_INITIALIZER;

static void say(int tid, const char *kind, long waits) {
    char line[64];
    const int length = snprintf(line, sizeof line, "waits %d %s %ld\n", tid, kind, waits);
    pthread_mutex_lock(&lines);
    check(write(1, line, (size_t)length), "write");
    pthread_mutex_unlock(&lines);
}

static long begin(const char *kind) {
    char name[16];
    snprintf(name, sizeof name, "w:%s", kind);
    prctl(PR_SET_NAME, name);
    return given_up();
}

static void end(const char *kind, long before) {
    const long waits = given_up() - before;
    prctl(PR_SET_NAME, "through");
    say(gettid(), kind, waits);
}

// ---- two threads that let each other go on by turns, each in the same way ----

struct turns {
    const char *kind;
    int side;
    void (*wait)(const struct turns *turns, int round);
    void (*go)(const struct turns *turns);
    int in[2], out[2];  // of each side
};

static void *take_turns(void *data) {
    const struct turns *turns = data;
    const long before = begin(turns->kind);
    for (int i = 0; i < rounds; i++) {
        if (turns->side) turns->wait(turns, i);
        turns->go(turns);
        if (!turns->side) turns->wait(turns, i);
    }
    end(turns->kind, before);
    return NULL;
}

static void read_byte(const struct turns *turns, int round) {
    char byte;
    (void)round;
    check(read(turns->in[turns->side], &byte, 1), turns->kind);
}

static void write_byte(const struct turns *turns) {
    check(write(turns->out[turns->side], "\n", 1), turns->kind);
}

static void receive_byte(const struct turns *turns, int round) {
    char byte;
    (void)round;
    check(recv(turns->in[turns->side], &byte, 1, 0), turns->kind);
}

static void poll_event(const struct turns *turns, int round) {
    const int fd = turns->in[turns->side];
    eventfd_t value;
    if (round % 3 == 0) {
        struct pollfd one = {.fd = fd, .events = POLLIN};
        check(poll(&one, 1, -1), "poll");
    } else if (round % 3 == 1) {
        fd_set set;
        FD_ZERO(&set);
        FD_SET(fd, &set);
        check(select(fd + 1, &set, NULL, NULL, NULL), "select");
    } else {
        struct epoll_event event;
        check(epoll_wait(turns->side ? turns->out[0] : turns->out[1], &event, 1, -1), "epoll_wait");
    }
    check(eventfd_read(fd, &value), "eventfd");
}

static void write_event(const struct turns *turns) {
    check(eventfd_write(turns->in[!turns->side], 1), "eventfd");
}

static _Atomic int words[2];

static void futex_wait(const struct turns *turns, int round) {
    (void)round;
    while (!atomic_exchange(&words[turns->side], 0))
        syscall(SYS_futex, &words[turns->side], FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
}

static void futex_go(const struct turns *turns) {
    atomic_store(&words[!turns->side], 1);
    syscall(SYS_futex, &words[!turns->side], FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static int semaphores;

static void semaphore_wait(const struct turns *turns, int round) {
    struct sembuf one = {.sem_num = (unsigned short)turns->side, .sem_op = -1};
    (void)round;
    check(semop(semaphores, &one, 1), "semop");
}

static void semaphore_go(const struct turns *turns) {
    struct sembuf one = {.sem_num = (unsigned short)!turns->side, .sem_op = 1};
    check(semop(semaphores, &one, 1), "semop");
}

static int watch(int fd) {
    struct epoll_event event = {.events = EPOLLIN};
    const int set = epoll_create1(0);
    check(epoll_ctl(set, EPOLL_CTL_ADD, fd, &event), "epoll_ctl");
    return set;
}

static void connect_pair(int pair[2]) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    const int listener = socket(AF_INET, SOCK_STREAM, 0);
    check(bind(listener, (struct sockaddr *)&address, length), "bind");
    check(listen(listener, 1), "listen");
    check(getsockname(listener, (struct sockaddr *)&address, &length), "getsockname");
    pair[0] = socket(AF_INET, SOCK_STREAM, 0);
    check(connect(pair[0], (struct sockaddr *)&address, length), "connect");
    pair[1] = accept(listener, NULL, NULL);
    close(listener);
}

static void run_turns(struct turns first) {
    struct turns second = first;
    pthread_t threads[2];
    second.side = 1;
    pthread_create(&threads[0], NULL, take_turns, &first);
    pthread_create(&threads[1], NULL, take_turns, &second);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
}

static void all_turns(void) {
    int a[2], b[2];
    check(pipe(a) | pipe(b), "pipe");
    run_turns(
        (struct turns){.kind = "pipe", .wait = read_byte, .go = write_byte, .in = {a[0], b[0]}, .out = {b[1], a[1]}});
    check(socketpair(AF_UNIX, SOCK_STREAM, 0, a), "socketpair");
    run_turns((struct turns){
        .kind = "receive", .wait = receive_byte, .go = write_byte, .in = {a[0], a[1]}, .out = {a[0], a[1]}});
    check(socketpair(AF_UNIX, SOCK_DGRAM, 0, a), "socketpair");
    run_turns((struct turns){
        .kind = "receive", .wait = receive_byte, .go = write_byte, .in = {a[0], a[1]}, .out = {a[0], a[1]}});
    connect_pair(a);
    run_turns((struct turns){
        .kind = "receive", .wait = receive_byte, .go = write_byte, .in = {a[0], a[1]}, .out = {a[0], a[1]}});
    a[0] = eventfd(0, 0);
    a[1] = eventfd(0, 0);
    run_turns((struct turns){
        .kind = "poll", .wait = poll_event, .go = write_event, .in = {a[0], a[1]}, .out = {watch(a[1]), watch(a[0])}});
    run_turns((struct turns){.kind = "futex", .wait = futex_wait, .go = futex_go});
    semaphores = semget(IPC_PRIVATE, 2, 0600);
    check(semaphores, "semget");
    run_turns((struct turns){.kind = "ipc", .wait = semaphore_wait, .go = semaphore_go});
    semctl(semaphores, 0, IPC_RMID);
}

// ---- threads that wait for one that does not count ----

struct waiter {
    const char *kind;
    void (*wait)(int round);
    void (*go)(int round);  // in the other thread; NULL: none is needed
};

static void *keep_waiting(void *data) {
    const struct waiter *waiter = data;
    const long before = begin(waiter->kind);
    for (int i = 0; i < rounds; i++)
        waiter->wait(i);
    end(waiter->kind, before);
    return NULL;
}

static void run_waiter(struct waiter waiter) {
    pthread_t thread;
    pthread_create(&thread, NULL, keep_waiting, &waiter);
    for (int i = 0; waiter.go && i < rounds; i++)
        waiter.go(i);
    pthread_join(thread, NULL);
}

static void nap(long ns) {
    const struct timespec time = {.tv_nsec = ns};
    nanosleep(&time, NULL);
}

static void sleep_shortly(int round) {
    (void)round;
    nap(100000);
}

static _Atomic int accepted;
static int listeners[2];
static struct sockaddr_in inet = {.sin_family = AF_INET};
static const struct sockaddr_un local = {.sun_family = AF_UNIX, .sun_path = "listener"};

static void accept_one(int round) {
    const int fd = accept(listeners[round % 2], NULL, NULL);
    check(fd, "accept");
    close(fd);
    accepted++;
}

static void connect_one(int round) {
    const int fd = socket(round % 2 ? AF_INET : AF_UNIX, SOCK_STREAM, 0);
    while (accepted < round)
        nap(20000);
    nap(50000);
    check(round % 2 ? connect(fd, (const struct sockaddr *)&inet, sizeof inet)
                    : connect(fd, (const struct sockaddr *)&local, sizeof local),
          "connect");
    close(fd);
}

static void listen_twice(void) {
    socklen_t length = sizeof inet;
    listeners[0] = socket(AF_UNIX, SOCK_STREAM, 0);
    listeners[1] = socket(AF_INET, SOCK_STREAM, 0);
    inet.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    check(bind(listeners[0], (const struct sockaddr *)&local, sizeof local), "bind");
    check(bind(listeners[1], (struct sockaddr *)&inet, length), "bind");
    check(listen(listeners[0], 9) | listen(listeners[1], 9), "listen");
    check(getsockname(listeners[1], (struct sockaddr *)&inet, &length), "getsockname");
}

static void child_of(int round) {
    (void)round;
    const pid_t child = fork();
    check(child, "fork");
    if (!child) {
        prctl(PR_SET_NAME, "a child");
        nap(200000);
        _exit(0);
    }
    check(waitpid(child, NULL, 0), "waitpid");
}

static int locks[2];
static _Atomic int waited;

// Each thread has a file of its own: write() takes the lock of a file's position.
static void write_locks(int side, char letter) {
    check(write(locks[side], &letter, 1), "/proc/tapir_locks");
}
static void wait_mutex(int round) {
    (void)round;
    write_locks(0, 'm');
    waited++;
}
static void hold_mutex(int round) {
    write_locks(1, 'M');
    while (waited <= round)
        nap(20000);
}
static void wait_semaphore(int round) {
    write_locks(0, round % 2 ? 'r' : 'w');
    waited++;
}
static void hold_semaphore(int round) {
    write_locks(1, round % 2 ? 'W' : 'R');
    while (waited <= round)
        nap(20000);
}

static int flocked[2];
static _Atomic int asks, held;

static void wait_flock(int round) {
    while (held <= round)
        sched_yield();
    asks = round + 1;
    check(flock(flocked[0], LOCK_EX), "flock");
    check(flock(flocked[0], LOCK_UN), "flock");
    waited++;
}
static void hold_flock(int round) {
    check(flock(flocked[1], LOCK_EX), "flock");
    held = round + 1;
    while (asks <= round)
        nap(20000);
    nap(300000);
    check(flock(flocked[1], LOCK_UN), "flock");
    while (waited <= round)
        nap(20000);
}

static int terminal[2];

static void read_terminal(int round) {
    char byte;
    (void)round;
    check(read(terminal[1], &byte, 1), "terminal");
    waited++;
}
static void write_terminal(int round) {
    nap(100000);
    check(write(terminal[0], "\n", 1), "terminal");
    while (waited <= round)
        nap(20000);
}

// A process of its own: all threads of one stop.
static void stop_and_go(void) {
    const pid_t child = fork();
    check(child, "fork");
    if (!child) {
        const long before = begin("stopped");
        for (int i = 0; i < rounds; i++)
            raise(SIGSTOP);
        end("stopped", before);
        _exit(0);
    }
    for (int status = 0; waitpid(child, &status, WUNTRACED) == child && WIFSTOPPED(status);)
        kill(child, SIGCONT);
}

int main(int argc, char **argv) {
    rounds = argc > 1 ? atoi(argv[1]) : 100;
    all_turns();
    rounds = rounds / 3 + 1;
    run_waiter((struct waiter){.kind = "sleep", .wait = sleep_shortly});
    listen_twice();
    run_waiter((struct waiter){.kind = "connect", .wait = accept_one, .go = connect_one});
    run_waiter((struct waiter){.kind = "child", .wait = child_of});
    locks[0] = open("/proc/tapir_locks", O_RDWR);
    locks[1] = open("/proc/tapir_locks", O_RDWR);
    check(locks[1], "/proc/tapir_locks");
    run_waiter((struct waiter){.kind = "mutex", .wait = wait_mutex, .go = hold_mutex});
    waited = 0;
    run_waiter((struct waiter){.kind = "rwsem", .wait = wait_semaphore, .go = hold_semaphore});
    waited = 0;
    flocked[0] = open("flocked", O_CREAT | O_RDWR, 0600);
    flocked[1] = open("flocked", O_RDWR);
    check(flocked[1], "flocked");
    run_waiter((struct waiter){.kind = "flock", .wait = wait_flock, .go = hold_flock});
    waited = 0;
    check(openpty(&terminal[0], &terminal[1], NULL, NULL, NULL), "openpty");
    run_waiter((struct waiter){.kind = "terminal", .wait = read_terminal, .go = write_terminal});
    stop_and_go();
    return 0;
}
