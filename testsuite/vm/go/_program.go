// SPDX-License-Identifier: GPL-2.0-or-later

// Calls functions of many kinds and says what it passes; "calls N" counts those of Deep.
package main

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
)

type Item struct {
	Name string
	Tags []string
	Size int32
	Ok   bool
}

type Point struct{ X, Y float64 }

type Box struct{ items []Item }

type Pair[T any] struct{ a, b T }

var calls int64

// Handlers read only what is in memory, as constants are once they were read.
func touch(texts ...string) {
	for _, text := range texts {
		if text != "" {
			calls += int64(text[0]) & 0
		}
	}
}

//go:noinline
func Text(s string, n int) int {
	touch(s)
	return len(s) + n
}

//go:noinline
func Sum(v []int64, f float64, p Point) int64 {
	var t int64
	for _, x := range v {
		t += x
	}
	return t + int64(f+p.X+p.Y)
}

//go:noinline
func (b *Box) Put(it Item, more ...string) int {
	touch(it.Name)
	touch(it.Tags...)
	touch(more...)
	b.items = append(b.items, it)
	return len(b.items) + len(more)
}

//go:noinline
func (p Pair[T]) Swap() Pair[T] { return Pair[T]{p.b, p.a} }

// The array is on the stack, what follows it is not.
//
//go:noinline
func Mixed(a [2]int32, b uint8, _ int, c [1]int16, e error, d complex64) (n int, err error) {
	return int(a[1]) + int(b) + int(c[0]) + int(real(d)), e
}

// More than there are registers.
//
//go:noinline
func Many(a, b, c, d, e, f, g, h, i int, j string, k int8, l int64) int {
	touch(j)
	return a + b + c + d + e + f + g + h + i + len(j) + int(k) + int(l)
}

//go:noinline
func Deep(n int) int {
	var pad [64]int
	atomic.AddInt64(&calls, 1)
	pad[n%64] = n
	if n == 0 {
		Bottom()
		return pad[0]
	}
	return Deep(n-1) + pad[n%64] - n + 1
}

//go:noinline
func Bottom() { runtime.Gosched() }

//go:noinline
func Mark(id int) {
	atomic.StoreInt64(&marked, int64(id))
	runtime.Gosched()
}

// An argument that is not used: Go does not keep it while the stack grows.
//
//go:noinline
func Unused(id int) { runtime.Gosched() }

var marked int64

func own() int {
	var text [64]byte
	id, _ := strconv.Atoi(strings.Fields(string(text[:runtime.Stack(text[:], false)]))[1])
	return id
}

//go:noinline
func Again() { runtime.Gosched() }

func some(depth int) {
	b := &Box{}
	Text("hello", depth)
	Text("", -1)
	Sum([]int64{1, -2, 3}, 2.5, Point{-0.25, 1e10})
	Sum(nil, -1.5, Point{})
	b.Put(Item{"nut", []string{"a", "bc"}, 7, true}, "x", "y", "z")
	b.Put(Item{Size: -7})
	Pair[int32]{3, 4}.Swap()
	Mixed([2]int32{5, 6}, 200, 1, [1]int16{-9}, nil, complex(1.5, 2))
	Many(1, 2, 3, 4, 5, 6, 7, 8, 9, "ten", -11, 12)
}

func main() {
	depth, _ := strconv.Atoi(os.Args[1])
	some(depth)
	Again()
	some(depth)
	fmt.Printf(`Text "hello" %d
Text "" -1
Sum 3 [1, -2, 3] 2.500000 {.X=-0.250000, .Y=10000000000.000000}
Sum 0 [] -1.500000 {.X=0.000000, .Y=0.000000}
Put 0 {.Name="nut", .Tags=["a", "bc"], .Size=7, .Ok=1} ["x", "y", "z"]
Put 1 {.Name="", .Tags=[], .Size=-7, .Ok=0} []
Swap 3 4
Mixed 6 200 -9
Many 1 9 "ten" -11 12
`, depth)
	var wait sync.WaitGroup
	var lock sync.Mutex
	for i := 0; i < 8; i++ {
		wait.Add(1)
		go func(i int) {
			defer wait.Done()
			Deep(depth + i)
			lock.Lock()
			for k := 0; k < 3; k++ {
				id := own()
				Mark(id)
				Unused(id)
				fmt.Printf("Mark %d\n", id)
			}
			lock.Unlock()
		}(i)
	}
	wait.Wait()
	fmt.Printf("calls %d\n", calls)
}
