import type { Received, ReceivedPeriod } from '../../contracts/deliveries/received.ts';
import { formatInstant, isoTime } from '../../domain/time/time.ts';
import type { Queryable } from '../../mixins/database/database.ts';
import { byProvider } from '../../providers/all.ts';
import { type ReceivedRow, selectReceived } from './queries/received-minutes.ts';

const periods: Readonly<
  Record<ReceivedPeriod, { readonly bucketSeconds: number; readonly buckets: number }>
> = {
  hour: { bucketSeconds: 60, buckets: 60 },
  day: { bucketSeconds: 600, buckets: 144 },
};

/** What was received in the last hour or day. The last bucket is the current one and still grows. */
export async function readReceived(
  database: Queryable,
  period: ReceivedPeriod,
  nowMs: number,
): Promise<Received> {
  const { bucketSeconds, buckets } = periods[period];
  const widthMs = bucketSeconds * 1000;
  const startMs = (Math.floor(nowMs / widthMs) - buckets + 1) * widthMs;
  const rows = await selectReceived(database, isoTime(startMs), bucketSeconds, buckets);
  const columnOf = (own: readonly ReceivedRow[], count: (row: ReceivedRow) => number) => {
    const column = Array.from({ length: buckets }, () => 0);
    for (const row of own) column[row.position] = count(row);
    return column;
  };
  return {
    period,
    start_time: formatInstant(startMs),
    bucket_seconds: bucketSeconds,
    providers: byProvider((provider) => {
      const own = rows.filter((row) => row.provider === provider);
      return {
        deliveries: columnOf(own, ({ deliveries }) => deliveries),
        records: columnOf(own, ({ records }) => records),
        samples: columnOf(own, ({ samples }) => samples),
      };
    }),
  };
}
