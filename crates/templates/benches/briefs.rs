//! What a brief costs: reading the template, gathering the variables, rendering; beside the handlebars crate doing the
//! same.
//!
//! `cargo bench -p ralph-templates --bench briefs`

#![expect(clippy::unwrap_used, reason = "what a benchmark cannot make, it ends for")]

#[path = "../tests/templates/support.rs"]
mod support;

use std::hint::black_box;
use std::time::Instant;

use handlebars::Handlebars;
use ralph_templates::built_in;
use support::{compile, full, minimal, rendered};

const ROUNDS: usize = 5;
const TIMES: u32 = 1_000;

fn main() {
    // Without it this is a test run of all targets, which is no time to measure.
    if !std::env::args().any(|flag| flag == "--bench") {
        return;
    }
    println!("| what | µs, median of {ROUNDS} |\n|---|---:|");
    let (_, text) = built_in("prd");
    let template = compile(text).unwrap();
    let (vars, first) = (full(), minimal());
    println!("| (a template of {} bytes, a brief of {}) | |", text.len(), rendered(text, &vars).len());
    told("read and check the template", || drop(black_box(compile(text))));
    told("a run and the variables of an attempt", || drop(black_box(full())));
    told("render the brief", || drop(black_box(template.render(&vars))));
    told("render that of a first iteration", || drop(black_box(template.render(&first))));
    let mut peer = Handlebars::new();
    peer.register_escape_fn(handlebars::no_escape);
    told("handlebars: read the template", || drop(black_box(handlebars::Template::compile(text))));
    peer.register_template_string("prd", text).unwrap();
    told("handlebars: render the brief", || drop(black_box(peer.render("prd", &vars))));
}

fn told(what: &str, work: impl Fn()) {
    let round = |_| {
        let begun = Instant::now();
        (0..TIMES).for_each(|_| work());
        begun.elapsed().as_secs_f64() * 1e6 / f64::from(TIMES)
    };
    let mut times: Vec<f64> = (0..ROUNDS).map(round).collect();
    times.sort_by(f64::total_cmp);
    println!("| {what} | {:.1} |", times[ROUNDS / 2]);
}
