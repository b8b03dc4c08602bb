-- Rows that hold what a run is worth carry a `seal`: a hash over their content. SQLite notices a broken page,
-- not a changed letter inside one. `last_seq` and `last_control` say how many rows there must be elsewhere: a
-- broken index does not report an error, it just finds less.

CREATE TABLE runs (
    no            INTEGER PRIMARY KEY,
    id            TEXT    NOT NULL UNIQUE,
    last_seq      INTEGER NOT NULL,
    last_control  INTEGER NOT NULL,
    -- Whether `ralph resume` may go on with it.
    unfinished    INTEGER NOT NULL,
    superseded_by TEXT,
    -- The handle that drives the run. Whoever takes the run over writes its own number here, and from then on
    -- every commit of the earlier one is refused.
    holder        INTEGER NOT NULL,
    summary       TEXT    NOT NULL,
    seal          INTEGER NOT NULL
) STRICT;

-- Apart from `runs`, so that listing runs and taking one over never touch the big row.
CREATE TABLE checkpoints (
    run        TEXT    NOT NULL PRIMARY KEY REFERENCES runs (id),
    format     INTEGER NOT NULL,
    checkpoint TEXT    NOT NULL,
    seal       INTEGER NOT NULL
) STRICT;

CREATE TABLE heartbeats (
    run        TEXT    NOT NULL PRIMARY KEY REFERENCES runs (id),
    running_ns INTEGER NOT NULL,
    seal       INTEGER NOT NULL
) STRICT;

CREATE TABLE journal (
    run     TEXT    NOT NULL REFERENCES runs (id),
    seq     INTEGER NOT NULL,
    at      TEXT    NOT NULL,
    kind    TEXT    NOT NULL,
    format  INTEGER NOT NULL,
    payload TEXT    NOT NULL,
    seal    INTEGER NOT NULL,
    PRIMARY KEY (run, seq)
) STRICT;

CREATE TRIGGER journal_has_no_gaps BEFORE INSERT ON journal
WHEN NEW.seq <> 1 + coalesce((SELECT max(seq) FROM journal WHERE run = NEW.run), 0)
BEGIN SELECT raise(ABORT, 'the journal has no gaps'); END;

CREATE TRIGGER journal_is_never_rewritten BEFORE UPDATE ON journal
BEGIN SELECT raise(ABORT, 'the journal is only ever appended to'); END;

CREATE TRIGGER journal_is_never_cut BEFORE DELETE ON journal
BEGIN SELECT raise(ABORT, 'the journal is only ever appended to'); END;

CREATE TABLE controls (
    run        TEXT    NOT NULL REFERENCES runs (id),
    no         INTEGER NOT NULL,
    at         TEXT    NOT NULL,
    control    TEXT    NOT NULL,
    seal       INTEGER NOT NULL,
    applied_at TEXT,
    PRIMARY KEY (run, no)
) STRICT;

CREATE TABLE outbox (
    id         INTEGER PRIMARY KEY,
    run        TEXT    NOT NULL,
    seq        INTEGER NOT NULL,
    hook       TEXT    NOT NULL,
    state      TEXT    NOT NULL CHECK (state IN ('waiting', 'delivered', 'given_up')),
    -- Microseconds since the epoch, because it is compared.
    due_at     INTEGER NOT NULL,
    attempts   INTEGER NOT NULL,
    last_error TEXT,
    UNIQUE (run, seq, hook),
    FOREIGN KEY (run, seq) REFERENCES journal (run, seq)
) STRICT;

CREATE INDEX outbox_due ON outbox (due_at) WHERE state = 'waiting';

CREATE TABLE trust (
    what TEXT NOT NULL PRIMARY KEY,
    hash TEXT NOT NULL,
    at   TEXT NOT NULL
) STRICT;

CREATE TABLE loops (
    host    TEXT NOT NULL,
    session TEXT NOT NULL,
    run     TEXT NOT NULL REFERENCES runs (id),
    PRIMARY KEY (host, session)
) STRICT;

CREATE INDEX loops_of_run ON loops (run);
