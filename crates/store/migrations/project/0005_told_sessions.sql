-- What hosts tell that start a command at each event: where they keep the conversation, which tools were used since
-- something was last said (a JSON array), and for which iteration of a loop how many observations were made.

ALTER TABLE sessions ADD COLUMN transcript TEXT;
ALTER TABLE sessions ADD COLUMN used       TEXT    NOT NULL DEFAULT '[]';
ALTER TABLE sessions ADD COLUMN noting     TEXT;
ALTER TABLE sessions ADD COLUMN noted      INTEGER NOT NULL DEFAULT 0;

-- What was used before something was said was used for that.
CREATE TRIGGER session_tools_belong_to_a_message AFTER INSERT ON session_messages
BEGIN
    UPDATE sessions SET used = '[]' WHERE no = NEW.session;
END;
