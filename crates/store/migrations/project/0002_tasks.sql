-- Tasks that a project keeps here instead of in a file of its own, in the order in which they were added. What a task
-- says is one text, sealed as the rows of runs are; `last_change` says how many lines its history must have.

CREATE TABLE tasks (
    place       INTEGER PRIMARY KEY,
    id          TEXT    NOT NULL UNIQUE,
    -- Of an id such as T-12, so that the next one can be given.
    number      INTEGER,
    last_change INTEGER NOT NULL,
    format      INTEGER NOT NULL,
    task        TEXT    NOT NULL,
    seal        INTEGER NOT NULL
) STRICT;

CREATE INDEX tasks_by_number ON tasks (number) WHERE number IS NOT NULL;

-- The first line of a task's history has everything, each later one what has changed.
CREATE TABLE task_history (
    task   TEXT    NOT NULL REFERENCES tasks (id),
    no     INTEGER NOT NULL,
    at     TEXT    NOT NULL,
    by     TEXT    NOT NULL,
    format INTEGER NOT NULL,
    fields TEXT    NOT NULL,
    seal   INTEGER NOT NULL,
    PRIMARY KEY (task, no)
) STRICT;

CREATE TRIGGER task_history_has_no_gaps BEFORE INSERT ON task_history
WHEN NEW.no <> 1 + coalesce((SELECT max(no) FROM task_history WHERE task = NEW.task), 0)
BEGIN SELECT raise(ABORT, 'the history of a task has no gaps'); END;

CREATE TRIGGER task_history_is_never_rewritten BEFORE UPDATE ON task_history
BEGIN SELECT raise(ABORT, 'the history of a task is only ever appended to'); END;

CREATE TRIGGER task_history_is_never_cut BEFORE DELETE ON task_history
BEGIN SELECT raise(ABORT, 'the history of a task is only ever appended to'); END;

CREATE TRIGGER tasks_are_never_removed BEFORE DELETE ON tasks
BEGIN SELECT raise(ABORT, 'a task is cancelled, never removed'); END;
