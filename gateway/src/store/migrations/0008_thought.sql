-- Each time that the model was asked, and what that used up.
CREATE TABLE thought (
    id INTEGER PRIMARY KEY,
    conversation INTEGER NOT NULL,
    -- The last entry of the conversation that it saw.
    seen INTEGER NOT NULL,
    -- Days since 1970, in UTC.
    day INTEGER NOT NULL,
    model TEXT NOT NULL DEFAULT '',
    input INTEGER NOT NULL DEFAULT 0,
    output INTEGER NOT NULL DEFAULT 0,
    -- In millionths.
    money INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX thought_day ON thought (day);
CREATE INDEX thought_turn ON thought (conversation, seen);
