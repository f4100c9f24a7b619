import { z } from 'zod';
import { formatInstant } from '../domain/time.ts';
import { type Api, apiAt } from './api.ts';
import { type Enrolled, enrol, newestHour } from './enrolment.ts';
import { lifeOfDay } from './life/day.ts';
import type { Span } from './life/plan.ts';
import { bodyOf, type DataType, type PushBody, syncsOf } from './payloads.ts';
import { peopleOf } from './people.ts';
import { addDays, dateAt } from './zone.ts';

/** What sending the first data takes; `days` full local days before today, and today so far. */
export interface FirstDataOptions {
  /** The origin of the API, without /api/v1. */
  readonly baseUrl: string;
  readonly apiKey: string;
  /** The device maker's client id as the API is set up; null where it takes any. */
  readonly clientId: string | null;
  readonly days: number;
  readonly seed: string;
  readonly nowMs: number;
  readonly fetch?: typeof fetch;
  onProgress(done: number, total: number): void;
  readonly signal?: AbortSignal;
}

/** Who is there now, and what this call sent: samples counts each value once, however often its record was sent. */
export interface FirstDataResult {
  readonly people: { user_id: string; title: string; zone: string }[];
  readonly deliveries: number;
  readonly samples: number;
}

const peopleAtFirst = 2;
const peopleAtOnce = 4;
/** Each day comes in two notifications: its record of noon, then the whole of it. */
const syncHours = [12];
const types = ['sleeps', 'activities', 'dailies'] as const satisfies readonly DataType[];

/**
 * Gives the API its first people with their past, through the device maker's webhook and nothing else. Called again
 * it goes on where the data ends. @throws ApiFailed, or an Error that counts what was not taken.
 */
export async function sendFirstData(options: FirstDataOptions): Promise<FirstDataResult> {
  const stop = new AbortController();
  const signal = AbortSignal.any([stop.signal, ...(options.signal === undefined ? [] : [options.signal])]);
  const api = apiAt({ baseUrl: options.baseUrl, fetch: options.fetch ?? fetch, signal });
  try {
    return await send(api, options);
  } finally {
    stop.abort(); // one person's failure ends what the others are about
  }
}

async function send(api: Api, options: FirstDataOptions): Promise<FirstDataResult> {
  const headers = { 'x-api-key': options.apiKey };
  const people = peopleOf(options.seed, peopleAtFirst);
  const enrolled = await inLanes(people, (person) => enrol(api, headers, person));
  const work = await inLanes(enrolled, (one) => dueOf(api, headers, one, options));
  const total = work.reduce((sum, { due }) => sum + due.length, 0);
  let done = 0;
  options.onProgress(done, total);
  const samples = await inLanes(work, (one) =>
    deliver(api, one, options.clientId ?? 'sandbox', () => options.onProgress(++done, total)),
  );
  return {
    people: enrolled.map(({ person, user_id }) => ({
      user_id,
      title: person.traits.title.join(' '),
      zone: person.traits.zone,
    })),
    deliveries: done,
    samples: samples.reduce((sum, one) => sum + one, 0),
  };
}

interface Due {
  readonly date: string;
  readonly sync: Span;
}

interface Work {
  readonly who: Enrolled;
  readonly due: readonly Due[];
}

/** What a person's device has still to send: everything after the newest hour that the API knows. */
async function dueOf(
  api: Api,
  headers: Record<string, string>,
  who: Enrolled,
  { days, nowMs }: FirstDataOptions,
): Promise<Work> {
  if (!who.linked) return { who, due: [] };
  const today = dateAt(who.person.traits.zone, nowMs);
  const dates = Array.from({ length: days + 1 }, (_, index) => addDays(today, index - days));
  const newestMs = await newestHour(api, headers, who, dates);
  const all = dates.flatMap((date) =>
    syncsOf(who.person, date, nowMs, syncHours).map((sync) => ({ date, sync })),
  );
  return { who, due: all.filter(({ sync }) => newestMs === null || sync.endMs > newestMs) };
}

/** Sends one person's notifications in their order; returns how many samples they carried. */
async function deliver(api: Api, { who, due }: Work, clientId: string, onDone: () => void): Promise<number> {
  let samples = 0;
  for (const [date, syncs] of Map.groupBy(due, (one) => one.date)) {
    const day = lifeOfDay(who.person, date);
    let latest: PushBody = {};
    for (const { sync } of syncs) {
      const body = bodyOf(day, types, sync);
      latest = { ...latest, ...body };
      await push(
        api,
        body,
        clientId,
        `${who.person.traits.title.join(' ')} until ${formatInstant(sync.endMs)}`,
      );
      onDone();
    }
    samples += samplesIn(latest);
  }
  return samples;
}

const Answer = z.object({
  errors: z.array(z.string()),
  activities: z.array(z.object({ status: z.string() })),
});
const refused = new Set(['user_not_found', 'validation_error']);
/** The API's word for a delivery that it has stored and will work on later: nothing is wrong. */
export const pendingSentence = 'The delivery is stored; its processing goes on in the background.';

// Says how many and whose, never what: the items are health data.
async function push(api: Api, body: PushBody, clientId: string, what: string): Promise<void> {
  const headers = { 'devicemaker-client-id': clientId };
  const answer = await api.request(Answer, 'POST', '/webhooks/devicemaker/push', { headers, body });
  const errors = answer.errors.filter((text) => text !== pendingSentence).length;
  const activities = answer.activities.filter(({ status }) => refused.has(status)).length;
  if (errors + activities === 0) return;
  throw new Error(
    `The data of ${what} was not taken whole: ${errors} errors, ${activities} activities refused.`,
  );
}

function samplesIn({ dailies = [], sleeps = [] }: PushBody): number {
  const ofDays = dailies.map((day) => {
    const rates = Object.keys(day.timeOffsetHeartRateSamples ?? {}).length;
    return rates + (day.restingHeartRateInBeatsPerMinute === undefined ? 0 : 1);
  });
  const ofNights = sleeps.map(
    (night) =>
      Object.keys(night.timeOffsetSleepSpo2).length + Object.keys(night.timeOffsetSleepRespiration).length,
  );
  return [...ofDays, ...ofNights].reduce((sum, one) => sum + one, 0);
}

/** Works on a few at a time; results in the order of the list. */
export async function inLanes<T, R>(list: readonly T[], work: (one: T) => Promise<R>): Promise<R[]> {
  const results = new Map<number, R>();
  const rest = list.entries();
  const lane = async () => {
    for (const [index, one] of rest) results.set(index, await work(one));
  };
  await Promise.all(Array.from({ length: peopleAtOnce }, lane));
  return [...results].sort(([a], [b]) => a - b).map(([, result]) => result);
}
