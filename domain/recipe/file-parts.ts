import type { FileContent, FileProblem, RecordFile, RecordFiles } from '../provider/record-file.ts';
import type { SampleBlock, WorkoutRecord } from '../records/records.ts';
import type { Draft } from './draft.ts';
import type { Made } from './made.ts';
import { type Item, isItem, valueAt } from './read-fields.ts';

/** The address of the file of a record. Null: it names none. */
export function fileAddress({ address }: RecordFile, record: unknown): string | null {
  const value = isItem(record) ? valueAt(record, address.split('.')) : null;
  return typeof value === 'string' && value !== '' ? value : null;
}

/** A draft with what the file of its record says. */
interface WithFile {
  readonly draft: Draft;
  readonly file?: FileContent;
  /** The file cannot be had: what an earlier read stored of it still holds. */
  readonly keepsSamples?: true;
}

/** Adds what the file of a record says. A value of the record counts before one of the file. */
export function withFile(
  draft: Draft,
  item: Item,
  file: RecordFile | undefined,
  files: RecordFiles = new Map(),
): WithFile {
  const address = file === undefined ? null : fileAddress(file, item);
  const content = address === null ? undefined : files.get(address);
  if (content === undefined) return { draft };
  if (typeof content === 'string') {
    const { skipped = {} } = draft;
    const named = { ...draft, skipped: { ...skipped, [content]: (skipped[content] ?? 0) + 1 } };
    return isNotHad[content] ? { draft: named, keepsSamples: true } : { draft: named };
  }
  const { details, laps, track } = content;
  const whole: Draft = {
    ...draft,
    workout: { ...(content.workout === null ? {} : figuresOf(content.workout)), ...draft.workout },
    details: { ...details, ...draft.details },
    ...(laps.length === 0 || draft.laps !== undefined ? {} : { laps: [...laps] }),
    ...(track === null ? {} : { track }),
  };
  return { draft: whole, file: content };
}

const isNotHad: Readonly<Record<FileProblem, boolean>> = {
  file_unavailable: true,
  file_missing: true,
  file_refused: false,
  file_too_large: false,
  file_unreadable: false,
};

/** The figures of a workout that a record may lack. What it is called and when it was is the record's. */
function figuresOf(workout: WorkoutRecord): Partial<WorkoutRecord> {
  const { moving_seconds, distance_meters, elevation_gain_meters, calories_kcal, steps } = workout;
  const { avg_heart_rate_bpm, max_heart_rate_bpm } = workout;
  return {
    moving_seconds,
    distance_meters,
    elevation_gain_meters,
    calories_kcal,
    steps,
    avg_heart_rate_bpm,
    max_heart_rate_bpm,
  };
}

/** The samples of the file of an item, with the device and the offset of the item. */
export function fileSamples({ file, device, offset }: Made): SampleBlock[] {
  return (file?.samples ?? []).map((block) => ({ ...block, device, zone_offset_minutes: offset }));
}
