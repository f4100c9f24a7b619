import { z } from 'zod';
import { jsonOrNull } from '../../domain/json/json.ts';
import type { Hint } from '../../domain/provider/notifications.ts';
import type { Span } from '../../domain/provider/pulled-provider.ts';
import { parseInstant } from '../../domain/time/time.ts';
import { typeOf } from './data-types.ts';

const Interval = z.object({
  physicalTimeInterval: z
    .object({ startTime: z.string().max(40), endTime: z.string().max(40) })
    .optional()
    .catch(undefined),
});

const Notification = z.object({
  data: z.object({
    healthUserId: z.union([z.string().min(1).max(255), z.int().transform(String)]),
    operation: z.string().max(40).optional(),
    dataType: z.string().min(1).max(100),
    intervals: z.array(Interval).max(1000).catch([]),
  }),
});

const Verification = z.object({ type: z.literal('verification') });

function jsonOf(body: Buffer): unknown {
  return jsonOrNull(body.toString('utf8'));
}

/** Whether a body is the provider's check of the address. */
export function isVerification(body: Buffer): boolean {
  return Verification.safeParse(jsonOf(body)).success;
}

/**
 * The hints of a body: one object, or an array of up to 99. Deletions name an interval too, and the read of it shows that the
 * data is gone. Null: the body is neither.
 */
export function readHints(body: Buffer): Hint[] | null {
  const json = jsonOf(body);
  if (typeof json !== 'object' || json === null) return null;
  const all: readonly unknown[] = Array.isArray(json) ? json : [json];
  const read = all.flatMap((one) => Notification.safeParse(one).data ?? []);
  if (read.length === 0) return null;
  return read.flatMap(({ data }) => hintsOf(data));
}

function hintsOf({ healthUserId, dataType, intervals }: z.output<typeof Notification>['data']): Hint[] {
  const types = [typeOf(dataType)];
  return intervals.flatMap(({ physicalTimeInterval }) => {
    const span = spanOf(physicalTimeInterval);
    return span === null ? [] : [{ kind: 'changed' as const, account: healthUserId, types, span }];
  });
}

function spanOf(interval: { readonly startTime: string; readonly endTime: string } | undefined): Span | null {
  const start = parseInstant(interval?.startTime ?? '');
  const end = parseInstant(interval?.endTime ?? '');
  if (start === null || end === null || end.ms < start.ms) return null;
  // An instant is an interval of a millisecond.
  return { startMs: start.ms, endMs: Math.max(end.ms, start.ms + 1) };
}
