// SPDX-License-Identifier: GPL-2.0-or-later

// Goroutines whose stacks grow while they are in a function, and which other threads resume. "calls N returned N": of Deep.
package main

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
)

var calls, returned, sum int64

// Three times its argument, if it returns.
//
//go:noinline
func Deep(n int64, left bool) int64 {
	var pad [40]int64
	atomic.AddInt64(&calls, 1)
	pad[n%40] = 3
	if n == 0 {
		runtime.Gosched()
		if left {
			panic("left")
		}
		return 0
	}
	below := Deep(n-1, left)
	atomic.AddInt64(&returned, 1)
	atomic.AddInt64(&sum, below)
	return below + pad[n%40]
}

func dive(n int64) {
	defer func() { recover() }()
	result := Deep(n, n%10 == 9)
	atomic.AddInt64(&returned, 1)
	atomic.AddInt64(&sum, result)
}

func main() {
	var wait sync.WaitGroup
	for i := 0; i < 1000; i++ {
		wait.Add(1)
		go func(n int64) {
			defer wait.Done()
			dive(n % 100)
		}(int64(i))
	}
	wait.Wait()
	fmt.Printf("calls %d returned %d sum %d\n", calls, returned, sum)
}
