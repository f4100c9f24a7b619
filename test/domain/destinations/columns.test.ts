import t from 'tap';
import {
  columnList,
  columnsOf,
  isRecordKind,
  recordKinds,
  rowKindOf,
} from '../../../domain/destinations/columns.ts';
import { isTargetErrorCode, TargetError, targetErrors } from '../../../domain/destinations/target-errors.ts';
import { seriesTypes } from '../../../domain/records/series.ts';

t.test('no column has the name of a folder key, which readers of folders would put in its place', (t) => {
  const names = recordKinds.flatMap((kind) => columnList(kind).map(({ name }) => name));
  t.same(
    names.filter((name) => name === 'type' || name === 'date'),
    [],
  );
  for (const kind of Object.values(columnsOf))
    t.equal(new Set(kind.map(({ name }) => name)).size, kind.length);
  t.end();
});

t.test('a type is a kind of records or a series type', (t) => {
  t.same(
    seriesTypes.filter((type) => isRecordKind(type)),
    [],
  );
  t.same([rowKindOf('sleep'), rowKindOf('heart_rate')], ['sleep', 'sample']);
  t.end();
});

t.test('each failure has a sentence', (t) => {
  t.equal(new TargetError('full').message, targetErrors.full);
  t.equal(new TargetError('stopped').message, 'stopped');
  t.same([isTargetErrorCode('full'), isTargetErrorCode('toString')], [true, false]);
  t.end();
});
