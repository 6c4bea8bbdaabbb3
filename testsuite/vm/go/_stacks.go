// SPDX-License-Identifier: GPL-2.0-or-later
// Goroutines that call mark() at several depths, ask for the time, allocate, wait for each other and are preempted. Says how often
// mark() was called from each. _stacks MILLISECONDS
package main

import (
	"os"
	"runtime"
	"strconv"
	"sync"
	"time"
)

var sink [][]byte

//go:noinline
func mark(n int) int { return n + 1 }

//go:noinline
func deep(depth, n int) int {
	if depth == 0 {
		return mark(n)
	}
	return deep(depth-1, n) + 1
}

// Asks the vDSO, from deep within a stack.
//
//go:noinline
func askTime(until time.Time) (asked int) {
	for time.Now().Before(until) {
		asked++
	}
	return asked
}

// Is preempted by a signal.
//
//go:noinline
func spin(until int64) (n int) {
	for i := 0; i < 1<<22; i++ {
		n += i ^ int(until)
	}
	return n
}

//go:noinline
func allocate(until time.Time) (n int) {
	for time.Now().Before(until) {
		for i := 0; i < 100; i++ {
			sink[i%len(sink)] = make([]byte, 1000+i)
			n++
		}
	}
	return n
}

func main() {
	milliseconds, _ := strconv.Atoi(os.Args[1])
	until := time.Now().Add(time.Duration(milliseconds) * time.Millisecond)
	sink = make([][]byte, 100)
	var all sync.WaitGroup
	work := func(f func()) {
		all.Add(1)
		go func() {
			f()
			all.Done()
		}()
	}
	marks := 0
	pipe := make(chan int)
	work(func() {
		for i := 0; i < 200; i++ {
			marks++
			deep(i%50, i)
			pipe <- i
		}
		close(pipe)
	})
	work(func() {
		for range pipe {
			runtime.Gosched()
		}
	})
	work(func() { askTime(until) })
	work(func() { spin(until.Unix()) })
	work(func() { allocate(until) })
	work(func() {
		for time.Now().Before(until) {
			time.Sleep(5 * time.Millisecond)
		}
	})
	all.Wait()
	println("marks", marks)
}
