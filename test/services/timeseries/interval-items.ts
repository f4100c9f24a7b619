import type { z } from 'zod';
import type { IntervalRecord, IntervalSource } from '../../../domain/records/interval-records.ts';

type Interval = z.input<typeof IntervalRecord>;
type Source = z.input<typeof IntervalSource>;

/** Builders of interval data; each test names only what it is about. */
export const watch: Source = { device_type: 'watch', device: 'Watch 7', device_id: 'w-1', app: 'Health' };
export const phone: Source = { device_type: 'phone', device: 'Phone 15', device_id: 'p-1', app: 'Health' };

let made = 0;

/** Steps in [start, start + minutes) of the first source. */
export function steps(
  startMs: number,
  minutes: number,
  value: number,
  fields: Partial<Interval> = {},
): Interval {
  made += 1;
  return {
    id: `interval-${made}`,
    type: 'steps',
    source: 0,
    start_ms: startMs,
    end_ms: startMs + minutes * 60_000,
    value,
    zone_offset_minutes: 0,
    ...fields,
  };
}
