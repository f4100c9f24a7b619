import type { RetentionPreview, RetentionRule } from '../../../contracts/timeseries/retention.ts';
import { seriesById } from '../../../domain/records/series.ts';
import { OtherEventType } from '../../../domain/wire.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import type { Call } from '../../../runtime/environment.ts';
import { firstDayOf, keptDays } from './kept-days.ts';
import { countOldEvents, countOldSamples } from './queries/count-old.ts';
import { keptTypes } from './queries/kept-types.ts';

/** Users per statement of a preview. */
const usersPerPage = 1000;

interface Previewing {
  readonly database: Queryable;
  readonly call: Call;
  readonly installationDays: number;
}

interface Count {
  rows: number;
  users: number;
}

/** Counts what a pass at an instant would delete of the users of a project under a rule. */
export async function previewRetention(
  { database, call, installationDays }: Previewing,
  project_id: string,
  rule: RetentionRule,
  nowMs: number,
): Promise<RetentionPreview> {
  const kept = keptDays(nowMs, installationDays, rule);
  const types = keptTypes(kept);
  const samples = new Map<number, Count>();
  const events = new Map<string, Count>();
  for await (const users of pagesOf(call, project_id)) {
    for (const row of await countOldSamples(database, users, types)) add(samples, row.type_id, row);
    if (kept.events === null) continue;
    for (const row of await countOldEvents(database, users, kept.events)) add(events, row.type, row);
  }
  return {
    samples: [...samples].toSorted(byKey).map(([id, count]) => {
      const { type } = seriesById(id);
      return { type, kept_from: firstDayOf(kept, type) ?? '', ...count };
    }),
    events: [...events].toSorted(byKey).map(([type, count]) => ({
      ...{ type: OtherEventType.parse(type), kept_from: kept.events ?? '' },
      ...count,
    })),
  };
}

// Each user is on one page, so that users of pages add up.
function add<K>(counts: Map<K, Count>, key: K, { rows, users }: Count): void {
  const count = counts.get(key) ?? { rows: 0, users: 0 };
  counts.set(key, { rows: count.rows + rows, users: count.users + users });
}

function byKey<K extends string | number>([a]: readonly [K, Count], [b]: readonly [K, Count]): number {
  return a < b ? -1 : 1;
}

async function* pagesOf(call: Call, project_id: string): AsyncGenerator<string[]> {
  for (let after: string | null = null; ; ) {
    const { users }: { users: string[] } = await call('users.inProject', {
      ...{ project_id, after, limit: usersPerPage },
    });
    if (users.length > 0) yield users;
    if (users.length < usersPerPage) return;
    after = users.at(-1) ?? null;
  }
}
