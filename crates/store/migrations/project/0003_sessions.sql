-- Sessions of hosts as they were last seen, with what was said in them. Times are nanoseconds since 1970, so that they
-- can be compared here.

CREATE TABLE sessions (
    no            INTEGER PRIMARY KEY,
    host          TEXT    NOT NULL,
    session       TEXT    NOT NULL,
    directory     TEXT    NOT NULL,
    state         TEXT    NOT NULL,
    mode          TEXT    NOT NULL DEFAULT 'agent',
    checkpoint_at INTEGER NOT NULL,
    asked         TEXT,
    tool          TEXT,
    error         TEXT,
    started_at    INTEGER NOT NULL,
    seen_at       INTEGER NOT NULL,
    UNIQUE (host, session)
) STRICT;

CREATE INDEX sessions_by_time ON sessions (seen_at);

CREATE TABLE session_messages (
    no      INTEGER PRIMARY KEY,
    session INTEGER NOT NULL REFERENCES sessions (no) ON DELETE CASCADE,
    id      TEXT,
    role    TEXT    NOT NULL,
    content TEXT    NOT NULL,
    -- A JSON array.
    tools   TEXT    NOT NULL,
    at      INTEGER NOT NULL
) STRICT;

CREATE INDEX session_messages_by_session ON session_messages (session, no);
CREATE UNIQUE INDEX session_messages_are_kept_once ON session_messages (session, id) WHERE id IS NOT NULL;

-- Of each session the last hundred messages are kept, and of all sessions the thousand that were seen last.
CREATE TRIGGER session_messages_are_bounded AFTER INSERT ON session_messages
BEGIN
    DELETE FROM session_messages WHERE session = NEW.session AND no <=
        (SELECT no FROM session_messages WHERE session = NEW.session ORDER BY no DESC LIMIT 1 OFFSET 100);
END;

CREATE TRIGGER sessions_are_bounded AFTER INSERT ON sessions
BEGIN
    DELETE FROM session_messages WHERE session IN
        (SELECT no FROM sessions ORDER BY seen_at DESC, no DESC LIMIT -1 OFFSET 1000);
    DELETE FROM sessions WHERE no IN (SELECT no FROM sessions ORDER BY seen_at DESC, no DESC LIMIT -1 OFFSET 1000);
END;
