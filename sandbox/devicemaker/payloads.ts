import type { SimulatedDay } from '../day-simulation/day.ts';
import type { Span } from '../day-simulation/plan.ts';
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
 * Creates the items of one data type. A device is synchronised a few times a day. Each time the provider sends the new
 * items, and sends items that have grown again.
 */
type Shaper = (day: SimulatedDay, sync: Span) => readonly object[];

/** The functions that create the items of the 16 data types. */
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

/** A data type, by its name at the provider. */
export type DataType = keyof typeof shapers;

/** All data types. */
export const dataTypes = Object.keys(shapers).filter((name): name is DataType =>
  Object.hasOwn(shapers, name),
);

/** The body of a push: items by data type. Types without items are omitted. */
export type PushBody = { readonly [Type in DataType]?: ReturnType<(typeof shapers)[Type]> };

/** The items of one synchronisation: those that are new since `sync.startMs`, as they are at `sync.endMs`. */
export function bodyOf(day: SimulatedDay, types: readonly DataType[], sync: Span): PushBody {
  const items = types.map((type) => [type, shapers[type](day, sync)] as const);
  return Object.fromEntries(items.filter(([, list]) => list.length > 0));
}
