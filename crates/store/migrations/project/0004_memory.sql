-- What is remembered. `memory_log` is what was written; every other table is made of it and can be made again.

CREATE TABLE memory_log (
    seq     INTEGER PRIMARY KEY,
    note    TEXT    NOT NULL,
    at      TEXT    NOT NULL,
    event   TEXT    NOT NULL,
    format  INTEGER NOT NULL,
    -- Nothing, once the note was forgotten.
    payload TEXT,
    seal    INTEGER NOT NULL
) STRICT;

CREATE INDEX memory_log_of_note ON memory_log (note);

CREATE TRIGGER memory_log_has_no_gaps BEFORE INSERT ON memory_log
WHEN NEW.seq <> 1 + coalesce((SELECT max(seq) FROM memory_log), 0)
BEGIN SELECT raise(ABORT, 'the log of the memory has no gaps'); END;

CREATE TRIGGER memory_log_is_only_ever_blanked BEFORE UPDATE ON memory_log
WHEN NEW.payload IS NOT NULL OR NEW.seq <> OLD.seq OR NEW.note <> OLD.note OR NEW.at <> OLD.at OR NEW.event <> OLD.event
BEGIN SELECT raise(ABORT, 'the log of the memory is only ever appended to'); END;

CREATE TRIGGER memory_log_is_never_cut BEFORE DELETE ON memory_log
BEGIN SELECT raise(ABORT, 'the log of the memory is only ever appended to'); END;

CREATE TABLE memory_state (
    one      INTEGER PRIMARY KEY CHECK (one = 1),
    -- The last line of the log that the tables below have seen.
    through  INTEGER NOT NULL,
    -- By which rules texts were taken apart; other rules make other words.
    analysis INTEGER NOT NULL,
    -- How many notes can be found, and how many words they have.
    notes    INTEGER NOT NULL,
    length   INTEGER NOT NULL
) STRICT;

INSERT INTO memory_state VALUES (1, 0, 0, 0, 0);

CREATE TABLE notes (
    no     INTEGER PRIMARY KEY,
    id     TEXT    NOT NULL UNIQUE,
    format INTEGER NOT NULL,
    note   TEXT    NOT NULL,
    seal   INTEGER NOT NULL
) STRICT;

-- What ranking needs of many notes, apart from what they say.
CREATE TABLE note_places (
    no          INTEGER PRIMARY KEY,
    -- 0 for a note that was made on its own.
    thread      INTEGER NOT NULL,
    place       INTEGER NOT NULL,
    marks       INTEGER NOT NULL,
    length      INTEGER NOT NULL,
    -- Seconds since the epoch.
    valid_from  INTEGER NOT NULL,
    evidence_at INTEGER NOT NULL,
    -- In thousandths.
    confidence  INTEGER NOT NULL,
    -- The words that find it, each with how often it stands there: numbers of `note_words`, as varints.
    words       BLOB    NOT NULL
) STRICT;

CREATE UNIQUE INDEX note_places_in_thread ON note_places (thread, place) WHERE thread <> 0;

CREATE TABLE note_threads (
    no     INTEGER PRIMARY KEY,
    name   TEXT    NOT NULL UNIQUE,
    places INTEGER NOT NULL
) STRICT;

CREATE TABLE note_words (
    no    INTEGER PRIMARY KEY,
    word  TEXT    NOT NULL UNIQUE,
    -- How many notes it finds.
    notes INTEGER NOT NULL
) STRICT;

-- For 4,096 notes at a time, which of them have a word, how often, and how long they are. The key is the number of the
-- word, times a million and a bit, plus the number of the block.
CREATE TABLE note_postings (
    key  INTEGER PRIMARY KEY,
    list BLOB    NOT NULL
) STRICT;

-- Which words have three letters in a row.
CREATE TABLE note_trigrams (
    gram  TEXT NOT NULL PRIMARY KEY,
    words BLOB NOT NULL
) STRICT;
