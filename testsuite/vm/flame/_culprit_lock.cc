// SPDX-License-Identifier: GPL-2.0-or-later
// Orders: six threads take them from one book under one lock, and write an audit line each. Most of the time they wait
// for the lock. At its end the program says how long its threads have waited for the lock, and how long for everything:
// "lock MICROSECONDS", "all MICROSECONDS". _culprit_lock ORDERS
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#define KEEP __attribute__((noinline, noipa))

namespace {

struct Book {
    std::mutex lock;
    std::map<int, long> orders;
};
std::atomic<long> waited_for_lock{0}, waited{0};

long now() {
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000L + t.tv_nsec / 1000;
}

KEEP void fetch_price(long microseconds) {
    const long begun = now();
    usleep(microseconds);
    waited += now() - begun;
}

KEEP void write_audit(int order) {
    const long begun = now();
    usleep(400 + order % 7);
    waited += now() - begun;
}

// The price is asked for with the lock held: that is what makes the others wait.
KEEP void place_order(Book &book, int order) {
    const long begun = now();
    book.lock.lock();
    waited_for_lock += now() - begun;
    waited += now() - begun;
    fetch_price(3000);
    book.orders[order] += order;
    book.lock.unlock();
    write_audit(order);
}

KEEP void worker(Book &book, int orders) {
    for (int i = 0; i < orders; i++)
        place_order(book, i);
}

}  // namespace

int main(int argc, char **argv) {
    const int orders = argc > 1 ? std::atoi(argv[1]) : 60;
    Book book;
    std::vector<std::thread> threads;
    for (int i = 0; i < 6; i++)
        threads.emplace_back(worker, std::ref(book), orders);
    for (std::thread &thread : threads)
        thread.join();
    std::printf("lock %ld\nall %ld\n", waited_for_lock.load(), waited.load());
}
