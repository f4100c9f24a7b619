import type { DayLife } from '../life/day.ts';
import type { Span } from '../life/plan.ts';
import type { Person } from '../people.ts';
import { addDays, instantOf } from '../zone.ts';
import { activities, activityDetails } from './payloads/activities.ts';
import { dailies } from './payloads/dailies.ts';
import { epochs } from './payloads/epochs.ts';
import {
  bloodPressures,
  bodyComps,
  healthSnapshot,
  mct,
  moveiq,
  userMetrics,
} from './payloads/occasional.ts';
import { sleeps } from './payloads/sleeps.ts';
import { hrv, pulseOx, respiration, skinTemp, stressDetails } from './payloads/wellness.ts';

/**
 * The device maker's notifications. A device is synchronised a few times a day; each time the device maker sends
 * what is new since the last time, and sends again, longer, what has grown.
 */
type Shaper = (day: DayLife, sync: Span) => readonly object[];

/** How each of the 16 data types is made of a day. */
const shapers = {
  activities,
  activityDetails,
  sleeps,
  dailies,
  epochs,
  bodyComps,
  hrv,
  stressDetails,
  respiration,
  pulseOx,
  bloodPressures,
  userMetrics,
  skinTemp,
  healthSnapshot,
  moveiq,
  mct,
} as const satisfies Record<string, Shaper>;

/** A data type by the device maker's name. */
export type DataType = keyof typeof shapers;

/** All of them. */
export const dataTypes = Object.keys(shapers).filter((name): name is DataType =>
  Object.hasOwn(shapers, name),
);

/** The body of a push: items by data type; types without any are left out. */
export type PushBody = { readonly [Type in DataType]?: ReturnType<(typeof shapers)[Type]> };

/** What is sent at one time of synchronising. */
export interface Notification {
  readonly atMs: number;
  readonly body: PushBody;
}

/** Which types to send, up to when, and at which local hours a device is synchronised beside the end of its day. */
export interface Choice {
  readonly types: readonly DataType[];
  readonly nowMs: number;
  readonly syncHours?: readonly number[];
}

const sliceMs = 900_000;

/** The notifications of one person's local day till now, oldest first; a day still going on ends with the latest. */
export function notificationsOf(day: DayLife, { types, nowMs, syncHours }: Choice): Notification[] {
  return syncsOf(day.person, day.date, nowMs, syncHours)
    .map((sync) => ({ atMs: sync.endMs, body: bodyOf(day, types, sync) }))
    .filter(({ body }) => Object.keys(body).length > 0);
}

/** What one time of synchronising brings: what is new since `sync.startMs`, as it stands at `sync.endMs`. */
export function bodyOf(day: DayLife, types: readonly DataType[], sync: Span): PushBody {
  const items = types.map((type) => [type, shapers[type](day, sync)] as const);
  return Object.fromEntries(items.filter(([, list]) => list.length > 0));
}

/** The times of synchronising of a local day till now; the last is the day's end, or the last full quarter of an hour. */
export function syncsOf(
  { traits: { zone } }: Person,
  date: string,
  nowMs: number,
  syncHours: readonly number[] = [12, 18],
): Span[] {
  const startMs = instantOf(zone, date, 0);
  const slices = Math.floor((nowMs - startMs) / sliceMs);
  const lastMs = Math.min(instantOf(zone, addDays(date, 1), 0), startMs + slices * sliceMs);
  const ends = syncHours.map((hour) => instantOf(zone, date, hour * 60)).filter((ms) => ms < lastMs);
  if (lastMs > startMs) ends.push(lastMs);
  return ends.map((endMs, index) => ({ startMs: ends[index - 1] ?? startMs, endMs }));
}
