/** What was received in one bucket of time. */
export interface Bucket {
  readonly at: string;
  readonly value: number;
}

/** What was received, as the API counts it. */
interface Counts {
  readonly start_time: string;
  readonly bucket_seconds: number;
  readonly providers: Readonly<Record<string, Readonly<Record<'samples' | 'deliveries', readonly number[]>>>>;
}

/** A column of what was received from all providers, oldest first. */
export function bucketsOf(received: Counts, column: 'samples' | 'deliveries'): readonly Bucket[] {
  const { start_time, bucket_seconds, providers } = received;
  const columns = Object.values(providers).map((one) => one[column]);
  const length = Math.max(0, ...columns.map((one) => one.length));
  return Array.from({ length }, (_, index) => ({
    at: new Date(Date.parse(start_time) + index * bucket_seconds * 1000).toISOString(),
    value: columns.reduce((sum, one) => sum + (one[index] ?? 0), 0),
  }));
}

/** What a chart says: the sum, and when most arrived. */
export function receivedSentence(
  buckets: readonly Bucket[],
  period: 'hour' | 'day',
  timeText: (at: string) => string,
): string {
  const sum = buckets.reduce((total, { value }) => total + value, 0);
  if (sum === 0) return `none in the last ${period}`;
  const [first, ...others] = buckets;
  const most = others.reduce((best, one) => (one.value > (best?.value ?? 0) ? one : best), first);
  const at = most === undefined ? '' : `, most at ${timeText(most.at)} (${most.value.toLocaleString()})`;
  return `${sum.toLocaleString()} in the last ${period}${at}`;
}
