//! Ralph's hooks in a host's settings: put in, known again, taken out.

use serde::Serialize;

use super::edit::{Layout, append, is_bare, is_made, is_remarked, remove};
use super::tree::{BadSettings, Kind, Member, Node, bad, read};

/// One hook: which event, and what is started for how long at most, in the host's own unit of time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) event: &'static str,
    pub(crate) command: String,
    pub(crate) timeout: u64,
}

/// All that is put into one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Hooks {
    pub(crate) entries: Vec<Entry>,
    /// A variable that the host reads, where nobody has set it: its name, and its value before those of earlier versions.
    pub(crate) variable: Option<(&'static str, &'static [&'static str])>,
}

/// What is left of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Stripped {
    Text(String),
    /// It was made for the hooks, and nothing else is in it.
    Nothing,
}

#[derive(Serialize)]
struct Group<'a> {
    hooks: [Hook<'a>; 1],
}

#[derive(Serialize)]
struct Hook<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    command: &'a str,
    timeout: u64,
}

const HOOKS: &str = "hooks";
const ENV: &str = "env";

impl Hooks {
    /// A file with the hooks in it and nothing else.
    pub(crate) fn alone(&self) -> String {
        let layout = Layout { unit: "  ".to_owned(), line_end: "\n" };
        let mut text = String::from("{}\n");
        for entry in &self.entries {
            text = add(&text, entry, &layout).expect("what was written here can be read");
        }
        text = self.set(text, &layout).expect("what was written here can be read");
        // It begins with a line of its own, by which it is known to have been made whole.
        text.replacen('{', "{\n  ", 1).replacen("}}\n", "}\n}\n", 1)
    }

    /// A person's file with the hooks in it, wherever those of an earlier time were.
    pub(crate) fn put_into(
        &self,
        text: &str,
        is_ours: &impl Fn(&str) -> bool,
    ) -> Result<String, BadSettings> {
        let mut text = match self.strip(text, is_ours)? {
            Stripped::Text(text) => text,
            Stripped::Nothing => return Ok(self.alone()),
        };
        let layout = Layout::of(&text, &read(&text)?);
        for entry in &self.entries {
            text = add(&text, entry, &layout)?;
        }
        self.set(text, &layout)
    }

    fn set(&self, text: String, layout: &Layout) -> Result<String, BadSettings> {
        let Some((name, [value, ..])) = self.variable else { return Ok(text) };
        let root = read(&text)?;
        let member = format!("{}: {}", quoted(name), quoted(value));
        match root.get(ENV) {
            None => {
                let made = format!("\"{ENV}\": {{{}{member}{}}}", layout.line(2), layout.line(1));
                Ok(append(&text, &root, &made, &layout.line(1)))
            }
            Some(env) if !matches!(env.kind, Kind::Object(_)) => {
                Err(bad(&text, env.span.start, "`env` is not an object"))
            }
            Some(env) if env.get(name).is_some() => Ok(text),
            Some(env) => Ok(append(&text, env, &member, &layout.line(2))),
        }
    }

    /// The file as it was before.
    pub(crate) fn strip(&self, text: &str, is_ours: &impl Fn(&str) -> bool) -> Result<Stripped, BadSettings> {
        let mut text = text.to_owned();
        // Whoever has none of the hooks has set the variable themselves.
        let is_there = Known { text: &text, is_ours, variable: None }.has_hooks(&read(&text)?);
        let variable = self.variable.filter(|_| is_there);
        loop {
            let root = read(&text)?;
            let known = Known { text: &text, is_ours, variable };
            if known.is_whole(&root) {
                return Ok(Stripped::Nothing);
            }
            let Some((container, number)) = known.last(&root) else { return Ok(Stripped::Text(text)) };
            text = remove(&text, container, number);
        }
    }

    /// How many events of these have their hook, as it would be written now.
    pub(crate) fn are_in(&self, text: &str, is_ours: &impl Fn(&str) -> bool) -> bool {
        self.put_into(text, is_ours).is_ok_and(|with| with == text)
    }
}

/// What is ralph's in a file: each command with the event that it is started at. Nothing of what cannot be read.
pub(crate) fn commands_in(text: &str, is_ours: &impl Fn(&str) -> bool) -> Vec<(String, String)> {
    let Ok(root) = read(text) else { return Vec::new() };
    let events = root.get(HOOKS).map_or(&[][..], Node::members);
    let of = |event: &Member| {
        let hooks = event.value.items().iter().filter_map(|group| group.get(HOOKS)).flat_map(Node::items);
        let commands = hooks.filter_map(|hook| hook.get("command").and_then(Node::text));
        let ours = commands.filter(|command| is_ours(command));
        ours.map(|command| (event.key.clone(), command.to_owned())).collect::<Vec<_>>()
    };
    events.iter().flat_map(of).collect()
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn add(text: &str, entry: &Entry, layout: &Layout) -> Result<String, BadSettings> {
    let root = read(text)?;
    let hook = Hook { kind: "command", command: &entry.command, timeout: entry.timeout };
    let group = |depth: usize| pretty(&Group { hooks: [hook] }, layout, depth);
    let array = |depth: usize, group: String| {
        format!("\"{}\": [{}{group}{}]", entry.event, layout.line(depth + 1), layout.line(depth))
    };
    let Some(hooks) = root.get(HOOKS) else {
        let made = format!("\"{HOOKS}\": {{{}{}{}}}", layout.line(2), array(2, group(3)), layout.line(1));
        return Ok(append(text, &root, &made, &layout.line(1)));
    };
    if !matches!(hooks.kind, Kind::Object(_)) {
        return Err(bad(text, hooks.span.start, "`hooks` is not an object"));
    }
    match hooks.get(entry.event) {
        None => Ok(append(text, hooks, &array(2, group(3)), &layout.line(2))),
        Some(groups) if !matches!(groups.kind, Kind::Array(_)) => {
            let what = format!("`hooks.{}` is not a list", entry.event);
            Err(bad(text, groups.span.start, what))
        }
        Some(groups) => Ok(append(text, groups, &group(3), &layout.line(3))),
    }
}

fn pretty(group: &Group<'_>, layout: &Layout, depth: usize) -> String {
    let mut bytes = Vec::new();
    let formatter = serde_json::ser::PrettyFormatter::with_indent(layout.unit.as_bytes());
    let mut writer = serde_json::Serializer::with_formatter(&mut bytes, formatter);
    group.serialize(&mut writer).expect("texts and numbers are JSON");
    String::from_utf8(bytes).expect("JSON is text").replace('\n', &layout.line(depth))
}

/// What is ralph's in a file.
struct Known<'a, F> {
    text: &'a str,
    is_ours: &'a F,
    variable: Option<(&'static str, &'static [&'static str])>,
}

impl<F: Fn(&str) -> bool> Known<'_, F> {
    /// The whole file was made for the hooks.
    fn is_whole(&self, root: &Node) -> bool {
        let around = [&self.text[..root.span.start], &self.text[root.span.end..]];
        around.iter().all(|text| text.trim_matches('\u{feff}').trim().is_empty())
            && self.is_untouched(root)
            && root.members().iter().all(|member| match member.key.as_str() {
                HOOKS => self.is_hooks(member),
                ENV => self.is_env(member),
                _ => false,
            })
    }

    /// A container was made for what is in it, and nobody has written a remark there since.
    fn is_untouched(&self, container: &Node) -> bool {
        is_made(self.text, container) && is_bare(self.text, container)
    }

    fn is_untouched_member(&self, member: &Member) -> bool {
        self.is_untouched(&member.value) && !is_remarked(self.text, member)
    }

    fn has_hooks(&self, root: &Node) -> bool {
        let events = root.get(HOOKS).map_or(&[][..], Node::members);
        let groups = events.iter().flat_map(|event| event.value.items());
        let mut hooks = groups.filter_map(|group| group.get(HOOKS)).flat_map(Node::items);
        hooks.any(|hook| self.is_hook(hook))
    }

    fn is_hooks(&self, hooks: &Member) -> bool {
        self.is_untouched_member(hooks) && hooks.value.members().iter().all(|event| self.is_event(event))
    }

    fn is_event(&self, event: &Member) -> bool {
        self.is_untouched_member(event) && event.value.items().iter().all(|group| self.is_group(group))
    }

    fn is_group(&self, group: &Node) -> bool {
        let hooks = group.get(HOOKS).map_or(&[][..], Node::items);
        !hooks.is_empty() && hooks.iter().all(|hook| self.is_hook(hook))
    }

    fn is_hook(&self, hook: &Node) -> bool {
        hook.get("command").and_then(Node::text).is_some_and(self.is_ours)
    }

    fn is_env(&self, env: &Member) -> bool {
        let all = 0..env.value.members().len();
        self.is_untouched_member(env) && all.into_iter().all(|number| self.is_variable(&env.value, number))
    }

    fn is_variable(&self, env: &Node, number: usize) -> bool {
        let member = &env.members()[number];
        let is_value = |values: &[&str]| member.value.text().is_some_and(|text| values.contains(&text));
        self.variable.is_some_and(|(name, values)| member.key == name && is_value(values))
    }

    /// The last thing that is ralph's, in what it stands, so that what was put in last goes first.
    fn last<'n>(&self, root: &'n Node) -> Option<(&'n Node, usize)> {
        root.members().iter().enumerate().rev().find_map(|(number, member)| match member.key.as_str() {
            HOOKS if self.is_hooks(member) => Some((root, number)),
            HOOKS => self.last_hook(&member.value),
            ENV if self.is_env(member) => Some((root, number)),
            ENV => {
                let env = &member.value;
                let found = (0..env.members().len()).rev().find(|number| self.is_variable(env, *number));
                found.map(|number| (env, number))
            }
            _ => None,
        })
    }

    fn last_hook<'n>(&self, hooks: &'n Node) -> Option<(&'n Node, usize)> {
        hooks.members().iter().enumerate().rev().find_map(|(number, event)| {
            let groups = &event.value;
            if self.is_event(event) {
                return Some((hooks, number));
            }
            groups.items().iter().enumerate().rev().find_map(|(number, group)| {
                if self.is_group(group) {
                    return Some((groups, number));
                }
                let inner = group.get(HOOKS)?;
                let found = inner.items().iter().rposition(|hook| self.is_hook(hook))?;
                Some((inner, found))
            })
        })
    }
}
