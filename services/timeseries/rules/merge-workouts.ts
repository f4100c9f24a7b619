import type { WorkoutRecord } from '../../../domain/records/records.ts';

/** The fields that a data type sent of a workout, and its end before it was cropped. */
export interface WorkoutPart extends WorkoutRecord {
  readonly uncropped_end_ms?: number | undefined;
}

/** The fields of one workout by data type. */
export type WorkoutParts = Readonly<Record<string, WorkoutPart>>;

/**
 * Merges the fields of several data types into one workout, in any order of arrival. A field is never cleared by a data
 * type that lacks it. @throws if there is no part
 */
export function mergeWorkouts(parts: WorkoutParts): WorkoutRecord {
  return byPrecedence(parts)
    .map(({ uncropped_end_ms: _, ...record }): WorkoutRecord => record)
    .reduce(filled);
}

/** What data types sent of an activity. Activity details repeat fields of the activity itself, so they come last. */
export function byPrecedence<Part>(parts: Readonly<Record<string, Part>>): Part[] {
  const isLast = (dataType: string) => Number(dataType === 'activityDetails');
  return Object.entries(parts)
    .toSorted(([a], [b]) => isLast(a) - isLast(b))
    .map(([, part]) => part);
}

function filled(record: WorkoutRecord, other: WorkoutRecord): WorkoutRecord {
  return {
    ...record,
    ...(record.raw_type === '' ? { type: other.type, raw_type: other.raw_type } : {}),
    ...namesOf(record, other),
    device: record.device === 'unknown' ? other.device : record.device,
    zone_offset_minutes: record.zone_offset_minutes ?? other.zone_offset_minutes,
    moving_seconds: record.moving_seconds ?? other.moving_seconds,
    calories_kcal: record.calories_kcal ?? other.calories_kcal,
    distance_meters: record.distance_meters ?? other.distance_meters,
    avg_heart_rate_bpm: record.avg_heart_rate_bpm ?? other.avg_heart_rate_bpm,
    max_heart_rate_bpm: record.max_heart_rate_bpm ?? other.max_heart_rate_bpm,
    avg_pace_sec_per_km: record.avg_pace_sec_per_km ?? other.avg_pace_sec_per_km,
    elevation_gain_meters: record.elevation_gain_meters ?? other.elevation_gain_meters,
    steps: record.steps ?? other.steps,
    manual: record.manual ?? other.manual,
    web_upload: record.web_upload ?? other.web_upload,
    private: record.private ?? other.private,
    is_parent: record.is_parent || other.is_parent,
    parent_id: record.parent_id ?? other.parent_id,
  };
}

// A name that was made from a type is replaced by a real name, or by one that was made from a known type.
function namesOf(record: WorkoutRecord, other: WorkoutRecord): Partial<WorkoutRecord> {
  if (record.plain_name !== true) return {};
  if (other.plain_name === true && record.raw_type !== '') return {};
  return { name: other.name, plain_name: other.plain_name };
}

/** A start, and an end that does not count pauses, as the device maker sends them. */
export type TimedSpan = Pick<WorkoutRecord, 'start_ms' | 'end_ms'>;

interface Gap {
  readonly from_ms: number;
  readonly ms: number;
}

/**
 * The part of its details that an activity keeps, by the clock. Details that reach beyond their own duration, or beyond that of the
 * activity before it was cropped, had pauses: those that their samples say, otherwise their longest gaps. Each that begins within the
 * activity moves its end. Some senders count the pauses in the duration of the details.
 */
export function clockSpan(
  instants: readonly number[],
  details: TimedSpan & Pick<WorkoutPart, 'pauses'>,
  activity: TimedSpan & Pick<WorkoutPart, 'uncropped_end_ms'>,
): TimedSpan {
  const { start_ms } = activity;
  let { end_ms } = activity;
  const own = Math.min(details.end_ms, activity.uncropped_end_ms ?? details.end_ms);
  for (const { from_ms, ms } of pausesOf(instants, own, details.pauses))
    if (from_ms >= start_ms && from_ms < end_ms) end_ms += ms;
  return { start_ms, end_ms };
}

function pausesOf(instants: readonly number[], endMs: number, reported: WorkoutPart['pauses']): Gap[] {
  const ordered = [...new Set(instants)].toSorted((a, b) => a - b);
  const gaps = ordered
    .slice(1)
    .map((ms, index): Gap => ({ from_ms: ordered[index] ?? ms, ms: ms - (ordered[index] ?? ms) }))
    .toSorted((a, b) => b.ms - a.ms);
  const usual = gaps[Math.floor(gaps.length / 2)]?.ms ?? 0;
  const last = ordered.at(-1) ?? endMs;
  let left = last > endMs ? last + usual - endMs : 0;
  if (reported !== undefined) return left === 0 ? [] : reported.map(([from_ms, ms]) => ({ from_ms, ms }));
  const pauses: Gap[] = [];
  for (const { from_ms, ms } of gaps) {
    const pause = Math.min(ms - usual, left);
    if (pause <= 0) break;
    pauses.push({ from_ms, ms: pause });
    left -= pause;
  }
  return pauses.toSorted((a, b) => a.from_ms - b.from_ms);
}
