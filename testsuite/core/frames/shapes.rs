// SPDX-License-Identifier: GPL-2.0-or-later
// As shapes.c, in Rust: --cfg shape="1" to "3".
use std::sync::atomic::{AtomicI64, Ordering};

static STATE: AtomicI64 = AtomicI64::new(0);
static SINK: AtomicI64 = AtomicI64::new(0);

#[inline(never)]
fn stop(here: i64) {
    if here == STATE.load(Ordering::Relaxed) {
        std::process::abort();
    }
    SINK.fetch_add(here, Ordering::Relaxed);
}

#[cfg(shape = "1")]
mod shape {
    use super::*;
    #[allow(dead_code)]
    pub struct Point {
        x: i32,
        y: i32,
        weight: u8,
    }
    #[inline(never)]
    fn deeper(depth: u32, point: &Point, step: i16, name: &str) -> i64 {
        let local = (depth as i64) * 3 + step as i64;
        let own = Point { x: point.x + 1, y: -(depth as i32), weight: depth as u8 };
        if depth == 0 {
            stop(1);
            return local + own.x as i64;
        }
        let result = deeper(depth - 1, &own, step - 2, name);
        if depth == 3 {
            stop(2);
        }
        result + local + name.len() as i64
    }
    #[inline(never)]
    fn slice(values: &[i64], least: i64) -> Option<i64> {
        let mut best = None;
        for (index, value) in values.iter().enumerate() {
            if *value > least {
                best = Some(*value + index as i64);
                stop(3);
            }
        }
        stop(4);
        best
    }
    pub fn run(count: usize) {
        let point = Point { x: count as i32, y: 2, weight: 7 };
        let number = deeper(5, &point, 9, "a name");
        let values = [1, 5, number, 3];
        let found = slice(&values, 4).unwrap_or(0);
        stop(5);
        SINK.store(found, Ordering::Relaxed);
    }
}

#[cfg(shape = "2")]
mod shape {
    use super::*;
    pub trait Area {
        fn area(&self, scale: i32) -> i64;
    }
    pub struct Square {
        side: i64,
    }
    pub struct Circle {
        radius: u16,
    }
    impl Area for Square {
        fn area(&self, scale: i32) -> i64 {
            let side = self.side * scale as i64;
            stop(1);
            side * side
        }
    }
    impl Area for Circle {
        fn area(&self, scale: i32) -> i64 {
            let squared = (self.radius as i64) * (self.radius as i64);
            stop(2);
            squared * 3 + scale as i64
        }
    }
    #[inline(never)]
    fn apply(call: &mut dyn FnMut(i64) -> i64, times: usize) -> i64 {
        let mut result = 1;
        for index in 0..times {
            result = call(result);
            if index == 2 {
                stop(3);
            }
        }
        result
    }
    pub fn run(count: usize) {
        let mut captured = count as i64 * 4;
        let mut add = |value: i64| {
            captured += value;
            if captured > 30 {
                stop(4);
            }
            captured - 1
        };
        let applied = apply(&mut add, 4);
        let shapes: Vec<Box<dyn Area>> =
            vec![Box::new(Square { side: applied }), Box::new(Circle { radius: count as u16 })];
        let mut total = 0;
        for shape in shapes.iter() {
            total += shape.area(2);
        }
        stop(5);
        SINK.store(total, Ordering::Relaxed);
    }
}

#[cfg(shape = "3")]
mod shape {
    use super::*;
    use std::collections::BTreeMap;
    use std::sync::mpsc;
    #[derive(Clone, Copy, PartialEq)]
    pub enum Order {
        Up,
        Down(i32),
    }
    #[inline(never)]
    fn walk(map: &BTreeMap<i32, i64>, order: Order, limit: i64) -> i64 {
        let mut sum = 0;
        for (key, value) in map.iter() {
            sum += *value * (*key as i64);
            if sum > limit {
                stop(1);
            }
        }
        if order != Order::Up {
            stop(2);
        }
        sum
    }
    pub fn run(count: usize) {
        let (sender, receiver) = mpsc::channel();
        let worker = std::thread::spawn(move || {
            let mut sent = 0i64;
            for index in 0..4i64 {
                sent += index;
                sender.send(sent).unwrap();
                if index == 2 {
                    stop(3);
                }
            }
            sent
        });
        let mut map = BTreeMap::new();
        for number in receiver.iter() {
            map.insert(number as i32, number * 10);
        }
        let sent = worker.join().unwrap();
        stop(4);
        let walked = walk(&map, Order::Down(count as i32), 200);
        stop(5);
        SINK.store(walked + sent, Ordering::Relaxed);
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    STATE.store(arguments[1].parse().unwrap(), Ordering::Relaxed);
    shape::run(arguments.len());
}
