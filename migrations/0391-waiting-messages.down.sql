drop index webhooks.message_waiting;
