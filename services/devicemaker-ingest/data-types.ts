import { normaliseActivity } from './normalise/activity.ts';
import { normaliseDaily } from './normalise/daily.ts';
import type { Normaliser } from './normalise/item.ts';
import { normaliseSleep } from './normalise/sleep.ts';

/** One kind of data that the device maker sends; without a normaliser it is kept, and not processed yet. */
export interface DataType {
  readonly name: string;
  /** Spellings that real senders use beside the documented one. */
  readonly alsoSentAs: readonly string[];
  readonly normalise: Normaliser | null;
}

/** The 16 data types: a row each. Dispatch, and the keys of an answer, follow from it. */
export const dataTypes: readonly DataType[] = [
  { name: 'activities', alsoSentAs: ['manuallyUpdatedActivities'], normalise: normaliseActivity },
  { name: 'activityDetails', alsoSentAs: [], normalise: null },
  { name: 'sleeps', alsoSentAs: [], normalise: normaliseSleep },
  { name: 'dailies', alsoSentAs: [], normalise: normaliseDaily },
  { name: 'epochs', alsoSentAs: [], normalise: null },
  { name: 'bodyComps', alsoSentAs: [], normalise: null },
  { name: 'hrv', alsoSentAs: [], normalise: null },
  { name: 'stressDetails', alsoSentAs: [], normalise: null },
  { name: 'respiration', alsoSentAs: ['allDayRespiration'], normalise: null },
  { name: 'pulseOx', alsoSentAs: ['pulseox'], normalise: null },
  { name: 'bloodPressures', alsoSentAs: [], normalise: null },
  { name: 'userMetrics', alsoSentAs: [], normalise: null },
  { name: 'skinTemp', alsoSentAs: [], normalise: null },
  { name: 'healthSnapshot', alsoSentAs: [], normalise: null },
  { name: 'moveiq', alsoSentAs: ['moveIQActivities'], normalise: null },
  { name: 'mct', alsoSentAs: [], normalise: null },
];

const byKey: ReadonlyMap<string, DataType> = new Map(
  dataTypes.flatMap((type) => [type.name, ...type.alsoSentAs].map((key) => [key, type] as const)),
);

/** The data type that a top-level key of a notification names, in either spelling. */
export function dataTypeOf(key: string): DataType | undefined {
  return byKey.get(key);
}
