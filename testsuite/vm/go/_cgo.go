// SPDX-License-Identifier: GPL-2.0-or-later
// Goroutines in C, that work there, wait there, and are called back. _cgo MILLISECONDS
package main

/*
#include <time.h>

__attribute__((noinline)) static int spin_in_c(int n)
{
	volatile int sum = 0;
	int i;

	for (i = 0; i < n; i++)
		sum += i;
	return sum;
}

__attribute__((noinline)) static void wait_in_c(void)
{
	struct timespec t = {0, 5000000};

	nanosleep(&t, 0);
}

extern int calledBack(int n);
__attribute__((noinline)) static int call_back(int n)
{
	return calledBack(n) + 1;
}
*/
import "C"

import (
	"os"
	"strconv"
	"sync"
	"time"
)

//export calledBack
func calledBack(n C.int) C.int {
	for i := 0; i < 200000; i++ {
		n += C.int(i) ^ n
	}
	return n
}

func main() {
	milliseconds, _ := strconv.Atoi(os.Args[1])
	until := time.Now().Add(time.Duration(milliseconds) * time.Millisecond)
	var all sync.WaitGroup
	work := func(f func()) {
		all.Add(1)
		go func() {
			for time.Now().Before(until) {
				f()
			}
			all.Done()
		}()
	}
	work(func() { C.spin_in_c(200000) })
	work(func() { C.wait_in_c() })
	work(func() { C.call_back(1) })
	all.Wait()
}
