-- Whether a run is a loop inside a session. `loops` says which one lives there now: a later one takes the place of an
-- earlier one, which is a loop all the same, and never what people mean by the project's latest run.

ALTER TABLE runs ADD COLUMN in_session INTEGER NOT NULL DEFAULT 0;

-- Of those that have lost their place, the checkpoint still knows. One that is damaged is left for whoever reads it.
UPDATE runs SET in_session = 1 WHERE id IN (SELECT run FROM loops) OR id IN
    (SELECT run FROM checkpoints
     WHERE CASE WHEN json_valid(checkpoint) THEN json_extract(checkpoint, '$.in_session') IS NOT NULL ELSE 0 END);
