import type { PhoneRecord } from '../../../providers/phone/normalise/record.ts';
import type { Parts } from '../items/batch-parts.ts';
import { isGone } from '../items/event-ids.ts';

/** The items of a batch that are stored again. */
export interface BatchItems extends Omit<Parts, 'samples' | 'deleted'> {
  /** Null: the samples stay as they are. An empty list replaces those that an earlier normaliser made. */
  readonly samples: readonly PhoneRecord[] | null;
  /** The ids of records that are no intervals. */
  readonly unmade: string[];
}

/** The items of a batch of the wanted type. Items that were deleted on the phone were deleted when the upload arrived. */
export function wanted(
  { samples, intervals, phases, workouts, events, unmade }: Parts,
  type: string | null,
): BatchItems {
  const of = <T>(list: string, items: T[]): T[] => (type === null || type === list ? items : []);
  return {
    samples: type === null || type === 'records' ? samples : null,
    intervals: of('records', intervals),
    unmade: of('records', [...unmade, ...samples.map(({ id }) => id), ...events.map(({ key }) => key)]),
    events: of('records', events),
    phases: of('sleep', phases),
    workouts: of('workouts', workouts),
  };
}

/** The ids of items. */
export function idsOf({ samples, intervals, phases, workouts, events }: BatchItems): string[] {
  const named = [...(samples ?? []), ...intervals, ...phases].map(({ id }) => id);
  return [...named, ...[...workouts, ...events].map(({ key }) => key)];
}

/** The ids of items that stay as they are. */
export interface LeftOut {
  /** Deleted on the phone. */
  readonly gone: ReadonlySet<string>;
  /** Contained in a newer upload. */
  readonly newer: ReadonlySet<string>;
}

/** The items that are stored again. Of samples, workouts and events the store compares when they arrived. */
export function without(items: BatchItems, { gone, newer }: LeftOut): BatchItems {
  const { samples, intervals, phases, workouts, events, unmade } = items;
  const isOpen = (id: string) => !gone.has(id) && !newer.has(id);
  return {
    samples: samples?.filter(({ id }) => !gone.has(id)) ?? null,
    intervals: intervals.filter(({ id }) => isOpen(id)),
    unmade: unmade.filter(isOpen),
    phases: phases.filter(({ id }) => isOpen(id)),
    workouts: workouts.filter(({ key }) => !gone.has(key)),
    events: events.filter((event) => !isGone(event, gone)),
  };
}
