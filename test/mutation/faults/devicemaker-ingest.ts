import type { PlantedFault } from '../planted.ts';

export const devicemakerIngest: readonly PlantedFault[] = [
  {
    kind: 'quota',
    promise: 'Of the waits that a provider asks for, the longest counts for the next attempt of a ping.',
    file: 'services/devicemaker-ingest/ping/work-ping-item.ts',
    before: 'round.afterMs = Math.max(afterMs, round.afterMs ?? 0);',
    after: 'round.afterMs = Math.min(afterMs, round.afterMs ?? afterMs);',
    test: 'test/services/devicemaker-ingest/ping-limits.test.ts',
  },
  {
    kind: 'quota',
    promise: 'A wait that a provider asks for never shortens the back-off of a ping.',
    file: 'services/devicemaker-ingest/ping/work-ping.ts',
    before: 'Math.max(delay, afterMs + jitter(firstDelayMs));',
    after: 'Math.min(delay, afterMs + jitter(firstDelayMs));',
    test: 'test/services/devicemaker-ingest/ping-limits.test.ts',
  },
  {
    kind: 'quota',
    promise: 'An answer that the provider is busy ends the fetches of an attempt.',
    file: 'services/devicemaker-ingest/ping/work-ping-item.ts',
    before: "round.failuresInRow = kind === 'busy' ? mostFailuresInRow : round.failuresInRow + 1;",
    after: 'round.failuresInRow += 1;',
    test: 'test/services/devicemaker-ingest/ping-limits.test.ts',
  },
  {
    kind: 'tenant',
    promise: 'An item of another account in the answer to a callback is not stored for this user.',
    file: 'services/devicemaker-ingest/ping/work-ping-item.ts',
    before: "return isForeign ? { field: 'userId', reason: 'belongs to another account' } : null;",
    after:
      "return isForeign && account === null ? { field: 'userId', reason: 'belongs to another account' } : null;",
    test: 'test/services/devicemaker-ingest/ping-limits.test.ts',
  },
  {
    kind: 'secret',
    promise: 'A callback leads to a listed origin: a prefix of the address does not suffice.',
    file: 'services/devicemaker-ingest/ping/callback.ts',
    before: 'if (!origins.includes(url.origin))',
    after: 'if (!origins.some((origin) => text.startsWith(origin)))',
    test: 'test/services/devicemaker-ingest/ping-callback.test.ts',
  },
  {
    kind: 'leak',
    promise: 'The memory that a fetched answer counts for is free again afterwards.',
    file: 'services/devicemaker-ingest/ping/fetch-callback.ts',
    before: '  close();\n  release();\n',
    after: '  close();\n',
    test: 'test/services/devicemaker-ingest/ping-limits.test.ts',
  },
  {
    kind: 'leak',
    promise: 'The reading thread frees a body that was processed.',
    file: 'services/devicemaker-ingest/reading/large-body.worker.ts',
    before: '  bodies.delete(ask.body);\n',
    after: '',
    test: 'test/services/devicemaker-ingest/ping-limits.test.ts',
  },
  {
    kind: 'unit',
    promise: 'Backfill gets the times of received items in milliseconds.',
    file: 'services/devicemaker-ingest/items/report-received.ts',
    before: 'seconds < latestSeconds ? Math.round(seconds * 1000) : null;',
    after: 'seconds < latestSeconds ? Math.round(seconds) : null;',
    test: 'test/services/devicemaker-ingest/report-received.test.ts',
  },
  {
    kind: 'time',
    promise: 'The span of received items begins with the earliest of them.',
    file: 'services/devicemaker-ingest/items/report-received.ts',
    before: 'first_start_ms: firsts.length === 0 ? null : Math.min(...firsts),',
    after: 'first_start_ms: firsts[0] ?? null,',
    test: 'test/services/devicemaker-ingest/report-received.test.ts',
  },
  {
    kind: 'order',
    promise: 'A change of permissions in the future by an unauthenticated sender does not block later ones.',
    file: 'services/devicemaker-ingest/accounts/permissions.ts',
    before: 'const until = authenticated ? changed_ms : Math.min(changed_ms, receivedMs);',
    after: 'const until = changed_ms;',
    test: 'test/services/devicemaker-ingest/permissions.test.ts',
  },
  {
    kind: 'order',
    promise: 'Permissions are changed before accounts are deregistered, which are not found afterwards.',
    file: 'services/devicemaker-ingest/accounts/specials.ts',
    before: `  const permissions = changes === null ? null : await changePermissions(call, changes, arrival);
  return {
    permissions,
    deregistered: leavers === null ? null : await deregister(call, leavers, arrival),
  };`,
    after: `  const deregistered = leavers === null ? null : await deregister(call, leavers, arrival);
  return {
    permissions: changes === null ? null : await changePermissions(call, changes, arrival),
    deregistered,
  };`,
    test: 'test/services/devicemaker-ingest/permissions.test.ts',
  },
  {
    kind: 'erasure',
    promise: 'A kept delivery from before a purge is not stored again for the new connection.',
    file: 'services/devicemaker-ingest/reprocess/reprocess-delivery.ts',
    before: 'const arrival = { deliveryId, receivedMs, connectedBy: receivedMs, authenticated };',
    after: 'const arrival = { deliveryId, receivedMs, connectedBy: null, authenticated };',
    test: 'test/services/deliveries/reprocess.test.ts',
  },
];
