# SPDX-License-Identifier: GPL-2.0-or-later
"""Random programs in Rust, with panics in four threads, and in Go, with a thousand goroutines whose stacks grow: for _generate.py.

rust() and go() return (name of the source, command that compiles it, its text).
"""
FUNCTIONS = 8


class Function:
    """A function f0 to f7; what both languages have in common."""

    def __init__(self, rng, number):
        self.rng, self.number = rng, number

    def value(self):
        return self.rng.choice(["a * 3 + b", "a ^ b", "x", "x + a", "-x", "b - a", "(a << 2) + 1"])

    def test(self):
        rng = self.rng
        return rng.choice([f"(a ^ b) % {rng.randrange(2, 7)} == 0", f"x % {rng.randrange(2, 9)} == 1",
                           f"a > {rng.randrange(60)}", f"(b & {rng.choice([1, 2, 4])}) != 0"])

    def call(self):
        rng = self.rng
        return f"f{rng.randrange(FUNCTIONS)}((a + {rng.randrange(50)}) % {rng.randrange(3, 99)}, x % {rng.randrange(2, 77)}{self.rest})"

    def done(self):
        return f"return done({self.number}, a, ({self.value()}) % 100003);"

    def statement(self, depth):
        rng = self.rng
        kind = rng.randrange(9 if depth else 4)
        if kind == 0:
            return f"if {self.test()} {{ {self.done()} }}"
        if kind in (1, 2):
            return f"x += {self.call()};"
        if kind == 3:
            return f"if x % {rng.randrange(11, 40)} == 3 {{ {self.leave()} }}"
        if kind == 4:
            return f"for {self.turns} {{ {self.statement(depth - 1)} }}"
        if kind == 5:
            return f"if {self.test()} {{ {self.statement(depth - 1)} }} else {{ {self.statement(depth - 1)} }}"
        if kind in (6, 7):
            return self.caught()
        return f"x = x % 100003 * 5 + {rng.randrange(100)};"

    def body(self):
        return "\n    ".join(self.statement(2) for _ in range(self.rng.randrange(2, 7)))


class OfRust(Function):
    rest = ""
    turns = "_ in 0..(a & 3)"

    def leave(self):
        return self.rng.choice(['panic!("{}", x);', "panic::resume_unwind(Box::new(x));"])

    def caught(self):
        return f"match panic::catch_unwind(move || {self.call()}) {{ Ok(v) => x += v, Err(_) => x += 7 }}"

    def text(self):
        # A text is to be dropped when a panic passes.
        held = 'let text = format!("{}", a); x += text.len() as i64;' if self.rng.random() < 0.5 else ""
        return f"""
#[no_mangle]
#[inline(never)]
pub fn f{self.number}(a: i64, b: i64) -> i64 {{
    let mut x = a - b;
    CALLS.fetch_add(1, Relaxed);
    if burn() < 0 {{ return done({self.number}, a, x % 100003); }}
    {held}
    {self.body()}
    return done({self.number}, a, x % 100003);
}}
"""


RUST = """#![allow(warnings)]
use std::cell::Cell;
use std::panic;
use std::sync::atomic::{AtomicI64, Ordering::Relaxed};
const ZERO: AtomicI64 = AtomicI64::new(0);
static RETURNED: [AtomicI64; 8] = [ZERO; 8];
static RESULTS: [AtomicI64; 8] = [ZERO; 8];
static GIVEN: [AtomicI64; 8] = [ZERO; 8];
static CALLS: AtomicI64 = ZERO;
static DEEP: AtomicI64 = ZERO;
static DEPTHS: AtomicI64 = ZERO;
thread_local! { static FUEL: Cell<i64> = Cell::new(0); }
fn burn() -> i64 { FUEL.with(|f| { f.set(f.get() - 1); f.get() }) }
#[inline(always)]
fn done(f: usize, a: i64, v: i64) -> i64 {
    RETURNED[f].fetch_add(1, Relaxed);
    RESULTS[f].fetch_add(v, Relaxed);
    GIVEN[f].fetch_add(a, Relaxed);
    v
}
static TABLE: [fn(i64, i64) -> i64; 8] = [f0, f1, f2, f3, f4, f5, f6, f7];
#[no_mangle]
#[inline(never)]
pub fn deep(n: i64) -> i64 {
    CALLS.fetch_add(1, Relaxed);
    let depth = std::hint::black_box(if n > 0 { deep(n - 1) + 1 } else { 0 });
    DEEP.fetch_add(1, Relaxed);
    DEPTHS.fetch_add(n, Relaxed);
    depth
}
fn rounds(total: i64, first: i64) {
    let mut i = first;
    while i < 10 * total && RETURNED.iter().map(|n| n.load(Relaxed)).sum::<i64>() < total {
        FUEL.with(|f| f.set(40));
        let _ = panic::catch_unwind(move || TABLE[(i % 8) as usize](i % 97, i));
        i += 4;
    }
}
fn main() {
    let given: Vec<i64> = std::env::args().skip(1).map(|s| s.parse().unwrap()).collect();
    panic::set_hook(Box::new(|_| {}));
    let total = given[0];
    let threads: Vec<_> = (0..4).map(|n| std::thread::spawn(move || rounds(total, n))).collect();
    for each in threads { each.join().unwrap(); }
    let depth = given[1];
    std::thread::Builder::new().stack_size(64 << 20).spawn(move || deep(depth)).unwrap().join().unwrap();
    for f in 0..8 {
        let n = RETURNED[f].load(Relaxed);
        if n > 0 { println!("{}::f{} {} {} {}", module_path!(), f, n, RESULTS[f].load(Relaxed), GIVEN[f].load(Relaxed)); }
    }
    println!("deep {} {}", DEEP.load(Relaxed), DEPTHS.load(Relaxed));
    println!("calls {}", CALLS.load(Relaxed));
    std::process::exit(3);
}
"""


def rust(rng, name):
    level = rng.choice(["0", "1", "2", "3", "s"])
    command = f"rustc -g -C opt-level={level} -C overflow-checks=off -C debug-assertions=off --crate-name {name} -o {name} {name}.rs"
    return f"{name}.rs", command, RUST + "".join(OfRust(rng, n).text() for n in range(FUNCTIONS))


class OfGo(Function):
    rest = ", fuel"
    turns = "i := int64(0); i < a & 3; i++"

    def leave(self):
        return self.rng.choice(["panic(x);", "runtime.Gosched();"])

    def caught(self):
        return f"x += caught(func() int64 {{ return {self.call()} }});"

    def text(self):
        words = self.rng.choice([2, 16, 64, 200])
        return f"""
//go:noinline
func f{self.number}(a, b int64, fuel *int64) int64 {{
    var pad [{words}]int64
    x := a - b
    atomic.AddInt64(&calls, 1)
    *fuel -= 1
    if *fuel < 0 {{ return done({self.number}, a, x % 100003) }}
    pad[uint64(b) % {words}] = a
    {self.body()}
    return done({self.number}, a, (x + pad[uint64(b) % {words}]) % 100003)
}}
"""


GO = """package main
import (
    "fmt"
    "os"
    "runtime"
    "strconv"
    "sync"
    "sync/atomic"
)
var returned, results, given [8]int64
var calls, deeps, depths int64
func done(f int, a, v int64) int64 {
    atomic.AddInt64(&returned[f], 1)
    atomic.AddInt64(&results[f], v)
    atomic.AddInt64(&given[f], a)
    return v
}
func caught(call func() int64) (result int64) {
    defer func() {
        if recover() != nil { result = 7 }
    }()
    return call()
}
//go:noinline
func deep(n int64) int64 {
    atomic.AddInt64(&calls, 1)
    depth := int64(0)
    if n > 0 { depth = deep(n - 1) + 1 }
    atomic.AddInt64(&deeps, 1)
    atomic.AddInt64(&depths, n)
    return depth
}
func all() (sum int64) {
    for f := range returned { sum += atomic.LoadInt64(&returned[f]) }
    return
}
func main() {
    table := []func(a, b int64, fuel *int64) int64{f0, f1, f2, f3, f4, f5, f6, f7}
    total, _ := strconv.ParseInt(os.Args[1], 10, 64)
    depth, _ := strconv.ParseInt(os.Args[2], 10, 64)
    for wave := int64(0); all() < total && wave < total; wave++ {
        var wait sync.WaitGroup
        for i := int64(0); i < 1000; i++ {
            wait.Add(1)
            go func(i int64) {
                defer wait.Done()
                fuel := int64(40)
                for round := int64(0); round < 1 + total / 100000; round++ {
                    caught(func() int64 { return table[(i + round) % 8](i % 97, i + wave, &fuel) })
                    fuel = 40
                }
            }(i)
        }
        wait.Wait()
    }
    deep(depth)
    for f := range returned {
        if returned[f] > 0 { fmt.Printf("main.f%d %d %d %d\\n", f, returned[f], results[f], given[f]) }
    }
    runtime.Gosched()
    fmt.Printf("deep %d %d\\ncalls %d\\n", deeps, depths, calls)
    os.Exit(3)
}
"""


def go(rng, name):
    optimized = "" if rng.random() < 0.6 else "-gcflags='-N -l' "
    command = f"GO111MODULE=off GOCACHE=$PWD/cache GOTMPDIR=$PWD go build {optimized}-o {name} {name}.go"
    return f"{name}.go", command, GO + "".join(OfGo(rng, n).text() for n in range(FUNCTIONS))
