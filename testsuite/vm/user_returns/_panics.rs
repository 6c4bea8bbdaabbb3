// SPDX-License-Identifier: GPL-2.0-or-later
// Panics that pass through functions and are caught; it counts the returns.
use std::panic;
use std::thread;

#[inline(never)]
pub fn even(n: i64) -> i64 {
    if n % 2 == 1 {
        panic!("odd");
    }
    n * 3
}

#[inline(never)]
pub fn through(n: i64) -> i64 {
    let text = format!("{}", n); // to be dropped by the panic
    even(n) + text.len() as i64
}

#[inline(never)]
pub fn outer(n: i64) -> i64 {
    match panic::catch_unwind(|| through(n)) {
        Ok(value) => value + 1,
        Err(_) => -1,
    }
}

fn work() -> (i64, i64, i64) {
    let (mut returned, mut sum, mut all) = (0, 0, 0);
    for n in 0..500 {
        let value = outer(n);
        all += value;
        if value >= 0 {
            returned += 1;
            sum += value - 1;
        }
    }
    (returned, sum, all)
}

fn main() {
    panic::set_hook(Box::new(|_| {}));
    let threads: Vec<_> = (0..4).map(|_| thread::spawn(work)).collect();
    let (mut returned, mut sum, mut all) = (0, 0, 0);
    for each in threads {
        let (r, s, a) = each.join().unwrap();
        returned += r;
        sum += s;
        all += a;
    }
    println!("even {}\nthrough {} {}\nouter {} {}", returned, returned, sum, 4 * 500, all);
}
