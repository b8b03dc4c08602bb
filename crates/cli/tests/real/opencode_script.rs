//! What the model answers in the scenes of an OpenCode server.

use ralph_testkit::models::{Call, Fault, Reply, Script, Turn};
use serde_json::{Value, json};

fn done() -> Turn {
    Turn::say("Everything is done and checked.\n\n<promise>{promise}</promise>")
}

/// What each prompt is answered, by a word in it.
pub(crate) fn script() -> Script {
    let write = Call::Write { path: "made.txt".into(), content: "made by a tool\n".to_owned() };
    let wait = || Turn::call("I wait.", Call::Shell("sleep 297".to_owned()));
    let tool = |name: &str, arguments: Value| Call::Tool { name: name.to_owned(), arguments };
    let todos = json!({ "todos": [{ "content": "it", "status": "completed", "priority": "high" }] });
    let limited = |retry_after, times| Turn::fault(Fault::RateLimit { retry_after, times });
    let status = |code, times| Turn::fault(Fault::Status { code, times });
    let cut =
        Fault::BrokenStream { say: "A sentence that is cut short before its end.".to_owned(), times: 1 };
    let slow = Reply {
        say: format!("{}\n\n<promise>{{promise}}</promise>", "slow words ".repeat(150)),
        ..Reply::default()
    };
    Script::default()
        .on("scene-limited", [limited(Some(1), Fault::ALWAYS)])
        .on("scene-waits", [limited(None, 1), status(500, 1), Turn::fault(cut), done()])
        .on("scene-refused", [status(401, Fault::ALWAYS)])
        .on("scene-overloaded", [status(500, Fault::ALWAYS)])
        .on("scene-works", [wait(), done()])
        .on("scene-hangs", [Turn::fault(Fault::Hang)])
        .on("scene-slow", [Turn::from(Reply { bytes_per_second: Some(3_000), ..slow })])
        .on("scene-todo", [Turn::call("I list it.", tool("todowrite", todos)), Turn::say("All is done.")])
        .on(
            "scene-tool",
            [Turn::call("I say so.", tool("task_complete", json!({}))), Turn::say("All is done.")],
        )
        .on("This is iteration 1 of", [Turn::call("I write the file.", write), Turn::say("More is to do.")])
        .on("This is iteration 2 of", [Turn::say("I looked at it; more is to do.")])
        .on("This is iteration 3 of", [done()])
}

/// Three iterations that each take seconds, as those of real models do.
pub(crate) fn unhurried() -> Script {
    let slowly = |last: &str| {
        let say = format!("{}\n\n{last}", "slow words ".repeat(40));
        Turn::from(Reply { say, bytes_per_second: Some(2_000), ..Reply::default() })
    };
    Script::default()
        .on("This is iteration 1 of", [slowly("More is to do.")])
        .on("This is iteration 2 of", [slowly("I looked at it; more is to do.")])
        .on("This is iteration 3 of", [slowly("<promise>{promise}</promise>")])
}
