import type { FieldTable } from '../../domain/provider/field-table.ts';
import type { SharedData } from '../../domain/provider/provider.ts';
import { activities, activityDetails, moveiq } from './fields/activities.ts';
import { dailies, epochs, hrv, stressDetails } from './fields/days.ts';
import { sleeps } from './fields/sleeps.ts';
import {
  bloodPressures,
  bodyComps,
  healthSnapshot,
  mct,
  pulseOx,
  respiration,
  skinTemp,
  userMetrics,
} from './fields/wellness.ts';
import { normaliseActivityDetails } from './normalise/activity-details.ts';
import { normaliseCycle } from './normalise/cycle.ts';
import { normaliseEpoch } from './normalise/epoch.ts';
import type { Normaliser } from './normalise/item.ts';
import { normaliseMoveiq } from './normalise/moveiq.ts';
import { normaliseSleep } from './normalise/sleep.ts';

/** One kind of data that the device maker sends. */
export interface DataType {
  readonly name: string;
  /** Alternative spellings that some senders use. */
  readonly alsoSentAs: readonly string[];
  readonly normalise: Normaliser;
  /** Its fields, and where each of them ends. */
  readonly fields: FieldTable;
  /** The kinds of data whose repair requests it. What an item has beside its subject does not count: a night has a heart rate too. */
  readonly brings: readonly SharedData[];
  /** Its items may contain a track. */
  readonly hasTrack?: true;
}

/**
 * The 16 data types, one row each, in the order in which a backfill requests them. Dispatch and the keys of an answer
 * derive from this table.
 */
export const dataTypes: readonly DataType[] = [
  { ...dailies, alsoSentAs: [], brings: ['daily_activity', 'heart_rate'] },
  { name: 'sleeps', alsoSentAs: [], normalise: normaliseSleep, fields: sleeps, brings: ['sleep'] },
  { ...activities, alsoSentAs: ['manuallyUpdatedActivities'], brings: ['activities'] },
  {
    name: 'activityDetails',
    alsoSentAs: [],
    normalise: normaliseActivityDetails,
    fields: activityDetails,
    brings: ['activities'],
    hasTrack: true,
  },
  { name: 'epochs', alsoSentAs: [], normalise: normaliseEpoch, fields: epochs, brings: ['daily_activity'] },
  { ...hrv, alsoSentAs: [], brings: ['heart_rate'] },
  { ...stressDetails, alsoSentAs: [], brings: ['stress'] },
  { ...respiration, alsoSentAs: ['allDayRespiration'], brings: ['heart_rate'] },
  { ...pulseOx, alsoSentAs: ['pulseox'], brings: ['heart_rate'] },
  { ...bodyComps, alsoSentAs: [], brings: ['body'] },
  { ...bloodPressures, alsoSentAs: [], brings: ['blood_pressure'] },
  { ...userMetrics, alsoSentAs: [], brings: [] },
  { ...skinTemp, alsoSentAs: [], brings: [] },
  { ...healthSnapshot, alsoSentAs: [], brings: ['heart_rate', 'stress'] },
  {
    name: 'moveiq',
    alsoSentAs: ['moveIQActivities'],
    normalise: normaliseMoveiq,
    fields: moveiq,
    brings: [],
  },
  { name: 'mct', alsoSentAs: [], normalise: normaliseCycle, fields: mct, brings: ['cycle'] },
];

const byKey: ReadonlyMap<string, DataType> = new Map(
  dataTypes.flatMap((type) => [type.name, ...type.alsoSentAs].map((key) => [key, type] as const)),
);

/** The data type that a top-level key of a notification names, in any spelling. */
export function dataTypeOf(key: string): DataType | undefined {
  return byKey.get(key);
}
