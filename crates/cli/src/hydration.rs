//! What an agent is told when a session begins or goes on: what is remembered of it.

use jiff::Timestamp;
use ralph_core::sessions::{Context, Hydration, Message, Role};
use ralph_engine::sessions::Resumed;

use crate::words::{since, span};

/// How much of each message is told again.
const LONGEST: usize = 600;

/// What there is to go on from. The agent of a session that goes on hears what was asked and said in it; that of one
/// that is older than half an hour hears its task alone, or what was last asked where it has none. `of_loop` is what is to be said of the loop that lives in the
/// session, and `notes` what the memory has for it, which may be long: hosts show the beginning of what is. Nothing is
/// nothing to say.
pub(crate) fn remembered(
    resumed: Option<&Resumed>,
    of_loop: Option<&str>,
    notes: &str,
    now: Timestamp,
) -> String {
    let of_session = resumed.map(|resumed| match resumed.how {
        Hydration::Kept => kept(resumed, now),
        Hydration::Anew => anew(resumed, now),
    });
    let parts = [of_loop, of_session.as_deref(), Some(notes)];
    parts.into_iter().flatten().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n\n")
}

fn kept(resumed: &Resumed, now: Timestamp) -> String {
    let ago = span(since(resumed.session.checkpoint_at, now));
    let mut text = format!("This session goes on from where it was {ago} ago.");
    let Context { asked, tool, error } = &resumed.session.context;
    for (what, told) in [("Last asked", asked), ("Last tool", tool), ("Last error", error)] {
        if let Some(told) = told {
            text += &format!("\n{what}: {}", short(told));
        }
    }
    if !resumed.messages.is_empty() {
        text += "\n\nThe last messages:";
        text.extend(resumed.messages.iter().map(line));
    }
    text
}

fn anew(resumed: &Resumed, now: Timestamp) -> String {
    let what = match (&resumed.task, &resumed.session.context.asked) {
        (Some(task), _) => format!("Its task:\n\n{}", task.body.trim_end()),
        (None, Some(asked)) => format!("Last asked: {}", short(asked)),
        (None, None) => return String::new(),
    };
    format!("{} {what}", too_old(resumed, now))
}

/// Why nothing that was said is told again.
pub(crate) fn too_old(resumed: &Resumed, now: Timestamp) -> String {
    let ago = span(since(resumed.session.checkpoint_at, now));
    format!("This session was last seen {ago} ago, which is too long to go by what was said.")
}

fn line(message: &Message) -> String {
    let who = match message.role {
        Role::User => "person",
        Role::Assistant => "agent",
    };
    let tools = match message.tools.len() {
        0 => String::new(),
        count => format!(" (tools used: {count}, the last {})", message.tools[count - 1]),
    };
    format!("\n- {who}{tools}: {}", short(&message.content))
}

/// In one line.
fn short(text: &str) -> String {
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if words.chars().count() <= LONGEST {
        return words;
    }
    words.chars().take(LONGEST).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use ralph_core::id::{AgentName, SessionId};
    use ralph_core::sessions::{Context, Hydration, Message, Mode, Role, Session, State};
    use ralph_core::task::Task;
    use ralph_engine::sessions::Resumed;

    use super::remembered;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(1_800_000_000 + second).unwrap()
    }

    fn resumed(how: Hydration) -> Resumed {
        let session = Session {
            no: 1,
            host: AgentName::parse("claude").unwrap(),
            session: SessionId::parse("s-1").unwrap(),
            directory: "/p".to_owned(),
            run: None,
            state: State::Active,
            mode: Mode::Agent,
            transcript: None,
            checkpoint_at: at(0),
            context: Context { asked: Some("mend the\nroof".to_owned()), tool: None, error: None },
            started_at: at(0),
            seen_at: at(0),
        };
        let message = |role, content: &str, tools: &[&str]| Message {
            id: None,
            role,
            content: content.to_owned(),
            tools: tools.iter().map(|&tool| tool.to_owned()).collect(),
            at: at(0),
        };
        let messages = vec![
            message(Role::User, "mend the\nroof", &[]),
            message(Role::Assistant, &"x".repeat(2_000), &["Read", "Bash"]),
        ];
        Resumed { session, how, messages, task: Some(Task::prompt("mend the roof\n")) }
    }

    #[test]
    fn what_was_said_is_told_again_and_after_half_an_hour_the_task_alone() {
        let kept = remembered(Some(&resumed(Hydration::Kept)), Some("A loop."), "", at(60));
        assert!(kept.contains("Last asked: mend the roof\n\nThe last messages:\n- person: mend the roof"));
        assert!(kept.contains("- agent (tools used: 2, the last Bash): xxx") && kept.ends_with("x…"));
        assert!(kept.starts_with("A loop.\n\nThis session goes on"), "{kept}");
        let anew = remembered(Some(&resumed(Hydration::Anew)), None, "", at(7_200));
        assert!(anew.ends_with("Its task:\n\nmend the roof") && !anew.contains("messages"), "{anew}");
    }

    #[test]
    fn a_session_of_which_nothing_is_known_is_told_nothing() {
        assert_eq!(remembered(None, None, "", at(0)), "");
        assert_eq!(remembered(None, Some("A loop."), "", at(0)), "A loop.");
        assert_eq!(remembered(None, Some("A loop."), "Notes.", at(0)), "A loop.\n\nNotes.");
        let mut bare = Resumed { task: None, ..resumed(Hydration::Anew) };
        let asked = remembered(Some(&bare), None, "Notes.", at(7_200));
        assert!(asked.ends_with("what was said. Last asked: mend the roof\n\nNotes."), "{asked}");
        bare.session.context.asked = None;
        assert_eq!(remembered(Some(&bare), None, "", at(7_200)), "");
    }
}
