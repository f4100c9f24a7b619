import type { FieldTable } from '../../../domain/provider/field-table.ts';
import { type Item, isItem } from '../../../domain/recipe/read-fields.ts';
import type { SampleBlock } from '../../../domain/records/records.ts';
import { withWorkout } from './activity.ts';
import { type Normaliser, type Refused, refused } from './item.ts';
import { normalisedOf } from './item-type.ts';
import { lapsOf } from './laps.ts';
import { type CompiledTable, compiled, type ReadItem, readItem } from './read-item.ts';
import { trackReader } from './track.ts';

/**
 * An activity second by second: its samples, and its fields, which the store merges into the workout of the same activity. The
 * fields are in `summary`, or beside the samples with some senders.
 */
export function detailsType(name: string, fields: FieldTable, ofActivity: FieldTable) {
  const table = compiled(ofActivity, { needed: 'durationInSeconds' });
  const readTrack = trackReader(fields);
  const normalise: Normaliser = (item, nowMs) => {
    if (!isItem(item)) return refused('', 'must be an object');
    const { summary, ...top } = item;
    const inner = isItem(summary) ? summary : {};
    const given = { ...sent(top), ...sent(inner), ...sent({ samples: item.samples }) };
    const { blocks, track, pauses, problems } = readTrack(item.samples, nowMs);
    const read = readWithin(table, given, spanOf(blocks), nowMs);
    const placed = read.problems.map((one) =>
      Object.hasOwn(inner, one.field) ? { ...one, field: `summary.${one.field}` } : one,
    );
    if (!read.ok) return { ok: false, problems: placed };
    const { draft, startMs, device, offset: zone_offset_minutes } = read;
    const endMs = startMs + (draft.workout?.duration_seconds ?? 0) * 1000;
    const laps = lapsOf(item.laps, track, endMs, nowMs);
    const samples = blocks.map((block) => ({ ...block, device, zone_offset_minutes }));
    const whole = {
      ...read,
      draft: {
        ...draft,
        laps,
        ...(pauses === undefined ? {} : { workout: { ...draft.workout, pauses } }),
      },
      problems: [...placed, ...problems],
      parts: { samples },
    };
    const made = withWorkout(whole);
    if (!made.ok) return made;
    // The summary id of the details is that of the activity with a suffix.
    const { key = '' } = made.draft;
    const own = { ...made, draft: { ...made.draft, key: key.replace(/-detail$/, '') } };
    return { ...normalisedOf(name, { fields, supersede: 'latest' }, own), track };
  };
  return { name, fields, normalise, hasTrack: true as const };
}

// If `startTimeInSeconds` or `durationInSeconds` is absent or unreadable, it is derived from the samples.
function readWithin(table: CompiledTable, given: Item, span: Item, nowMs: number): ReadItem | Refused {
  const read = readItem(table, { ...span, ...given }, nowMs);
  const replaced = read.problems.filter(({ field }) => Object.hasOwn(span, field));
  if (read.ok || replaced.length === 0) return read;
  const fromSpan = Object.fromEntries(replaced.map(({ field }) => [field, span[field]]));
  const second = readItem(table, { ...span, ...given, ...fromSpan }, nowMs);
  return { ...second, problems: [...replaced, ...second.problems] };
}

// A null field counts as absent, so that the same field beside the samples is used.
function sent(fields: Item): Item {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => (value ?? null) !== null));
}

function spanOf(blocks: readonly SampleBlock[]): Item {
  const times = blocks.flatMap(({ base_ms, at }) => [base_ms + (at[0] ?? 0), base_ms + (at.at(-1) ?? 0)]);
  if (times.length === 0) return {};
  const startMs = Math.min(...times);
  return { startTimeInSeconds: startMs / 1000, durationInSeconds: (Math.max(...times) - startMs) / 1000 };
}
