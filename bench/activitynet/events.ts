import type { HttpRequest } from '../load/load.ts';

/** The account of all events of the bench. */
export const account = '134815';

const path = '/api/v1/webhooks/activitynet/webhook';
const headers = { 'content-type': 'application/json' };
const firstEvent = 1_776_520_000;

/** Events that create activities with consecutive ids. */
export function eventRequests(first: number, count: number): HttpRequest[] {
  return Array.from({ length: count }, (_, index) => ({ path, headers, body: eventOf(first + index) }));
}

function eventOf(number: number): string {
  return JSON.stringify({
    object_type: 'activity',
    object_id: 18_000_000_000 + number,
    aspect_type: 'create',
    owner_id: Number(account),
    subscription_id: 120_475,
    event_time: firstEvent + number,
    updates: {},
  });
}
