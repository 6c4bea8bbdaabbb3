// SPDX-License-Identifier: GPL-2.0-or-later

// Collects garbage and waits, and prints how often and how long.
package main

import (
	"fmt"
	"os"
	"regexp"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

var kept [][]byte

func allocate(done *sync.WaitGroup) {
	defer done.Done()
	for i := 0; i < 20000; i++ {
		piece := make([]byte, 500)
		if i%50 == 0 {
			kept = append(kept, piece)
		}
	}
}

func collects() {
	var done sync.WaitGroup
	done.Add(1)
	allocate(&done)
	for i := 0; i < 3; i++ {
		runtime.GC()
	}
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	fmt.Println(stats.NumGC, stats.PauseTotalNs/1000)
}

var sleeps int

// Sleeps until something is so.
func sleepUntil(so func() bool) {
	for {
		time.Sleep(10 * time.Millisecond)
		sleeps++
		if so() {
			return
		}
	}
}

// Sleeps until the other goroutine waits for one of these.
func sleepUntilWaits(reasons string) {
	waits := regexp.MustCompile(`goroutine \d+ \[(` + reasons + `)`)
	text := make([]byte, 16384)
	sleepUntil(func() bool { return waits.Match(text[:runtime.Stack(text, true)]) })
}

// A goroutine waits six times for a channel, and once for a lock.
func waits() {
	var lock sync.Mutex
	var done int32
	words, never := make(chan int), make(chan bool)
	go func() {
		for more := true; more; {
			select {
			case _, more = <-words:
			case <-never:
			}
		}
		lock.Lock()
		lock.Unlock()
		atomic.StoreInt32(&done, 1)
	}()
	for i := 0; i < 5; i++ {
		sleepUntilWaits("select")
		words <- i
	}
	sleepUntilWaits("select")
	lock.Lock()
	close(words)
	sleepUntilWaits("semacquire|sync.Mutex.Lock")
	lock.Unlock()
	sleepUntil(func() bool { return atomic.LoadInt32(&done) == 1 })
	fmt.Printf("%d time.Sleep\n6 runtime.selectgo\n1 runtime.semacquire1\n", sleeps)
}

func main() {
	if os.Args[1] == "gc" {
		collects()
	} else {
		waits()
	}
}
