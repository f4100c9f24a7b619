drop schema webhooks cascade;
