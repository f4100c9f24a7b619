import t from 'tap';
import { z } from 'zod';
import { decodeCursor, encodeCursor } from '../../domain/cursor.ts';

const Key = z.tuple([z.string(), z.number()]);
const query = { user: 'a', types: ['heart_rate'] };

t.test('decoding returns the encoded key and direction', async (t) => {
  const key: [string, number] = ['1767249000123456', 7];
  t.same(decodeCursor(encodeCursor(query, 'next', key), query, Key), { direction: 'next', key });
  t.same(decodeCursor(encodeCursor(query, 'previous', key), query, Key), { direction: 'previous', key });
});

t.test('refuses a cursor of another query', async (t) => {
  const cursor = encodeCursor(query, 'next', ['1', 7]);
  t.throws(() => decodeCursor(cursor, { ...query, types: ['steps'] }, Key), {
    type: 'CURSOR_INVALID',
    code: 422,
  });
});

t.test('refuses an invalid cursor', async (t) => {
  const other = encodeCursor(query, 'next', [7, '1']);
  const cases = [
    '',
    'x',
    '!!!!',
    'bnVsbA',
    'W10',
    'WyJhIiwibiIsW11d',
    other,
    `${encodeCursor(query, 'next', ['1', 7])}x`.slice(3),
  ];
  for (const text of cases)
    t.throws(() => decodeCursor(text, query, Key), { type: 'CURSOR_INVALID', code: 422 });
});
