-- When somebody last wrote in a place whose platform asks for that before it takes anything.
ALTER TABLE place ADD COLUMN heard_at INTEGER;
-- What waits until they write.
CREATE INDEX outbox_held ON outbox (place, id) WHERE state = 'held';
