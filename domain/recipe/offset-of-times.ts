import { computed, type Field, type FieldReader, like } from '../provider/field-table.ts';
import { isoTime, minuteMs, parseInstant } from '../time/time.ts';
import { instantWithOffset, valueAt } from './read-fields.ts';

/** What the difference between the two times of a record means. */
interface OffsetRules {
  /** The path of the same time in UTC, in the record. */
  readonly utc: string;
  /** The difference is rounded to a multiple of this, because the clocks differ or drift. */
  readonly stepMinutes: 15 | 30;
  /** Two equal times: the user is at UTC, or the provider does not know the zone. */
  readonly equal: 'utc' | 'unknown';
}

const [leastMinutes, mostMinutes] = [-12 * 60, 14 * 60];

/**
 * The field with the time of a record on the user's clock, where another field has the same time in UTC: the difference is the offset.
 * A time that names its offset itself has that one. A difference that is no offset, as of a clock that is set wrong, gives none.
 */
export const offsetField = (rules: OffsetRules): Field =>
  like(
    (offset, { start_time }) =>
      start_time === undefined ? undefined : isoTime(start_time + Number(offset) * minuteMs).slice(0, 19),
    computed(offsetReader(rules), null, 'zone_offset'),
  );

/** Minutes between a time on the user's clock and the same time in UTC. Null: they show no offset. */
const offsetReader =
  ({ utc, stepMinutes, equal }: OffsetRules): FieldReader =>
  (value, item) => {
    const { offset } = instantWithOffset(value) ?? {};
    if (offset !== undefined) return offset;
    const [local, instant] = [millisecondsOf(value), millisecondsOf(valueAt(item, utc.split('.')))];
    if (local === null || instant === null) return null;
    if (local === instant) return equal === 'utc' ? 0 : null;
    const minutes = Math.round((local - instant) / minuteMs / stepMinutes) * stepMinutes;
    // A zero is no negative one.
    return minutes >= leastMinutes && minutes <= mostMinutes ? minutes + 0 : null;
  };

const millisecondsOf = (value: unknown): number | null =>
  typeof value === 'string' ? (parseInstant(value)?.ms ?? null) : null;
