// Receives webhooks with Express and prints the events. PORT and WEBHOOK_SECRET (`whsec_…`) configure it.
import { WebhookVerificationError, webhooks } from '@pulsebus/client';
import express from 'express';

const { PORT = '4000', WEBHOOK_SECRET = '' } = process.env;
// During a rotation both secrets are given, separated by a comma.
const secrets = WEBHOOK_SECRET.split(',');
const seen = new Set();
const app = express();

// The signature is of the bytes as they arrived, so no other parser may read the body first.
app.post('/hook', express.raw({ type: () => true }), async (request, response) => {
  try {
    const event = await webhooks.verify(request.headers, request.body, secrets);
    response.sendStatus(204);
    // A message may arrive twice.
    const id = request.headers['webhook-id'];
    if (!seen.has(id)) handle(event);
    seen.add(id);
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    response.status(400).json({ detail: error.message });
  }
});

function handle(event) {
  switch (event.type) {
    case 'workout.created':
      return console.log('workout', event.data.user_id, event.data.id);
    case 'user.deleted':
      return console.log('forget', event.data.user_id);
    default:
      return console.log(event.type);
  }
}

const server = app.listen(Number(PORT), '127.0.0.1', () =>
  console.log(`listening on ${server.address().port}`),
);
