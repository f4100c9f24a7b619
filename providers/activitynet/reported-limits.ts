/** A value for each window of the quota. */
interface QuotaWindows<T> {
  readonly quarter: T;
  readonly day: T;
}

/**
 * Limits that the headers report: limit and usage of reads if present, otherwise the number of requests of any kind
 * that are left. The latter is only an upper bound for reads.
 */
interface ReportedLimits {
  readonly read: QuotaWindows<{ readonly limit: number; readonly usage: number }> | null;
  readonly left: QuotaWindows<number> | null;
}

/**
 * Reads the provider's rate-limit headers: pairs `quarter,day`. Names are case-insensitive. Any header may be missing.
 */
export function reportedLimits(headers: Headers): ReportedLimits {
  const read = pairs(headers, 'x-readratelimit');
  const all = pairs(headers, 'x-ratelimit');
  return {
    read,
    left:
      read !== null || all === null
        ? null
        : { quarter: all.quarter.limit - all.quarter.usage, day: all.day.limit - all.day.usage },
  };
}

function pairs(headers: Headers, prefix: string) {
  const limit = pair(headers.get(`${prefix}-limit`));
  const usage = pair(headers.get(`${prefix}-usage`));
  if (limit === null || usage === null) return null;
  return {
    quarter: { limit: limit.quarter, usage: usage.quarter },
    day: { limit: limit.day, usage: usage.day },
  };
}

function pair(text: string | null): QuotaWindows<number> | null {
  const match = /^\s*(\d{1,9})\s*,\s*(\d{1,9})\s*$/.exec(text ?? '');
  return match === null ? null : { quarter: Number(match[1]), day: Number(match[2]) };
}
