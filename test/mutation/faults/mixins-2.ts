import type { PlantedFault } from '../planted.ts';

export const mixins2: readonly PlantedFault[] = [
  {
    kind: 'unit',
    promise: 'The lifetime of a token is in seconds.',
    file: 'mixins/provider-api/token-endpoint.ts',
    before: 'nowMs + expires_in * 1000',
    after: 'nowMs + expires_in',
    test: 'test/mixins/provider-token-endpoint.test.ts',
  },
  {
    kind: 'retry',
    promise: 'A refusal of our client does not end the access of a user.',
    file: 'mixins/provider-api/token-endpoint.ts',
    before: "kind: isOurs ? 'later' : 'refused'",
    after: "kind: 'refused'",
    test: 'test/mixins/provider-token-endpoint.test.ts',
  },
  {
    kind: 'retry',
    promise: 'While users is away, a connection does not count as gone.',
    file: 'mixins/provider-api/provider-tokens.ts',
    before: `return { kind: 'later', reason: 'USERS_AWAY' };
  }
}`,
    after: `return { kind: 'none', reason: 'USER_GONE' };
  }
}`,
    test: 'test/mixins/provider-tokens.test.ts',
  },
  {
    kind: 'leak',
    promise: 'A finished refresh is forgotten.',
    file: 'mixins/provider-api/provider-tokens.ts',
    before: '.finally(() => deps.underWay.delete(key));',
    after: ';',
    test: 'test/mixins/provider-tokens.test.ts',
  },
  {
    kind: 'leak',
    promise: 'A body that was handed over is not kept.',
    file: 'mixins/inbox/inbox-at-hand.ts',
    before: `  bodies.delete(id);
  heldBytes`,
    after: '  heldBytes',
    test: 'test/mixins/inbox-at-hand.test.ts',
  },
  {
    kind: 'leak',
    promise: 'The bytes of a body that was taken are free again.',
    file: 'mixins/inbox/inbox-at-hand.ts',
    before: `  heldBytes -= body.length;
`,
    after: '',
    test: 'test/mixins/inbox-at-hand.test.ts',
  },
  {
    kind: 'end',
    promise: 'A stop does not cost a delivery an attempt.',
    file: 'mixins/inbox/inbox-queries.ts',
    before: ', max_attempts = max_attempts + 1',
    after: '',
    test: 'test/mixins/inbox.test.ts',
  },
  {
    kind: 'order',
    promise: 'Live deliveries come before those of a backfill.',
    file: 'mixins/inbox/inbox-queries.ts',
    before: 'order by priority, run_at limit',
    after: 'order by run_at, priority limit',
    test: 'test/mixins/inbox.test.ts',
  },
  {
    kind: 'order',
    promise: 'Results from before a replay are ignored.',
    file: 'mixins/inbox/inbox-progress.ts',
    before: "case when p.result_at >= coalesce(d.replayed_at, '-infinity') then p.result end",
    after: 'p.result',
    test: 'test/mixins/inbox-progress.test.ts',
  },
  {
    kind: 'order',
    promise: 'A former holder of a delivery keeps no result for the current one.',
    file: 'mixins/inbox/inbox-progress.ts',
    before: 'id = $1 and attempts = $2 and state',
    after: 'id = $1 and $2::int is not null and state',
    test: 'test/mixins/inbox-progress.test.ts',
  },
  {
    kind: 'end',
    promise: 'A transaction that fails is rolled back.',
    file: 'mixins/database/database.ts',
    before: "    broken = await client.query('rollback').then(",
    after: "    broken = await client.query('commit').then(",
    test: 'test/mixins/database.test.ts',
  },
  {
    kind: 'order',
    promise: 'A reader who would miss a deleted change is refused.',
    file: 'mixins/database/unpublished-changes.ts',
    before: 'where exists (select from deleted)',
    after: 'where not exists (select from deleted)',
    test: 'test/mixins/unpublished-changes.test.ts',
  },
];
