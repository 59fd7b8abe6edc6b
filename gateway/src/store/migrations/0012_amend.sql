-- Whether the chat was told what changing a message does.
ALTER TABLE conversation ADD COLUMN edit_told INTEGER NOT NULL DEFAULT 0;

-- The first of the letters that went out as one.
ALTER TABLE outbox ADD COLUMN album INTEGER;
CREATE INDEX outbox_album ON outbox (album) WHERE album IS NOT NULL;
