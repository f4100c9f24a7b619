create index message_waiting on webhooks.message (endpoint_id, recorded_at) where state = 'waiting';
