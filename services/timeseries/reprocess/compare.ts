import {
  addedChanges,
  type ChangeCounts,
  type ChangeKind,
  type Changes,
  noChanges,
} from '../../../contracts/reprocess.ts';
import type { RecordText, SampleAt } from './queries/select-made.ts';

/** What is stored of an item: its records by id, its samples by series and instant. */
export interface Made {
  readonly records: readonly RecordText[];
  readonly samples: ReadonlyMap<string, SampleAt>;
}

/** The key of a sample in `Made`. */
export const sampleKey = (seriesId: number, ms: number): string => `${seriesId} ${ms}`;

/** The samples of a list by their keys. */
export function samplesByKey(samples: readonly SampleAt[]): Map<string, SampleAt> {
  return new Map(samples.map((sample) => [sampleKey(sample.series_id, sample.ms), sample]));
}

/** Counts what differs between two states of an item. */
export function changesBetween(before: Made, after: Made): Changes {
  let changes = noChanges();
  for (const kind of ['workouts', 'sleeps', 'days', 'events'] as const)
    changes = addedChanges(changes, { ...noChanges(), [kind]: recordCounts(kind, before, after) });
  return { ...changes, samples: counts(before.samples, after.samples, isSameSample) };
}

function recordCounts(kind: ChangeKind, before: Made, after: Made): ChangeCounts {
  const textsOf = ({ records }: Made) =>
    new Map(records.filter((record) => record.kind === kind).map(({ id, text }) => [id, text]));
  return counts(textsOf(before), textsOf(after), (a, b) => a === b);
}

/** Whether two stored samples at one instant are equal. */
export function isSameSample(a: SampleAt, b: SampleAt): boolean {
  return a.value === b.value && a.zone_offset_minutes === b.zone_offset_minutes;
}

function counts<T>(
  before: ReadonlyMap<string, T>,
  after: ReadonlyMap<string, T>,
  isSame: (a: T, b: T) => boolean,
): ChangeCounts {
  const found = { added: 0, changed: 0, removed: 0, identical: 0 };
  for (const [key, value] of after) {
    const former = before.get(key);
    found[former === undefined ? 'added' : isSame(former, value) ? 'identical' : 'changed'] += 1;
  }
  for (const key of before.keys()) if (!after.has(key)) found.removed += 1;
  return found;
}

/** Whether nothing differs. */
export function isUnchanged(changes: Changes): boolean {
  return Object.values(changes).every(({ added, changed, removed }) => added + changed + removed === 0);
}
