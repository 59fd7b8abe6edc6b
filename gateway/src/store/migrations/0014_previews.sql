-- Messages that show answers which are still being written: records of the outbox, of which there are
-- never many at once.
CREATE INDEX outbox_preview ON outbox (place, id) WHERE kind = 'preview';
