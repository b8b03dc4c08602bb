CREATE TABLE register (
    no      INTEGER PRIMARY KEY,
    run     TEXT NOT NULL UNIQUE,
    project BLOB NOT NULL,
    at      TEXT NOT NULL
) STRICT;
