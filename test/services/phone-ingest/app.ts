import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { UploadAnswer } from '../../../contracts/phone-ingest/answers.ts';
import { type Answer, createUser, type TestApi, userToken } from '../../support/api.ts';

/** An app on the phone of one user. */
export interface App {
  readonly userId: string;
  readonly token: string;
  /** Sends a body with the bare token, as the iOS app does. */
  sync(data: Data, provider?: string): Promise<UploadAnswer>;
  send(path: 'sync' | 'logs', body: unknown): Promise<Answer>;
}

/** The lists of an upload. */
export interface Data {
  readonly records?: readonly unknown[];
  readonly sleep?: readonly unknown[];
  readonly workouts?: readonly unknown[];
  readonly deleted?: readonly unknown[];
}

/** Creates a user with an app that holds a token. */
export async function installApp(api: TestApi): Promise<App> {
  const userId = await createUser(api);
  const token = await userToken(api, userId);
  const send = (path: 'sync' | 'logs', body: unknown) =>
    api.ask(`/api/v1/sdk/users/${userId}/${path}`, { body, headers: { authorization: token } });
  return {
    ...{ userId, token, send },
    async sync(data, provider = 'apple') {
      const answer = await send('sync', uploadOf(data, provider));
      if (answer.status !== 202) throw new Error(`${answer.status}: ${answer.text}`);
      return Answered.parse(answer.body);
    },
  };
}

/** A body as an app sends it. */
export function uploadOf(data: Data, provider = 'apple') {
  return { provider, sdkVersion: '0.11.1', syncTimestamp: '2026-03-02T10:00:00Z', data };
}

const Answered = z.looseObject({
  status_code: z.literal(202),
  response: z.string(),
  user_id: z.string().nullable(),
  received: z.int(),
  stored: z.int(),
  problems: z.array(
    z.object({ item: z.string(), id: z.string().nullable(), field: z.string(), reason: z.string() }),
  ),
  set_aside: z.int(),
  unmapped: z.record(z.string(), z.int()),
});

/** Sources as the apps name them. */
export const watch = {
  bundleIdentifier: 'com.apple.health.0001',
  name: 'Watch of a user',
  deviceName: 'Apple Watch',
  deviceType: 'watch',
  deviceModel: 'Watch7,1',
};
export const iphone = {
  ...watch,
  name: 'iPhone',
  deviceName: 'iPhone',
  deviceType: 'phone',
  deviceModel: 'iPhone15,2',
};
export const galaxy = {
  appId: 'com.sec.android.app.shealth',
  deviceId: 'R9ZW30ABC12',
  deviceName: 'Galaxy Watch7',
  deviceType: 'watch',
};

/** A record of HealthKit, five minutes long unless `fields` say otherwise. */
export function record(type: string, startDate: string, value: number, fields: Record<string, unknown> = {}) {
  const start = Date.parse(startDate);
  const endDate = Number.isNaN(start) ? null : new Date(start + 300_000).toISOString();
  const unit = /HeartRate|HEART_RATE/.test(type) ? 'bpm' : 'count';
  return {
    ...{ id: randomUUID(), type, startDate, endDate, zoneOffset: null, source: watch, value },
    ...{ unit, parentId: null, metadata: null, ...fields },
  };
}

/** A phase of a night. */
export function phase(
  stage: string,
  startDate: string,
  endDate: string,
  fields: Record<string, unknown> = {},
) {
  return {
    id: randomUUID(),
    parentId: null,
    stage,
    startDate,
    endDate,
    zoneOffset: null,
    source: watch,
    values: null,
    metadata: null,
    ...fields,
  };
}
