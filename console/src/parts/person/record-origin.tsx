import type { ComponentChildren } from 'preact';
import { Link } from '../../router.tsx';
import { sourceOf } from '../../titles.ts';
import { useZone } from '../../user-zone.ts';
import { formatIn, zoneName } from '../../zone.ts';

const dayMs = 86_400_000;

interface TimedRecord {
  readonly id: string;
  readonly start_time: string;
  readonly end_time: string;
  readonly source: Parameters<typeof sourceOf>[0];
}

/** The days around a record, as the range of a list. */
export function datesAround({ start_time, end_time }: TimedRecord, days: number) {
  const date = (at: string, later: number) =>
    new Date(Date.parse(at) + later * dayMs).toISOString().slice(0, 10);
  return { start_date: date(start_time, -days), end_date: date(end_time, days), limit: 100 };
}

interface OriginProps {
  readonly record: TimedRecord;
  /** How its start is written: with the date, unless the title of the page has it. */
  readonly start: Intl.DateTimeFormatOptions;
  /** Records of the same time by other sources, and the address of the list that has all of them. */
  readonly others: readonly TimedRecord[];
  readonly list: string;
  /** What is said before the times, and after the source. */
  readonly kind?: string;
  readonly children?: ComponentChildren;
}

/** The times of a night or a workout, who recorded it, and who else did. */
export function RecordOrigin({ record, start, others, list, kind, children }: OriginProps) {
  const zone = useZone();
  const time = (at: string, options: Intl.DateTimeFormatOptions) => (
    <time dateTime={at} title={`${at} (UTC)`}>
      {formatIn(zone, options)(at)}
    </time>
  );
  return (
    <p class="line faint">
      {kind !== undefined && <span>{kind}</span>}
      <span>
        {time(record.start_time, start)} to {time(record.end_time, { timeStyle: 'short' })} {zoneName(zone)}
      </span>
      <span>{sourceOf(record.source)}</span>
      {children}
      {others.length > 0 && (
        <span>
          Also recorded by{' '}
          {others.map((one, index) => (
            <span key={one.id}>
              {index > 0 && ', '}
              <Link to={`${list}/${one.id}`}>{sourceOf(one.source)}</Link>
            </span>
          ))}
        </span>
      )}
    </p>
  );
}
