import type { Random } from '../simulation/random.ts';
import type { Message } from './state.ts';

const event = { object_type: 'activity', object_id: 1, aspect_type: 'create', event_time: 1_700_000_000 };
const texts = [
  '{',
  'null',
  JSON.stringify(event),
  JSON.stringify({ ...event, owner_id: 1, subscription_id: 1, updates: {} }),
  JSON.stringify({ ...event, object_type: 'planet', owner_id: 'x', subscription_id: null }),
] as const;

/** An invalid notification: no JSON, an incomplete event, or an event of an unknown account. */
export function invalidNotification(chance: Random): Message {
  return { kind: 'garbage', path: '/activitynet/webhook', text: chance.pick(texts) };
}
