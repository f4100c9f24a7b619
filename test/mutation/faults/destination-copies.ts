import type { PlantedFault } from '../planted.ts';

const tables = 'test/services/destinations/postgres.test.ts';
const tablesFailing = 'test/services/destinations/postgres-failures.test.ts';
const stream = 'test/services/destinations/jetstream.test.ts';
const streamFailing = 'test/services/destinations/jetstream-failures.test.ts';
const targets = 'services/destinations/targets';
const copy = 'services/destinations/copy';

/** Faults of destinations of the kinds postgres and jetstream. */
export const destinationCopies: readonly PlantedFault[] = [
  {
    kind: 'erasure',
    promise: 'All rows of a deleted user are deleted from the tables.',
    file: `${targets}/postgres/postgres.ts`,
    before: 'where user_id = any($1::uuid[]) returning 1',
    after: 'where user_id = any($1::uuid[]) and false returning 1',
    test: tables,
  },
  {
    kind: 'erasure',
    promise: 'The messages of all types of a deleted user are purged.',
    file: `${targets}/jetstream/jetstream.ts`,
    before: "subjectOf(settings, project_id, '*', user)",
    after: "subjectOf(settings, project_id, 'heart_rate', user)",
    test: stream,
  },
  {
    kind: 'secret',
    promise: 'A certificate is checked for the host of the settings.',
    file: `${targets}/tls-settings.ts`,
    before: 'checkServerIdentity(host, certificate)',
    after: "checkServerIdentity('localhost', certificate)",
    test: streamFailing,
  },
  {
    kind: 'secret',
    promise: 'Names that lead to private addresses are refused.',
    file: `${targets}/checked-address.ts`,
    before: 'publicLookup(resolve)(host',
    after: 'publicLookup()(host',
    test: tablesFailing,
  },
  {
    kind: 'retry',
    promise: 'A part that the tables have already is not written again.',
    file: `${targets}/postgres/postgres.ts`,
    before: 'if (ahead <= 0n) return null;',
    after: 'if (ahead <= 1n) return null;',
    test: tablesFailing,
  },
  {
    kind: 'retry',
    promise: 'A position moves after all acknowledgements.',
    file: `${targets}/jetstream/jetstream-client.ts`,
    before: 'await Promise.all(inFlight);\n      check();',
    after: 'await Promise.all(inFlight);',
    test: streamFailing,
  },
  {
    kind: 'value',
    promise: 'Samples that are not there any more are deleted from the tables.',
    file: `${targets}/postgres/stage.ts`,
    before: 'await deleteSpans(run, transaction, settings, spans);',
    after: '',
    test: tables,
  },
  {
    kind: 'order',
    promise: 'Spans of a source that meet are replaced as one.',
    file: `${copy}/plan-changes.ts`,
    before: 'highest(before) < lowest(span)',
    after: 'true',
    test: 'test/services/destinations/plan-changes.test.ts',
  },
  {
    kind: 'value',
    promise: 'The message that completes a copy follows it.',
    file: `${targets}/jetstream/jetstream.ts`,
    before: 'page.last === null,',
    after: 'false,',
    test: stream,
  },
  {
    kind: 'value',
    promise: 'The last sample of a span is copied.',
    file: `${copy}/read-plan.ts`,
    before: 'span.last + 1',
    after: 'span.last',
    test: tables,
  },
  {
    kind: 'value',
    promise: 'A span without samples is deleted by a message.',
    file: `${targets}/jetstream/jetstream.ts`,
    before: '    await spanSender(publisher, { ...span, source }).end();\n',
    after: '',
    test: stream,
  },
  {
    kind: 'value',
    promise: 'A sample is of the source of its span.',
    file: 'services/destinations/read/samples.ts',
    before: 'const span = spans[n];',
    after: 'const span = spans[0];',
    test: tables,
  },
];
