import { z } from 'zod';
import { hourMs } from '../../../domain/time/time.ts';
import { isProviderName } from '../../../providers/all.ts';
import { regularKinds } from '../../../services/freshness/rules/expectations.ts';
import { samplesOf } from '../../conformance/providers/simulated.ts';
import type { Difference } from './difference.ts';
import { type Connected, compare, comparedFromMs, type FreshnessRun } from './freshness-run.ts';

/** What the service did and published so far. */
export interface Doings {
  readonly requests: number;
  readonly repairs: number;
  /** `hours`: how long it lasted. Null: it is open. */
  readonly incidents: readonly {
    readonly provider: string;
    readonly reason: string;
    readonly hours: number | null;
  }[];
  /** Events about freshness, by type. */
  readonly events: Readonly<Record<string, number>>;
  /** The connections that are stale. */
  readonly stale: readonly string[];
  /** Kinds of data that are expected and never came, with their providers. */
  readonly silent: readonly string[];
}

const isExpected = (provider: string, kind: string) =>
  isProviderName(provider) && regularKinds(provider).some((one) => one === kind);

/** Reads what the service did. */
export async function doingsOf({ product: { api }, requests }: FreshnessRun): Promise<Doings> {
  const { database } = api;
  const [repairs] = await database.query<{ n: number }>(
    "select count(*)::int as n from auth.audit_entry where action = 'connection.repair_started'",
  );
  const events = await database.query<{ type: string; n: number }>(
    `select type, count(*)::int as n from changes.change
     where type in ('connection.stale', 'connection.fresh') or type like 'provider.incident.%' group by type`,
  );
  const stale = await database.query<{ user_id: string }>(
    'select user_id from freshness.connection where stale_since is not null order by user_id',
  );
  const silent = await database.query<{ provider: string; kind: string }>(
    "select distinct provider, kind from freshness.arrival where state = 'silent' order by 1, 2",
  );
  return {
    silent: silent
      .filter(({ provider, kind }) => isExpected(provider, kind))
      .map(({ provider, kind }) => `${provider} ${kind}`),
    requests: requests(),
    repairs: repairs?.n ?? 0,
    incidents: await database.query(
      'select provider, reason, extract(epoch from ended_at - started_at)::float8 / 3600 as hours from freshness.incident order by started_at',
    ),
    events: Object.fromEntries(events.map(({ type, n }) => [type, n])),
    stale: stale.map(({ user_id }) => user_id),
  };
}

/** Follows what is missing of connections. */
export interface Watched {
  /** Looks at all connections once. */
  look(): Promise<void>;
  /** Hours from the look that found a sample missing until the look that found it stored, one figure for each sample. */
  readonly repaired: readonly number[];
}

/** Watches connections of a run. Those of the device maker are left out: its ledger has what was acknowledged only. */
export function watch(run: FreshnessRun, connected: readonly Connected[]): Watched {
  const since = new Map<string, number>();
  const repaired: number[] = [];
  return {
    repaired,
    async look() {
      for (const one of connected.filter(({ provider }) => provider !== 'devicemaker')) {
        const [expected, stored] = [expectedOf(run, one), await storedOf(run, one)];
        for (const key of expected) {
          const began = since.get(key);
          if (!stored.has(key)) since.set(key, began ?? run.hours());
          else if (began !== undefined) {
            repaired.push(run.hours() - began);
            since.delete(key);
          }
        }
      }
    },
  };
}

const keyOf = ({ userId }: Connected, type: string, second: number) => `${userId} ${type} ${second}`;

function expectedOf({ product }: FreshnessRun, one: Connected): string[] {
  return samplesOf(product, one.provider, one).flatMap(({ type, samples }) =>
    samples.flatMap(([second = 0]) => (second * 1000 < comparedFromMs ? [] : [keyOf(one, type, second)])),
  );
}

async function storedOf({ product: { api } }: FreshnessRun, one: Connected): Promise<ReadonlySet<string>> {
  const rows = await api.database.query<{ type: string; seconds: number[] }>(
    `select t.name as type, array_agg(extract(epoch from x.ts)::float8) as seconds
     from timeseries.series s join timeseries.series_type t on t.id = s.type_id
       join timeseries.sample x on x.series_id = s.id
     where s.user_id = $1 and x.ts >= to_timestamp($2) group by t.name`,
    [one.userId, comparedFromMs / 1000],
  );
  return new Set(rows.flatMap(({ type, seconds }) => seconds.map((second) => keyOf(one, type, second))));
}

/** What is missing of some connections, and what there is more than expected. */
export async function leftOf(run: FreshnessRun, connected: readonly Connected[]): Promise<Difference> {
  let [missing, more] = [0, 0];
  for (const one of connected) {
    const found = await compare(run, one);
    missing += found.missing;
    more += found.more;
  }
  return { missing, more };
}

const Sent = z.object({
  ...{ person: z.int(), registered: z.boolean(), live_ms: z.number() },
  sent: z.record(z.string(), z.array(z.object({ startMs: z.number(), endMs: z.number() }))),
});

/** Hours of data types of the device maker that were announced to nobody: the ledger has what was acknowledged only. */
export function neverSentHours({ product: { sandbox }, hours }: FreshnessRun, fromHours: number): number {
  const fromMs = sandbox.world.clock.nowMs() - (hours() - fromHours) * hourMs;
  const holders = sandbox.providers.find(({ name }) => name === 'devicemaker')?.tokenHolders() ?? [];
  let ms = 0;
  for (const holder of holders) {
    const { registered, live_ms, sent } = Sent.parse(holder);
    if (registered)
      for (const spans of Object.values(sent))
        ms +=
          live_ms -
          fromMs -
          spans.reduce((sum, { startMs, endMs }) => sum + Math.max(0, endMs - Math.max(startMs, fromMs)), 0);
  }
  return ms / hourMs;
}

/** The median and the largest of some figures; 0 of none. */
export function spreadOf(figures: readonly number[]): { readonly median: number; readonly longest: number } {
  const sorted = figures.toSorted((a, b) => a - b);
  return { median: sorted[Math.floor(sorted.length / 2)] ?? 0, longest: sorted.at(-1) ?? 0 };
}
