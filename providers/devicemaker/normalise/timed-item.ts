import type { z } from 'zod';
import { contentHash } from './content-hash.ts';
import {
  instantMs,
  instantReason,
  isObject,
  offsetMinutes,
  type Problem,
  readItem,
  refused,
} from './item.ts';
import type { SampleOrigin } from './samples.ts';

/** The fields of `head` that place an item in time. */
interface Placed {
  readonly startTimeInSeconds: number;
  readonly startTimeOffsetInSeconds: number | null;
  readonly deviceName: string | null;
}

/** An item that begins at `startTimeInSeconds`, read by its schema. */
export type Timed<T> =
  | {
      readonly ok: true;
      readonly fields: T;
      readonly problems: readonly Problem[];
      readonly origin: SampleOrigin;
      readonly hash: string;
      /** The item as sent. */
      readonly item: unknown;
    }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/** As `readItem`. Also rejects an item without a valid start time, or one that is nested too deep. */
export function readTimed<T extends z.ZodType<Placed>>(
  schema: T,
  required: readonly (keyof z.output<T> & string)[],
  item: unknown,
  nowMs: number,
): Timed<z.output<T>> {
  const read = readItem(schema, ['startTimeInSeconds', ...required], item);
  if (!read.ok) return read;
  const { fields, problems } = read;
  const startMs = instantMs(fields.startTimeInSeconds, nowMs);
  if (startMs === null) return refused('startTimeInSeconds', instantReason);
  const hash = isObject(item) ? contentHash(item) : null;
  if (hash === null) return refused('', 'is nested too deeply');
  const zoneOffsetMinutes = offsetMinutes(fields.startTimeOffsetInSeconds);
  const origin = { startMs, zoneOffsetMinutes, device: fields.deviceName ?? 'unknown', nowMs };
  return { ok: true, fields, problems, origin, hash, item };
}
