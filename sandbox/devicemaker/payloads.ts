import type { DayLife } from '../life/day.ts';
import type { Span } from '../life/plan.ts';
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
 * Makes the items of one data type. A device is synchronised a few times a day. Each time the provider sends what is
 * new since the last time, and sends again, longer, what has grown.
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

/** A data type by the provider's name. */
export type DataType = keyof typeof shapers;

/** All of them. */
export const dataTypes = Object.keys(shapers).filter((name): name is DataType =>
  Object.hasOwn(shapers, name),
);

/** The body of a push: items by data type; types without any are left out. */
export type PushBody = { readonly [Type in DataType]?: ReturnType<(typeof shapers)[Type]> };

/** The items of one synchronisation: what is new since `sync.startMs`, as it is at `sync.endMs`. */
export function bodyOf(day: DayLife, types: readonly DataType[], sync: Span): PushBody {
  const items = types.map((type) => [type, shapers[type](day, sync)] as const);
  return Object.fromEntries(items.filter(([, list]) => list.length > 0));
}
