// SPDX-License-Identifier: GPL-2.0-or-later
// leaves WAY: functions that are left in more ways than one. Says which calls it made and which of them returned.
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>
#include <stdexcept>

#include <atomic>
#include <vector>

namespace {

std::atomic<long> calls, returned, sum;

// Not inline: kernels refuse a breakpoint at an instruction with a lock, as a function would begin with.
__attribute__((noinline)) void called() {
    calls++;
}

void came_back(long result) {
    returned++;
    sum += result;
}

jmp_buf outside;
ucontext_t scheduler;
volatile sig_atomic_t signals;

}  // namespace

#define PROBED __attribute__((noinline, noclone))

// ---- each returns three times its argument, if it does ----

extern "C" PROBED long thrown(long n) {
    called();
    if (n % 3 == 0) throw std::runtime_error("out");
    return n * 3;
}

// Both returns and is passed by an exception.
extern "C" PROBED long passed(long n) {
    called();
    long result = thrown(n);
    came_back(result);
    return result;
}

extern "C" PROBED long jumped(long n, int depth) {
    called();
    if (depth) {
        jumped(n, depth - 1);
        came_back(n * 3);
    } else if (n % 2) {
        longjmp(outside, 1);
    }
    return n * 3;
}

extern "C" PROBED long deep(long n) {
    called();
    if (!n) return 0;
    long below = deep(n - 1);
    came_back(below);
    return below + 3;
}

extern "C" PROBED long switched(long n, ucontext_t *self, int depth) {
    called();
    swapcontext(self, &scheduler);
    if (depth) {
        long result = switched(n + 1, self, depth - 1);
        came_back(result);
        swapcontext(self, &scheduler);
    }
    return n * 3;
}

extern "C" PROBED long ended(long n) {
    called();
    if (n % 2) pthread_exit(nullptr);
    return n * 3;
}

extern "C" PROBED long interrupted(long n, int depth) {
    called();
    if (depth) raise(depth % 2 ? SIGUSR1 : SIGUSR2);
    return n * 3;
}

// ---- ways ----

namespace {

void exceptions() {
    for (long n = 0; n < 3000; n++) {
        try {
            came_back(passed(n));
        } catch (const std::runtime_error &) {
        }
    }
}

void jumps() {
    for (volatile long n = 0; n < 2000; n = n + 1)
        if (!setjmp(outside)) came_back(jumped(n, 4));
}

void *recurse(void *) {
    came_back(deep(100000));
    return nullptr;
}

void recursion() {
    pthread_t thread;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 64 << 20);
    pthread_create(&thread, &attributes, recurse, nullptr);
    pthread_join(thread, nullptr);
}

struct Coroutine {
    ucontext_t context;
    char *stack;
    long n;
    bool over;
};

constexpr int kCoroutines = 200, kDepth = 5;
std::vector<Coroutine> coroutines(kCoroutines);
int turn;

void coroutine(int i) {
    Coroutine &c = coroutines[static_cast<size_t>(i)];
    came_back(switched(c.n, &c.context, kDepth));
    c.over = true;
    swapcontext(&c.context, &scheduler);
}

// Every coroutine goes on until its next switch, but for those that are given up in between.
void *resume(void *) {
    for (int i = 0; i < kCoroutines; i++) {
        Coroutine &c = coroutines[static_cast<size_t>(i * 7 % kCoroutines)];
        if (c.over || (c.n % 10 == 9 && turn > 4)) continue;
        swapcontext(&scheduler, &c.context);
    }
    return nullptr;
}

// A stack that is given up is used again, as it is.
void switches() {
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < kCoroutines; i++) {
            Coroutine &c = coroutines[static_cast<size_t>(i)];
            if (!c.stack) c.stack = static_cast<char *>(malloc(64 << 10));
            getcontext(&c.context);
            c.context.uc_stack = {c.stack, 0, 64 << 10};
            c.n = round * 1000 + i;
            c.over = false;
            makecontext(&c.context, reinterpret_cast<void (*)()>(coroutine), 1, i);
        }
        // One thread after the other, so that each coroutine moves.
        for (turn = 0; turn < 3 * kDepth; turn++) {
            pthread_t thread;
            pthread_create(&thread, nullptr, resume, nullptr);
            pthread_join(thread, nullptr);
        }
    }
}

void *end_or_return(void *n) {
    came_back(ended(reinterpret_cast<long>(n)));
    return nullptr;
}

void threads() {
    for (long round = 0; round < 10; round++) {
        pthread_t all[40];
        for (long i = 0; i < 40; i++)
            pthread_create(&all[i], nullptr, end_or_return, reinterpret_cast<void *>(round * 100 + i));
        for (pthread_t one : all)
            pthread_join(one, nullptr);
    }
}

void handle(int) {
    signals = signals + 1;
    came_back(interrupted(signals, 0));
}

void handlers() {
    stack_t other = {malloc(64 << 10), 0, 64 << 10};
    struct sigaction action = {};
    action.sa_handler = handle;
    sigaltstack(&other, nullptr);
    sigaction(SIGUSR1, &action, nullptr);
    action.sa_flags = SA_ONSTACK;
    sigaction(SIGUSR2, &action, nullptr);
    for (long n = 0; n < 1000; n++)
        came_back(interrupted(n, static_cast<int>(n % 3)));
}

const struct {
    const char *name;
    void (*run)();
} kWays[] = {{"exceptions", exceptions}, {"jumps", jumps},     {"recursion", recursion},
             {"switches", switches},     {"threads", threads}, {"handlers", handlers}};

}  // namespace

int main(int, char **argv) {
    for (const auto &way : kWays)
        if (!strcmp(way.name, argv[1])) way.run();
    printf("calls %ld returned %ld sum %ld\n", calls.load(), returned.load(), sum.load());
    return 0;
}
