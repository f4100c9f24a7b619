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
import type { Normaliser } from './normalise/item.ts';

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

// In the order in which a backfill requests them.
const rows: readonly (Omit<DataType, 'alsoSentAs'> & Partial<Pick<DataType, 'alsoSentAs'>>)[] = [
  { ...dailies, brings: ['daily_activity', 'heart_rate'] },
  { ...sleeps, brings: ['sleep'] },
  { ...activities, alsoSentAs: ['manuallyUpdatedActivities'], brings: ['activities'] },
  { ...activityDetails, brings: ['activities'] },
  { ...epochs, brings: ['daily_activity'] },
  { ...hrv, brings: ['heart_rate'] },
  { ...stressDetails, brings: ['stress'] },
  { ...respiration, alsoSentAs: ['allDayRespiration'], brings: ['heart_rate'] },
  { ...pulseOx, alsoSentAs: ['pulseox'], brings: ['heart_rate'] },
  { ...bodyComps, brings: ['body'] },
  { ...bloodPressures, brings: ['blood_pressure'] },
  { ...userMetrics, brings: [] },
  { ...skinTemp, brings: [] },
  { ...healthSnapshot, brings: ['heart_rate', 'stress'] },
  { ...moveiq, alsoSentAs: ['moveIQActivities'], brings: [] },
  { ...mct, brings: ['cycle'] },
];

/** The 16 data types. Dispatch and the keys of an answer derive from them. */
export const dataTypes: readonly DataType[] = rows.map((row) => ({ alsoSentAs: [], ...row }));

const byKey: ReadonlyMap<string, DataType> = new Map(
  dataTypes.flatMap((type) => [type.name, ...type.alsoSentAs].map((key) => [key, type] as const)),
);

/** The data type that a top-level key of a notification names, in any spelling. */
export function dataTypeOf(key: string): DataType | undefined {
  return byKey.get(key);
}
