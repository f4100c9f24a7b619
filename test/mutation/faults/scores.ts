import type { PlantedFault } from '../planted.ts';

const test = 'test/services/timeseries/scores.test.ts';

/** Mistakes in how scores are stored, listed, reported and removed. */
export const scores: readonly PlantedFault[] = [
  {
    kind: 'value',
    promise: 'A further part of an item keeps the scores of its first part.',
    file: 'services/timeseries/records/drop-unmade.ts',
    before: 'item.part === 0 && storedItems',
    after: 'storedItems',
    test,
  },
  {
    kind: 'value',
    promise: 'A version with one kind of score keeps no other kind of its former version.',
    file: 'services/timeseries/records/queries/delete-unmade.ts',
    before: 'and s.kind <> all(m.score_kinds)',
    after: 'and m.score_kinds = array[]::text[]',
    test,
  },
  {
    kind: 'time',
    promise: 'A score without a day is on the local day of its own clock.',
    file: 'services/timeseries/records/store-scores.ts',
    before: 'zone_offset_minutes ?? offsetAt(start_ms)',
    after: 'offsetAt(start_ms)',
    test,
  },
  {
    kind: 'tenant',
    promise: 'Scores are listed of one user.',
    file: 'services/timeseries/days/queries/select-scores.ts',
    before: "'user_id = $1 and date between",
    after: "'$1::uuid is not null and date between",
    test: 'test/services/timeseries/tenants.test.ts',
  },
  {
    kind: 'order',
    promise: 'Pages of scores leave out none that starts with the last one of a page.',
    file: 'services/timeseries/days/queries/select-scores.ts',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: text of the source
    before: '(date, start_time, id) ${sign} ($6, $7, $8::uuid)',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: text of the source
    after: '(date, start_time) ${sign} ($6, $7) and $8::uuid is not null',
    test,
  },
  {
    kind: 'value',
    promise: 'A list of one kind has the scores of day values of this kind only.',
    file: 'services/timeseries/days/queries/select-scores.ts',
    before: '($4::text is null or s.kind = $4)',
    after: '($4::text is null or $4 is not null)',
    test,
  },
  {
    kind: 'erasure',
    promise: 'An erasure deletes scores.',
    file: 'services/timeseries/removal/queries/insert-tombstone.ts',
    before: "    'score',\n",
    after: '',
    test,
  },
  {
    kind: 'erasure',
    promise: 'A purge deletes the scores of its provider.',
    file: 'services/timeseries/removal/queries/delete-records.ts',
    before: "    'score',\n",
    after: '',
    test,
  },
  {
    kind: 'value',
    promise: 'A change of a score has its span.',
    file: 'services/webhooks/feed/event-of-change.ts',
    before: '(workout|sleep|score|timeseries)',
    after: '(workout|sleep|timeseries)',
    test: 'test/services/webhooks/events.test.ts',
  },
];
