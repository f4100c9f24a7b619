import { type FieldTable, isKept } from '../../domain/provider/field-table.ts';
import type { Collection } from '../../domain/recipe/collection.ts';
import { type Draft, isSum } from '../../domain/recipe/draft.ts';
import { stepsOf } from '../../domain/recipe/read-fields.ts';
import { isSummed } from '../../domain/recipe/sample-blocks.ts';
import { isSeriesType, type SeriesType } from '../../domain/records/series.ts';
import { hashOf } from '../simulation/random.ts';
import type { Described, KindPart } from './described.ts';
import { draftOf, seriesIn } from './draft-of.ts';
import type { ListedKind, ListedRecord } from './listed.ts';
import { dates, days, mornings, nights, type Thing, type Things, workouts } from './things.ts';
import { writeFields } from './write-fields.ts';

/** The records of a collection: what its table reads, made backwards. */
export function kindOf(twin: Described, collection: Collection, part: KindPart): ListedKind {
  const { fields, scopes, device, clockOf } = collection;
  const things = part.of ?? thingsOf(fields);
  const names = endsIn(fields);
  const source = Object.values(fields).find(
    (field) => isKept(field) && field.ends.includes('source'),
  )?.example;
  const own = typeof source === 'string' ? source : device;
  const rules = { device: own, ...seriesIn(fields) };
  const isUtc = names.has('zone_offset') || clockOf !== undefined;
  const kind = names.has('workout') ? 'workouts' : names.has('sleep') ? 'sleeps' : 'other';
  return {
    scope: scopes.find((one) => twin.scopes.includes(one)) ?? '',
    kind,
    device: own,
    of: (day, changes) =>
      things(day, changes).map((thing): ListedRecord => {
        const id = thing.isSample === true ? thing.name : names.has('key') ? idOf(thing) : day.date;
        const version = changes.versionOf(id);
        const draft = () => draftOf(thing, { key: id, version, ...rules });
        const { startMs, endMs, availableMs } = thing;
        return {
          id,
          startMs,
          endMs,
          availableMs,
          date: day.date,
          isCounted: kind !== 'sleeps' || thing.night !== undefined,
          // Most records are only counted.
          get fields() {
            const made = draft();
            const written = writeFields(fields, made, { version, madeMs: availableMs, isUtc });
            return { ...written, ...part.fields?.(made, thing, version) };
          },
          get samples() {
            return thing.isRepeated === true ? [] : samplesIn(draft().series ?? {}, startMs);
          },
        };
      }),
  };
}

/** The parts of records in which fields of a table end, such as `workout` and `start_time`. */
function endsIn(fields: FieldTable): ReadonlySet<string> {
  const ends = Object.values(fields).flatMap((field) => (isKept(field) ? field.ends : []));
  return new Set(ends.map((end) => end.split('.')[0] ?? ''));
}

function thingsOf(fields: FieldTable): Things {
  const names = endsIn(fields);
  if (names.has('workout')) return workouts;
  if (names.has('sleep')) return nights;
  if (names.has('day') || names.has('end_time')) return days;
  const hasTime = stepsOf(fields).some(
    ({ field, read }) => read === undefined && isKept(field) && field.ends[0] === 'start_time',
  );
  return hasTime ? mornings : dates;
}

/** An id in the form of a UUID, the same for the same thing. */
function idOf({ day, name }: Thing): string {
  const text = `${day.user.seed}/${day.date}/${name}`;
  const hex = [0, 1, 2, 3].map((part) => hashOf(`${text}/${part}`).toString(16).padStart(8, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5');
}

type Sample = readonly [type: SeriesType, ms: number, value: number];

/** The samples that an application has of a record. Sums are intervals. */
function samplesIn(series: NonNullable<Draft['series']>, startMs: number): Sample[] {
  return Object.entries(series).flatMap(([type, value]): Sample[] => {
    if (!isSeriesType(type) || isSummed(type)) return [];
    if (typeof value === 'number') return [[type, startMs, value]];
    return value.flatMap((one): Sample[] => (isSum(one) ? [] : [[type, ...one]]));
  });
}
