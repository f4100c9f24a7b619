import type { PlantedFault } from '../planted.ts';

const access = 'test/http/fhir-access.test.ts';
const dense = 'test/http/fhir-dense.test.ts';
const main = 'test/http/fhir.test.ts';
const bulk = 'test/http/fhir-export.test.ts';
const observation = 'test/domain/fhir/observation.test.ts';
const raster = 'test/domain/fhir/raster.test.ts';
const search = 'test/domain/fhir/search.test.ts';
const points = 'test/http/export-omh.test.ts';

/** Faults of FHIR and Open mHealth. */
export const fhir: readonly PlantedFault[] = [
  {
    kind: 'tenant',
    promise: 'A Patient search by id checks the project of the user.',
    file: 'services/fhir/resources.ts',
    before: 'async function findUsers(call: Call, { user_id, identifier,',
    after: 'async function findUsers(call: Call, { _id: user_id, identifier,',
    test: access,
  },
  {
    kind: 'tenant',
    promise: 'The id of a resource names its user.',
    file: 'contracts/fhir/resources.ts',
    before: 'userOf: ({ observation_id }) => userOfResource(observation_id),',
    after: 'userOf: ({ user_id }) => userOfResource(user_id),',
    test: access,
  },
  {
    kind: 'tenant',
    promise: 'The sleeps of a search are those of the user.',
    file: 'services/timeseries/observed/queries/select-observed-records.ts',
    before: 'from timeseries.sleep_session where user_id = $1 and ${condition',
    after: 'from timeseries.sleep_session where $1::uuid is not null and ${condition',
    test: access,
  },
  {
    kind: 'tenant',
    promise: 'An export belongs to a project.',
    file: 'services/fhir/queries/exports.ts',
    before: 'where id = $1 and project_id = $2 and expires_at > $3`,',
    after: 'where id = $1 and $2::text is not null and expires_at > $3`,',
    test: bulk,
  },
  {
    kind: 'erasure',
    promise: 'A file of an export leaves deleted users out.',
    file: 'services/fhir/export-files.ts',
    before: 'Date.parse(user.created_at) <= row.created_at.getTime() ? [user] : [],',
    after: 'Date.parse(user.created_at) > 0 ? [user] : [],',
    test: bulk,
  },
  {
    kind: 'value',
    promise: 'A slot without a sample is a gap.',
    file: 'domain/fhir/raster.ts',
    before: "const gap = ' E';",
    after: "const gap = ' 0';",
    test: raster,
  },
  {
    kind: 'value',
    promise: 'The period is the largest that all samples are on.',
    file: 'domain/fhir/raster.ts',
    before: 'return b === 0 ? a : divisor(b, a % b);',
    after: 'return b === 0 ? a : Math.min(a, b);',
    test: raster,
  },
  {
    kind: 'value',
    promise: 'Seconds are sent as minutes.',
    file: 'domain/fhir/record-codes.ts',
    before: 'const perMinute = 1 / 60;',
    after: 'const perMinute = 1;',
    test: main,
  },
  {
    kind: 'value',
    promise: 'A page ends at its limit, and the next one continues after it.',
    file: 'services/timeseries/observed/observed.ts',
    before: "return compare(positionOf(item), after) * (order === 'asc' ? 1 : -1) > 0;",
    after: "return compare(positionOf(item), after) * (order === 'asc' ? 1 : -1) >= 0;",
    test: dense,
  },
  {
    kind: 'value',
    promise: 'Days with many samples are cut at hours.',
    file: 'services/timeseries/observed/sample-items.ts',
    before: 'if (samples.length <= mostOfDay) {',
    after: 'if (samples.length > 0) {',
    test: dense,
  },
  {
    kind: 'value',
    promise: 'A date after a prefix is compared with the local day.',
    file: 'domain/fhir/search-dates.ts',
    before: "if (prefix === 'gt') return high > last;",
    after: "if (prefix === 'gt') return high > first;",
    test: search,
  },
  {
    kind: 'value',
    promise: 'Vital signs have the codes of HL7.',
    file: 'domain/fhir/series-codes.ts',
    before: "loinc('9279-1',",
    after: "loinc('9279-2',",
    test: observation,
  },
  {
    kind: 'value',
    promise: 'What did not change since a time is not found.',
    file: 'services/fhir/changed.ts',
    before: "return isSeriesType(name) ? [name] : [''];",
    after: "return isSeriesType(name) ? ['weight'] : [''];",
    test: access,
  },
  {
    kind: 'value',
    promise: 'A data point of a time has an interval.',
    file: 'domain/omh/point.ts',
    before: 'if (schema.ofTime === true && measured.endMs === null) return null;',
    after: '',
    test: points,
  },
];
