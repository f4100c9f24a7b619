import { z } from 'zod';
import { action, auditOfDelivery, contract } from '../domain/contract.ts';
import { WebhookHealth } from '../domain/wire.ts';
import { PingAnswer, PushAnswer, pendingPing, pendingPush, Worked } from './devicemaker-ingest/answers.ts';
import { reprocessAction } from './reprocess.ts';

const pushExample = {
  dailies: [
    {
      userId: 'account-1001',
      summaryId: 'example-daily',
      calendarDate: '2026-01-01',
      startTimeInSeconds: 1_767_225_600,
      startTimeOffsetInSeconds: 0,
      durationInSeconds: 3600,
      steps: 700,
      timeOffsetHeartRateSamples: { '0': 61, '15': 63, '3585': 70 },
    },
  ],
};
const pingExample = {
  dailies: [
    {
      userId: 'account-1002',
      callbackURL:
        'https://apis.garmin.com/wellness-api/rest/dailies?uploadStartTimeInSeconds=1767225600&uploadEndTimeInSeconds=1767229200&token=example',
    },
  ],
};

/** The device maker's notifications. */
export const devicemakerIngest = contract('devicemaker-ingest', {
  push: action({
    summary: 'Receive a push notification of Garmin',
    description:
      'The body is an object of arrays keyed by data type. Items are processed independently: an invalid item does not affect the others.',
    params: z.object({ delivery_id: z.uuid() }),
    returns: Worked,
    http: {
      method: 'POST',
      path: '/webhooks/devicemaker/push',
      access: 'webhook',
      tag: 'Webhooks',
      secretAddress: 'devicemaker',
      delivery: {
        provider: 'devicemaker',
        kind: 'push',
        example: pushExample,
        answer: PushAnswer,
        pending: pendingPush,
      },
      audit: auditOfDelivery,
    },
    timeoutMs: 20_000,
  }),
  ping: action({
    summary: 'Receive a ping notification of Garmin',
    description:
      "The body is an object of arrays keyed by data type. Each item names an account and a callbackURL, which is fetched if it belongs to the provider's API. Callbacks that are not fetched within 15 s are fetched in the background.",
    params: z.object({ delivery_id: z.uuid() }),
    returns: Worked,
    http: {
      method: 'POST',
      path: '/webhooks/devicemaker/ping',
      access: 'webhook',
      tag: 'Webhooks',
      secretAddress: 'devicemaker',
      delivery: {
        provider: 'devicemaker',
        kind: 'ping',
        example: pingExample,
        answer: PingAnswer,
        pending: pendingPing,
      },
      audit: auditOfDelivery,
    },
    timeoutMs: 20_000,
  }),
  /** Processes the items of a kept push or ping again. */
  reprocess: reprocessAction,
  health: action({
    summary: 'Check the webhook of Garmin',
    params: z.object({}),
    returns: WebhookHealth,
    http: {
      method: 'GET',
      path: '/webhooks/devicemaker/health',
      access: 'public',
      tag: 'Webhooks',
      unlimited: true,
    },
  }),
});
