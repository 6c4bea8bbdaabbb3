// SPDX-License-Identifier: GPL-2.0-or-later
// Stacks as Rust makes them: generic and boxed closures, traits, sorting, recursion, unwinding, threads. All end in burn().
use std::hint::black_box;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::Barrier;
use std::thread;

// The process's mappings do not change any more when the stacks are walked.
static STARTED: Barrier = Barrier::new(8);

#[no_mangle]
#[inline(never)]
pub extern "C" fn burn(value: u64) -> u64 {
    let mut sum = value;
    loop {
        sum = black_box(sum.wrapping_mul(31).wrapping_add(7));
        if sum == 1 && black_box(false) {
            return sum;
        }
    }
}

trait Step {
    fn go(&self, value: u64) -> u64;
}

struct Text(String);
struct Boxed(Box<dyn Fn(u64) -> u64>);

impl Step for Text {
    #[inline(never)]
    fn go(&self, value: u64) -> u64 {
        let mut words: Vec<String> = self.0.split(' ').map(|word| format!("{word}{value}")).collect();
        words.sort_by(|a, b| {
            if value > 2 {
                burn(value);
            }
            a.len().cmp(&b.len())
        });
        words.len() as u64
    }
}

impl Step for Boxed {
    #[inline(never)]
    fn go(&self, value: u64) -> u64 {
        (self.0)(value) + 1
    }
}

#[inline(never)]
fn recurse(depth: u64, steps: &[Box<dyn Step>]) -> u64 {
    let room = black_box([depth; 9]);
    if depth == 0 {
        STARTED.wait();
        return steps.iter().fold(0, |sum, step| sum + step.go(sum + 1));
    }
    recurse(depth - 1, steps) + room[(depth % 9) as usize]
}

fn all(depth: u64) -> u64 {
    let steps: Vec<Box<dyn Step>> = vec![
        Box::new(Boxed(Box::new(move |value| value + depth))),
        Box::new(Text(String::from("several words of text to sort"))),
    ];
    catch_unwind(AssertUnwindSafe(|| recurse(depth, black_box(&steps)))).unwrap_or(0)
}

fn main() {
    let threads: Vec<_> = (1..8).map(|i| thread::spawn(move || all(i * 5))).collect();
    all(100);
    for thread in threads {
        let _ = thread.join();
    }
}
