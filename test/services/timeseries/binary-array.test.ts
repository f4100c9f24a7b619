import t from 'tap';
import { binaryArray } from '../../../services/timeseries/tables/arrays.ts';
import { freshDatabase } from '../../support/servers/database.ts';

const database = await freshDatabase(t);

t.test('numbers and instants reach the database as they are', async (t) => {
  const instants = [
    Date.UTC(1990, 0, 1),
    Date.UTC(1999, 11, 31, 23, 59, 59, 999),
    Date.UTC(2000, 0, 1),
    Date.UTC(2026, 10, 25, 10, 52, 27, 123),
    Date.UTC(2106, 1, 7),
  ];
  const [row] = await database.query(
    'select $1::int2[] as small, $2::int4[] as ids, $3::float8[] as values, $4::timestamptz[] as times',
    [
      binaryArray('int2', [-720, 0, 840, -32_768, 32_767]),
      binaryArray('int4', [0, 1, 2_147_483_647, -2_147_483_648]),
      binaryArray('float8', [0.1, -0, 1e308, 5e-324, 72.5]),
      binaryArray('timestamptz', instants),
    ],
  );
  t.strictSame(row, {
    small: [-720, 0, 840, -32_768, 32_767],
    ids: [0, 1, 2_147_483_647, -2_147_483_648],
    values: [0.1, -0, 1e308, 5e-324, 72.5],
    times: instants.map((ms) => new Date(ms)),
  });
});

t.test('an array without elements is empty', async (t) => {
  const [row] = await database.query('select cardinality($1::int4[]) as n', [binaryArray('int4', [])]);
  t.strictSame(row, { n: 0 });
});

t.test('a number that does not fit is refused', async (t) => {
  t.throws(() => binaryArray('int2', [32_768]), { code: 'ERR_OUT_OF_RANGE' });
});
