// SPDX-License-Identifier: GPL-2.0-or-later

// Functions that return in many ways, in goroutines that move between threads while their stacks grow; it counts them.
package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
)

var returns, sum, given, recovered int64

//go:noinline
func Deep(n int) int {
	var pad [64]int
	pad[n%64] = n
	if n == 0 {
		runtime.Gosched()
	} else {
		pad[n%64] = Deep(n-1) + 1
	}
	atomic.AddInt64(&returns, 1)
	atomic.AddInt64(&sum, int64(pad[n%64]))
	atomic.AddInt64(&given, int64(n))
	return pad[n%64]
}

//go:noinline
func Two(n int) (int, string) {
	if n > 1 {
		return -n, "many"
	}
	return n, "few"
}

//go:noinline
func Named(n int) (total int, err error) {
	if n < 0 {
		return 0, errors.New("negative")
	}
	for i := 0; i <= n; i++ {
		total += i
	}
	return
}

// On the stack.
//
//go:noinline
func Wide(n int64) [3]int64 { return [3]int64{n, n * n, -n} }

//go:noinline
func Half(x float64) float64 { return x / 2 }

//go:noinline
func Panics(n int) int {
	if n%2 == 1 {
		panic(n)
	}
	return n * 10
}

//go:noinline
func Recovers(n int) (result int) {
	defer func() {
		if recover() != nil {
			result = -1
			atomic.AddInt64(&recovered, 1)
		}
	}()
	return Panics(n)
}

func main() {
	goroutines, _ := strconv.Atoi(os.Args[1])
	var wait sync.WaitGroup
	for i := 0; i < goroutines; i++ {
		wait.Add(1)
		go func(i int) {
			defer wait.Done()
			Deep(i % 100)
			Recovers(i)
		}(i)
	}
	wait.Wait()
	Two(1)
	Two(2)
	Named(4)
	Named(-1)
	Wide(7)
	Half(-5)
	fmt.Printf(`Deep %d returns, sum %d, of %d
Panics %d returns
Recovers %d returns, %d recovered
Two 1 "few"
Two -2 "many"
Named 10, error 0
Named 0, error 1
Wide 7 49 -7
Half -2.500000
`, returns, sum, given, int64(goroutines)-recovered, goroutines, recovered)
}
