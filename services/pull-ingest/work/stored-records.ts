import type { Database } from '../../../mixins/database/database.ts';
import type { PulledName } from '../../../providers/all.ts';
import type { Call } from '../../../runtime/environment.ts';
import { selectConnections } from '../tables/connections.ts';
import type { Demand } from '../tables/readings.ts';

/** A record by its type and the provider's id. */
interface RecordName {
  readonly type: string;
  readonly key: string;
}

/** Finds records of a provider in what is stored of all of its connections. */
export interface StoredRecords {
  /** The reads of the spans that the records have where they are stored. */
  find(call: Call, records: readonly RecordName[]): Promise<readonly Demand[]>;
}

/** The most connections, and the most records, of a look into the store. */
const [connectionsPerLook, recordsPerRound] = [500, 100];

interface Search {
  readonly records: readonly RecordName[];
  readonly result: PromiseWithResolvers<readonly Demand[]>;
}

/**
 * One search of a provider runs at a time, over all of its connections. What is asked for meanwhile is collected and searched together
 * in the next round, so that a storm of notifications costs one search after the other, and no request to the provider.
 */
export function storedRecords(database: Database, provider: PulledName): StoredRecords {
  const waiting: Search[] = [];
  let isSearching = false;

  async function searchAll(call: Call): Promise<void> {
    isSearching = true;
    while (waiting.length > 0) {
      const round = nextRound(waiting);
      try {
        const found = await search(call, namesOf(round));
        for (const { records, result } of round) result.resolve(demandsIn(found, records));
      } catch (error) {
        for (const { result } of round) result.reject(error);
      }
    }
    isSearching = false;
  }

  async function search(call: Call, records: readonly RecordName[]): Promise<Found[]> {
    const items = records.map(({ type, key }) => ({ data_type: type, key }));
    const found: Found[] = [];
    let after: string | null = null;
    do {
      const page = await selectConnections(database, provider, after, connectionsPerLook);
      const user_ids = page.map(({ user_id }) => user_id);
      const spans =
        page.length === 0 ? [] : await call('timeseries.findItems', { user_ids, provider, items });
      const connections = new Map(page.map(({ user_id, connection_id }) => [user_id, connection_id]));
      for (const { user_id, data_type: type, key, start_ms, end_ms } of spans) {
        const connection_id = connections.get(user_id);
        if (connection_id !== undefined)
          found.push({ key, demand: { connection_id, type, span: { startMs: start_ms, endMs: end_ms } } });
      }
      after = page.length < connectionsPerLook ? null : (page.at(-1)?.connection_id ?? null);
    } while (after !== null);
    return found;
  }

  return {
    find(call, records) {
      const result = Promise.withResolvers<readonly Demand[]>();
      waiting.push({ records: records.slice(0, recordsPerRound), result });
      if (!isSearching) void searchAll(call);
      return result.promise;
    },
  };
}

/** A stored record. */
interface Found {
  readonly key: string;
  readonly demand: Demand;
}

// The first search always fits.
function nextRound(waiting: Search[]): Search[] {
  const round = waiting.splice(0, 1);
  while (waiting[0] !== undefined && namesOf([...round, waiting[0]]).length <= recordsPerRound)
    round.push(...waiting.splice(0, 1));
  return round;
}

function namesOf(searches: readonly Search[]): RecordName[] {
  const names = searches.flatMap(({ records }) => records);
  return [...new Map(names.map((one) => [`${one.type} ${one.key}`, one])).values()];
}

function demandsIn(found: readonly Found[], records: readonly RecordName[]): Demand[] {
  return found
    .filter(({ key, demand: { type } }) => records.some((one) => one.type === type && one.key === key))
    .map(({ demand }) => demand);
}
