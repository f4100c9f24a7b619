import type { PlantedFault } from '../planted.ts';

const manage = 'test/services/destinations/manage.test.ts';
const files = 'test/services/destinations/s3.test.ts';
const failures = 'test/services/destinations/s3-failures.test.ts';
const commit = 'services/destinations/targets/s3/commit.ts';
const read = 'services/destinations/read';
const marks = 'services/destinations/targets/s3/queries/mark-partitions.ts';

/** Faults of destinations. */
export const destinations: readonly PlantedFault[] = [
  {
    kind: 'tenant',
    promise: 'Samples of other projects are not copied.',
    file: `${read}/samples.ts`,
    before: 'p.id = s.user_id and p.project_id = $1',
    after: 'p.id = s.user_id and $1::text is not null',
    test: files,
  },
  {
    kind: 'tenant',
    promise: 'Records of other projects are not copied.',
    file: `${read}/records.ts`,
    before: 'where p.project_id = $1 and p.deleted_at',
    after: 'where $1::text is not null and p.deleted_at',
    test: files,
  },
  {
    kind: 'tenant',
    promise: 'A destination of another project is unknown.',
    file: 'services/destinations/queries/destinations.ts',
    before: 'where d.project_id = $1 and d.id = $2 for update',
    after: 'where $1::text is not null and d.id = $2 for update',
    test: manage,
  },
  {
    kind: 'secret',
    promise: 'No answer has the secret.',
    file: 'services/destinations/targets/s3/s3.ts',
    before: "secrets: ['secret_access_key'],",
    after: 'secrets: [],',
    test: manage,
  },
  {
    kind: 'leak',
    promise: 'A name that leads to a private address is refused at the connection.',
    file: 'services/destinations/targets/s3/s3-client.ts',
    before: 'const lookup = isAllowed ? {} : { lookup: publicLookup(resolve) };',
    after: 'const lookup = isAllowed || publicLookup(resolve) ? {} : {};',
    test: failures,
  },
  {
    kind: 'quota',
    promise: 'A project has at most ten destinations.',
    file: 'services/destinations/queries/destinations.ts',
    before: 'from destinations.destination where project_id = $2) <',
    after: 'from destinations.destination where project_id = $2) <=',
    test: manage,
  },
  {
    kind: 'erasure',
    promise: 'Files with rows of a deleted user are written again.',
    file: marks,
    before: 's.user_id = any($2::uuid[]) and p.type = s.type',
    after: 's.user_id = all($2::uuid[]) and p.type <> s.type',
    test: files,
  },
  {
    kind: 'erasure',
    promise: 'Later days of a user are known to its erasure.',
    file: 'services/destinations/targets/s3/queries/partitions.ts',
    before: 'last_date = greatest(s.last_date, excluded.last_date)',
    after: 'last_date = s.last_date',
    test: files,
  },
  {
    kind: 'erasure',
    promise: 'Objects that no manifest names are deleted with a user.',
    file: 'services/destinations/targets/s3/listed-objects.ts',
    before: '    for (const name of unknown) await client.remove(keyOf(settings, name));\n',
    after: '',
    test: files,
  },
  {
    kind: 'erasure',
    promise: 'A deleted user is removed from a paused destination too.',
    file: 'services/destinations/run/run-destination.ts',
    before: 'if (destination.paused && users.length === 0)',
    after: 'if (destination.paused)',
    test: files,
  },
  {
    kind: 'end',
    promise: 'A process that lost its lease commits nothing.',
    file: 'services/destinations/queries/commit.ts',
    before: 'where id = $1 and version = $2 returning',
    after: 'where id = $1 and $2::bigint is not null returning',
    test: files,
  },
  {
    kind: 'end',
    promise: 'The name of a file is known before it is written.',
    file: 'services/destinations/targets/s3/write-partition.ts',
    before: '        await named();\n        await client.put(key, rest);',
    after: '        await client.put(key, rest);\n        await named();',
    test: failures,
  },
  {
    kind: 'order',
    promise: 'A file of a whole day replaces those of its hours.',
    file: commit,
    before: '(hour === file.hour || hour === -1)',
    after: 'hour === file.hour',
    test: files,
  },
  {
    kind: 'order',
    promise: 'A record that moved to another day is not left on the former one.',
    file: marks,
    before: 'and r.id = g.record_id and r.type = g.type',
    after: 'and r.id = g.record_id and r.type <> g.type',
    test: files,
  },
  {
    kind: 'value',
    promise: 'An interval is in the file of its start.',
    file: 'services/destinations/targets/s3/queries/enumerate-partitions.ts',
    before: "select distinct t.type, (v.start_time at time zone 'UTC')::date",
    after: "select distinct t.type, (v.start_time at time zone 'UTC')::date + 1",
    test: files,
  },
  {
    kind: 'retry',
    promise: 'A pause of the store is no success: the failing begins once.',
    file: 'services/destinations/queries/health.ts',
    before: 'failing_since = coalesce(failing_since, now())',
    after: 'failing_since = now()',
    test: manage,
  },
  {
    kind: 'quota',
    promise: 'No array of a row group is a large object to V8.',
    file: 'services/destinations/targets/s3/parquet.ts',
    before: 'const rowsPerGroup = 4 * rowsPerBatch;',
    after: 'const rowsPerGroup = 5 * rowsPerBatch;',
    test: 'test/services/destinations/parquet.test.ts',
  },
];
