import type { PlantedFault } from '../planted.ts';

const test = 'test/providers/suunto/records.test.ts';
const requests = 'test/providers/suunto/requests.test.ts';

/** Mistakes in how Suunto's requests, events and records are read. */
export const suunto: readonly PlantedFault[] = [
  {
    kind: 'secret',
    promise: 'Events of Suunto are signed with the secret of notifications.',
    file: 'providers/suunto/provider.ts',
    before: 'secret: ({ SUUNTO_NOTIFICATION_SECRET }: Settings) => SUUNTO_NOTIFICATION_SECRET',
    after: 'secret: ({ SUUNTO_SUBSCRIPTION_KEY }: Settings) => SUUNTO_SUBSCRIPTION_KEY',
    test: requests,
  },
  {
    kind: 'value',
    promise: 'A request of a provider has the headers that all of its requests need.',
    file: 'services/pull-ingest/send-request.ts',
    before: '{ ...apiHeadersOf(config, provider), ...headers }',
    after: '{ ...headers }',
    test: requests,
  },
  {
    kind: 'value',
    promise: "A refused key of the operator's subscription ends no connection.",
    file: 'providers/suunto/provider.ts',
    before:
      "isKeyRefused(reply) ? { kind: 'later', reason: 'SUBSCRIPTION_KEY_REFUSED' } : byStatus(reply, nowMs)",
    after: 'byStatus(reply, nowMs)',
    test,
  },
  {
    kind: 'time',
    promise: 'A workout has the offset that Suunto sends.',
    file: 'providers/suunto/records.ts',
    before: "kept('min', 'zone_offset')",
    after: "notKept('the offset')",
    test,
  },
  {
    kind: 'value',
    promise: 'A workout that is not listed any more is removed.',
    file: 'domain/recipe/record-type.ts',
    before: "['workouts', 'workout'],",
    after: '',
    test,
  },
  {
    kind: 'unit',
    promise: 'A heart rate in Hz is converted.',
    file: 'providers/suunto/samples.ts',
    before: 'value < 5 ?',
    after: 'value < 0 ?',
    test,
  },
  {
    kind: 'value',
    promise: 'Of the versions of a night the last one counts.',
    file: 'providers/suunto/samples.ts',
    before: 'versions.set(SleepId ?? record, record);',
    after: 'if (!versions.has(SleepId)) versions.set(record, record);',
    test,
  },
  {
    kind: 'time',
    promise: 'The score of a local day begins at its midnight.',
    file: 'providers/suunto/samples.ts',
    before: ' - offset * minuteMs;',
    after: ' - 0 * offset * minuteMs;',
    test,
  },
  {
    kind: 'value',
    promise: 'A local day of which only a part was read gets no score.',
    file: 'providers/suunto/samples.ts',
    before: '.some(isWithin)',
    after: '.some(() => true)',
    test,
  },
  {
    kind: 'order',
    promise: 'A night that was computed again replaces its former version, also if it is shorter.',
    file: 'services/timeseries/records/store-sleeps.ts',
    before: "item.supersede !== 'latest' || key !== item.key",
    after: 'key.length >= 0',
    test: 'test/services/timeseries/sleep-versions.test.ts',
  },
];
