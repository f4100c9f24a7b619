import { z } from 'zod';
import { jsonOrNull } from '../../domain/json/json.ts';
import type { Hint } from '../../domain/provider/notifications.ts';
import { parseInstant } from '../../domain/time/time.ts';
import { typeOf } from './data-types.ts';

const Time = z.string().max(40);

const Notification = z.object({
  data: z.object({
    healthUserId: z.union([z.string().min(1).max(255), z.int().transform(String)]),
    operation: z.string().max(40).optional(),
    dataType: z.string().min(1).max(100),
    intervals: z
      .array(
        z.object({
          physicalTimeInterval: z
            .object({ startTime: Time, endTime: Time })
            .catch({ startTime: '', endTime: '' }),
        }),
      )
      .max(1000)
      .catch([]),
  }),
});

const Verification = z.object({ type: z.literal('verification') });

const jsonOf = (body: Buffer): unknown => jsonOrNull(body.toString('utf8'));

/** Whether a body is the provider's check of the address. */
export const isVerification = (body: Buffer): boolean => Verification.safeParse(jsonOf(body)).success;

/**
 * The hints of a body: one object, or an array of up to 99. Deletions name an interval too, and the read of it shows that the
 * data is gone. Null: the body is neither.
 */
export function readHints(body: Buffer): Hint[] | null {
  const read = [jsonOf(body)].flat().flatMap((one) => Notification.safeParse(one).data ?? []);
  return read.length === 0 ? null : read.flatMap(({ data }) => hintsOf(data));
}

function hintsOf({ healthUserId: account, dataType, intervals }: z.output<typeof Notification>['data']) {
  return intervals.flatMap(({ physicalTimeInterval: { startTime, endTime } }): Hint[] => {
    const [start, end] = [parseInstant(startTime), parseInstant(endTime)];
    if (start === null || end === null || end.ms < start.ms) return [];
    // An instant is an interval of a millisecond.
    const span = { startMs: start.ms, endMs: Math.max(end.ms, start.ms + 1) };
    return [{ kind: 'changed', account, types: [typeOf(dataType)], span }];
  });
}
