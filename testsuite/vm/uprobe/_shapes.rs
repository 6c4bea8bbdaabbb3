// SPDX-License-Identifier: GPL-2.0-or-later
// Paths, enums, strings and results of Rust whose values are known.
mod geo {
    pub trait Shape {
        fn area(&self) -> i32;
    }
    pub struct Circle {
        pub radius: i32,
        pub label: String,
    }
    pub enum Kind {
        Empty,
        Number(i32),
        Named { text: String, size: u64 },
    }
    impl Circle {
        #[inline(never)]
        pub fn grow(&mut self, by: i32) -> i32 {
            self.radius += by;
            self.radius
        }
    }
    impl Shape for Circle {
        #[inline(never)]
        fn area(&self) -> i32 {
            self.radius * self.radius
        }
    }
    #[inline(never)]
    pub fn biggest<T: PartialOrd>(a: T, b: T) -> T {
        if a > b { a } else { b }
    }
    #[inline(never)]
    pub fn look(kind: &Kind, text: &str, list: &Vec<i32>) -> usize {
        let size = match kind {
            Kind::Empty => 0,
            Kind::Number(number) => *number as usize,
            Kind::Named { text, size } => text.len() + *size as usize,
        };
        size + std::hint::black_box(text).len() + list.len()
    }
    #[inline(never)]
    pub fn find(list: &[i32], wanted: i32) -> Option<u64> {
        list.iter().position(|n| *n == wanted).map(|at| at as u64)
    }
}
use geo::Shape;
use std::hint::black_box;

fn main() {
    let mut circle = geo::Circle { radius: black_box(3), label: String::from("round") };
    let list = black_box(vec![4, 5, 6]);
    println!("{} {} {}", circle.grow(black_box(4)), circle.area(), circle.label);
    println!("{} {}", geo::biggest(black_box(3), 4), geo::biggest(black_box(2u64), 1));
    println!("{}", geo::look(black_box(&geo::Kind::Empty), black_box("hello"), &list));
    println!("{}", geo::look(black_box(&geo::Kind::Number(-7)), "", &list));
    println!("{}", geo::look(black_box(&geo::Kind::Named { text: String::from("abc"), size: 9 }), "x", &list));
    println!("{:?} {:?}", geo::find(&list, black_box(6)), geo::find(&list, black_box(7)));
}
