import type { PlantedFault } from '../planted.ts';

const routes = 'test/http/freshness.test.ts';
const service = 'test/services/freshness/service.test.ts';
const faults = 'test/services/freshness/faults.test.ts';

/** Faults of freshness. */
export const freshness: readonly PlantedFault[] = [
  {
    kind: 'tenant',
    promise: 'A list has the connections of its project only.',
    file: 'services/freshness/queries/listing.ts',
    before: 'where a.project_id = $1 and a.state',
    after: 'where $1::text is not null and a.state',
    test: routes,
  },
  {
    kind: 'tenant',
    promise: 'The freshness of a user is that of the own connections.',
    file: 'services/freshness/queries/listing.ts',
    before: 'where a.user_id = $1 and c.user_id = $1 order',
    after: 'where $1::uuid is not null order',
    test: routes,
  },
  {
    kind: 'tenant',
    promise: 'The deletion of a user forgets that user only.',
    file: 'services/freshness/queries/connections.ts',
    before: 'delete from freshness.connection where user_id = $1 returning',
    after: 'delete from freshness.connection where $1::uuid is not null returning',
    test: routes,
  },
  {
    kind: 'retry',
    promise: 'Two processes that follow the change log count each arrival once.',
    file: 'services/freshness/queries/position.ts',
    before: 'set last_id = $2 where last_id = $1 returning',
    after: 'set last_id = $2 where last_id <> $1 or true returning',
    test: service,
  },
  {
    kind: 'value',
    promise: 'During an incident of its provider no connection is reported as stale.',
    file: 'services/freshness/judge-due.ts',
    before: "const isHeldBack = state === 'stale' && incident !== undefined && !row.is_ended;",
    after: "const isHeldBack = state === 'silent' && incident !== undefined && !row.is_ended;",
    test: service,
  },
  {
    kind: 'quota',
    promise: 'While a provider fails, only the probe is sent.',
    file: 'services/freshness/judge-due.ts',
    before: 'if (isFailing) return',
    after: 'if (isFailing && repairs > 99) return',
    test: faults,
  },
  {
    kind: 'value',
    promise: 'What the user does not share is paused.',
    file: 'services/freshness/judge-due.ts',
    before: "const isWanting = first.state !== 'fresh' && !row.is_ended;",
    after: 'const isWanting = row.is_ended;',
    test: service,
  },
  {
    kind: 'value',
    promise: 'A device that is carried and not worn is paused.',
    file: 'services/freshness/judge-due.ts',
    before: 'worn.has(kind) && row.is_carried && row.repairs > 0',
    after: 'worn.has(kind) && row.is_carried && row.repairs > 99',
    test: service,
  },
  {
    kind: 'quota',
    promise: 'After three fruitless repairs one a day follows.',
    file: 'domain/freshness/repairs.ts',
    before: '(pausesMs[repairs] ?? dayMs)',
    after: '(pausesMs[repairs] ?? hourMs)',
    test: service,
  },
  {
    kind: 'value',
    promise: 'The rhythm is that of the longest gap of each day.',
    file: 'services/freshness/queries/upsert-arrivals.ts',
    before: 'then greatest(a.gap_longest, excluded.gap_longest) else',
    after: 'then excluded.gap_longest else',
    test: service,
  },
  {
    kind: 'value',
    promise: 'A connection whose access the provider refused is stale at once.',
    file: 'domain/freshness/state.ts',
    before: "if (isEnded) return as('stale');",
    after: "if (isEnded && expected === null) return as('stale');",
    test: service,
  },
  {
    kind: 'value',
    promise: 'A few connections that turn late by chance are no incident.',
    file: 'domain/freshness/incident.ts',
    before: 'const leastTurned = 5;',
    after: 'const leastTurned = 1;',
    test: faults,
  },
  {
    kind: 'quota',
    promise: 'A little lateness costs no request.',
    file: 'domain/freshness/repairs.ts',
    before: 'const firstAfter = 1.25;',
    after: 'const firstAfter = 1;',
    test: 'test/domain/freshness/repairs.test.ts',
  },
];
