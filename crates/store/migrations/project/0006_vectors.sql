-- What notes mean by some measure: vectors, made of their texts when somebody searches, and made again whenever they are
-- missing. Notes are named by their ids, so that vectors outlive notes which are made again of the log.

CREATE TABLE note_measures (
    no         INTEGER PRIMARY KEY,
    identity   TEXT    NOT NULL UNIQUE,
    dimensions INTEGER NOT NULL,
    -- The last line of the log that it has followed.
    through    INTEGER NOT NULL,
    -- The larger, the later it was last written to.
    used       INTEGER NOT NULL
) STRICT;

CREATE TABLE note_vectors (
    measure INTEGER NOT NULL,
    note    TEXT    NOT NULL,
    -- Of the text that it was made of.
    digest  INTEGER NOT NULL,
    -- A byte for each dimension; only the direction counts.
    vector  BLOB    NOT NULL,
    PRIMARY KEY (measure, note)
) STRICT, WITHOUT ROWID;

CREATE INDEX note_vectors_of_note ON note_vectors (note);
