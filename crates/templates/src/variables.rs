//! The variables that templates have: their names, what they are, and what they are for. What is checked, shown and
//! documented is read from here.

/// What a variable holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// Empty where there is nothing to say, which `#if` takes for no.
    Text,
    Number,
    Flag,
    /// Short words, for `#each`, or as they are with commas between.
    Names,
    /// For `#each`.
    List(&'static Shape),
    Object(&'static [Field]),
    /// Whatever the tracker has; names that are not there are empty.
    Open,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Field {
    pub name: &'static str,
    pub shape: Shape,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Variable {
    pub field: Field,
    pub about: &'static str,
    /// Whether ralph-tui has it too.
    pub shared: bool,
}

impl Shape {
    /// In words.
    pub fn name(&self) -> &'static str {
        match self {
            Shape::Text => "text",
            Shape::Number => "number",
            Shape::Flag => "yes or no",
            Shape::Names => "names",
            Shape::List(Shape::Object(_)) => "list of objects",
            Shape::List(_) => "list of texts",
            Shape::Object(_) => "object",
            Shape::Open => "object, as the tracker has it",
        }
    }

    /// The names below it: of an object, or of what a list consists of.
    pub fn fields(&self) -> &'static [Field] {
        match self {
            Shape::Object(fields) | Shape::List(Shape::Object(fields)) => fields,
            Shape::Text | Shape::Number | Shape::Flag | Shape::Names | Shape::List(_) | Shape::Open => &[],
        }
    }
}

const fn field(name: &'static str, shape: Shape) -> Field {
    Field { name, shape }
}

const fn shared(name: &'static str, shape: Shape, about: &'static str) -> Variable {
    Variable { field: field(name, shape), about, shared: true }
}

const fn own(name: &'static str, shape: Shape, about: &'static str) -> Variable {
    Variable { field: field(name, shape), about, shared: false }
}

const TASK: Shape = Shape::Object(&[
    field("id", Shape::Text),
    field("title", Shape::Text),
    field("status", Shape::Text),
    field("priority", Shape::Number),
    field("description", Shape::Text),
    field("acceptanceCriteria", TEXTS),
    field("labels", Shape::Names),
    field("type", Shape::Text),
    field("parentId", Shape::Text),
    field("dependsOn", Shape::Names),
    field("blocks", Shape::Names),
    field("assignee", Shape::Text),
    field("createdAt", Shape::Text),
    field("updatedAt", Shape::Text),
    field("metadata", Shape::Open),
]);

const NAMED: Shape = Shape::Object(&[field("name", Shape::Text), field("plugin", Shape::Text)]);

const CONFIG: Shape = Shape::Object(&[
    field("agent", NAMED),
    field("tracker", NAMED),
    field("model", Shape::Text),
    field("cwd", Shape::Text),
    field("epicId", Shape::Text),
    field("sessionId", Shape::Text),
    field("maxIterations", Shape::Number),
    field("iterationDelay", Shape::Number),
    field("outputDir", Shape::Text),
    field("progressFile", Shape::Text),
    field("autoCommit", Shape::Flag),
]);

const PRD: Shape = Shape::Object(&[
    field("name", Shape::Text),
    field("description", Shape::Text),
    field("content", Shape::Text),
    field("completedCount", Shape::Number),
    field("totalCount", Shape::Number),
]);

const EPIC: Shape = Shape::Object(&[
    field("id", Shape::Text),
    field("title", Shape::Text),
    field("description", Shape::Text),
]);

const TRIED: Shape = Shape::Object(&[
    field("iteration", Shape::Number),
    field("attempt", Shape::Number),
    field("outcome", Shape::Text),
]);

const TEXTS: Shape = Shape::List(&Shape::Text);

/// In the order in which they are shown.
pub const VARIABLES: &[Variable] = &[
    shared("taskId", Shape::Text, "The task's id"),
    shared("taskTitle", Shape::Text, "Its title"),
    shared(
        "taskDescription",
        Shape::Text,
        "Its description, without the criteria where they are a section of it",
    ),
    shared("acceptanceCriteria", Shape::Text, "What must hold, a `- [ ]` line each"),
    shared("epicId", Shape::Text, "The id of what it belongs to"),
    shared("epicTitle", Shape::Text, "The title of that"),
    shared("trackerName", Shape::Text, "The kind of backlog; `prompt` where there is none"),
    shared("labels", Shape::Text, "Its labels, with commas between"),
    shared("priority", Shape::Text, "From 0, the most urgent, to 4"),
    shared("status", Shape::Text, "open, in_progress, blocked, completed or cancelled"),
    shared("dependsOn", Shape::Text, "The ids of what had to be done before, with commas between"),
    shared("blocks", Shape::Text, "The ids of what waits for it, with commas between"),
    shared("type", Shape::Text, "What the tracker calls it: bug, feature, …"),
    shared("model", Shape::Text, "The agent's model, where one was chosen"),
    shared("agentName", Shape::Text, "The agent"),
    shared("cwd", Shape::Text, "The directory that it works in"),
    shared("currentDate", Shape::Text, "2026-01-31, in UTC"),
    shared("currentTimestamp", Shape::Text, "2026-01-31T12:00:00.000Z"),
    shared("notes", Shape::Text, "The task's notes, where the tracker has them"),
    shared(
        "recentProgress",
        Shape::Text,
        "What the last iterations came to, between fences, with where it is from",
    ),
    shared("beadsDbPath", Shape::Text, "The database of beads"),
    shared("prdName", Shape::Text, "The name of the whole"),
    shared("prdDescription", Shape::Text, "What the whole is about"),
    shared("prdContent", Shape::Text, "The document that the backlog was made of"),
    shared("prdCompletedCount", Shape::Text, "How many tasks are completed"),
    shared("prdTotalCount", Shape::Text, "How many there are"),
    shared(
        "codebasePatterns",
        Shape::Text,
        "What was learned about the codebase, between fences, with where it is from",
    ),
    shared("selectionReason", Shape::Text, "Why it is this task's turn"),
    shared("task", TASK, "The task as the tracker has it"),
    shared("config", CONFIG, "How the run is set up"),
    shared("prd", PRD, "The whole; nothing where there is none"),
    shared("epic", EPIC, "What the task belongs to; nothing where there is none"),
    shared("verificationErrors", Shape::Text, "What was found last time, a line each"),
    own("prompt", Shape::Text, "What the agent is asked to do, in full"),
    own("iteration", Shape::Number, "Which iteration this is"),
    own("max_iterations", Shape::Number, "How many there may be; nothing where there is no limit"),
    own("attempt", Shape::Number, "Which try at this iteration"),
    own("promise", Shape::Text, "The word that belongs into the promise tag, with this attempt's nonce"),
    own("claim", Shape::Text, "How to say that it is done: asks for the promise where the run requires it"),
    own("tried", Shape::List(&TRIED), "What earlier attempts came to, the newest last"),
    own("findings", TEXTS, "What was found last time"),
    own("suggestions", TEXTS, "What the judge suggested last time"),
    own("last_output", Shape::Text, "The end of the last output"),
    own("dead_ends", Shape::Text, "What failed the same way more than once, under a heading"),
    own("steering", TEXTS, "What the person who started the run says"),
    own("answers", Shape::Text, "What became of what the agent asked, under a heading"),
    own("handover", Shape::Text, "Who worked on it before, under a heading"),
    own("checks", Shape::Text, "What is run to check the work, under a heading"),
    own("memory", Shape::Text, "What is remembered of earlier runs"),
    own("gotchas", Shape::Text, "What went wrong before in similar places"),
    own("symbols", Shape::Text, "Code that is concerned, with its relations"),
    own("fence", Shape::Text, "Backticks, more than any variable has in a row, to quote one in"),
];

/// What a template's outermost names are.
pub(crate) const ROOT: Shape = Shape::Object(&root());

const fn root() -> [Field; VARIABLES.len()] {
    let mut fields = [field("", Shape::Open); VARIABLES.len()];
    let mut at = 0;
    while at < fields.len() {
        fields[at] = VARIABLES[at].field;
        at += 1;
    }
    fields
}
