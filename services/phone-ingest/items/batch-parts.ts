import type { StoreItem } from '../../../domain/records/records.ts';
import type { PhoneRecord } from '../../../providers/phone/normalise/record.ts';
import type { SleepPhase } from '../../../providers/phone/normalise/sleep-phase.ts';
import type { UploadItem } from '../../../providers/phone/upload.ts';
import type { DeletedItem } from './apply-deletions.ts';
import type { Tally } from './tally.ts';

/** The items of a batch by where they are stored. */
export interface Parts {
  readonly samples: PhoneRecord[];
  readonly intervals: PhoneRecord[];
  readonly phases: SleepPhase[];
  readonly workouts: StoreItem[];
  readonly events: StoreItem[];
  readonly deleted: DeletedItem[];
  /** The ids of records that are not stored. */
  readonly unmade: string[];
}

/** Sorts the items of a batch. Those that cannot be stored are counted. */
export function partsOf(batch: readonly UploadItem[], tally: Tally): Parts {
  const parts: Parts = {
    ...{ samples: [], intervals: [], phases: [], workouts: [], events: [] },
    ...{ deleted: [], unmade: [] },
  };
  for (const item of batch) {
    parts.unmade.push(...unmadeId(item));
    if (item.list === 'records')
      parts[item.record.kind === 'sample' ? 'samples' : 'intervals'].push(item.record);
    else if (item.list === 'sleep') parts.phases.push(item.phase);
    else if (item.list === 'workouts') parts.workouts.push(item.workout);
    else if (item.list === 'events') parts.events.push(item.event);
    else if (item.list === 'deleted') parts.deleted.push(item);
    else if (item.list === 'unmapped') tally.addUnmapped(item.type);
    else tally.addProblem(item);
  }
  return parts;
}

function unmadeId(item: UploadItem): string[] {
  const isUnmade = item.list === 'unmapped' || (item.list === 'set_aside' && item.in === 'records');
  return isUnmade && item.id !== null ? [item.id] : [];
}
