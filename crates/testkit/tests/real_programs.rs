//! The real agent programs, run directly against a scripted model server.

use std::collections::VecDeque;
use std::sync::Mutex;
use std::time::Duration;

use ralph_testkit::models::Answered;
use ralph_testkit::programs::{End, Play, Program, Programs, Scenario, install, target_dir};

const DEADLINE: Duration = Duration::from_secs(120);
/// Programs that run at the same time.
const SIDE_BY_SIDE: usize = 2;

/// One line of the table at the end.
struct Row {
    program: Program,
    claim: &'static str,
    result: Result<(), String>,
    took: Duration,
}

#[test]
fn every_program_speaks_writes_waits_and_promises() {
    let programs = install(&target_dir()).unwrap();
    let scenes = [Scenario::Text, Scenario::Write, Scenario::LimitedOnce];
    let scenes = scenes.into_iter().flat_map(|scene| Program::ALL.map(|program| (program, scene)));
    // A queue that two threads take from and a list that they add to.
    let (waiting, rows) = (Mutex::new(scenes.collect::<VecDeque<_>>()), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..SIDE_BY_SIDE {
            scope.spawn(|| {
                while let Some((program, scene)) = next(&waiting) {
                    let played = rows_of(&programs, program, scene);
                    rows.lock().unwrap().extend(played);
                }
            });
        }
    });
    let mut rows = rows.into_inner().unwrap();
    rows.sort_by_key(|row| row.program);
    print!("{}", table(&programs, &rows));
    let failures: Vec<_> =
        rows.iter().filter_map(|row| Some((row.program, row.claim, row.result.clone().err()?))).collect();
    assert!(failures.is_empty(), "{failures:#?}");
    assert_eq!(rows.len(), Program::ALL.len() * 4);
}

fn next(waiting: &Mutex<VecDeque<(Program, Scenario)>>) -> Option<(Program, Scenario)> {
    waiting.lock().expect("no holder panics").pop_front()
}

fn rows_of(programs: &Programs, program: Program, scene: Scenario) -> Vec<Row> {
    let world = tempfile::tempdir().expect("a temporary directory");
    let play = scene.play(programs, program, DEADLINE, world.path()).expect("the program starts");
    let row = |claim, result| Row { program, claim, result, took: play.ended.took };
    match scene {
        Scenario::Text => vec![row("says a text", said(&play, "Hello from the scripted model."))],
        Scenario::Write => {
            let promise = format!("\n<promise>{}</promise>", Scenario::WORD);
            vec![row("writes a file", wrote(&play)), row("gives the promise", said(&play, &promise))]
        }
        Scenario::LimitedOnce => vec![row("waits out a 429", waited(&play))],
        other => panic!("{other:?} is not among the scenes"),
    }
}

fn said(play: &Play, text: &str) -> Result<(), String> {
    let ended = &play.ended;
    if ended.end == End::Code(0) && play.final_message.as_ref().is_some_and(|said| said.contains(text)) {
        return Ok(());
    }
    Err(format!("{:?} without {text:?}\n{}\n{}\n{:#?}", ended.end, ended.stdout, ended.stderr, play.seen))
}

fn wrote(play: &Play) -> Result<(), String> {
    said(play, "The file is written.")?;
    match &play.written {
        Some(text) if text == Scenario::WRITTEN => Ok(()),
        other => Err(format!("out.txt holds {other:?}\n{}", play.ended.stdout)),
    }
}

fn waited(play: &Play) -> Result<(), String> {
    said(play, "Hello after the limit.")?;
    let faults = play.seen.iter().filter(|seen| matches!(seen.answered, Answered::Fault { .. })).count();
    if faults == 1 { Ok(()) } else { Err(format!("{faults} requests were refused")) }
}

fn table(programs: &Programs, rows: &[Row]) -> String {
    let mut table =
        String::from("\n| program | version | scenario | result | seconds |\n|---|---|---|---|---|\n");
    for row in rows {
        let result = if row.result.is_ok() { "ok" } else { "FAILED" };
        table += &format!(
            "| {} | {} | {} | {result} | {:.1} |\n",
            row.program.name(),
            programs.version(row.program),
            row.claim,
            row.took.as_secs_f64()
        );
    }
    table
}
