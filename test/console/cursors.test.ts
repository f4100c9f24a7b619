import t from 'tap';
import { type Cursors, useCursors } from '../../console/src/cursors.ts';
import { until } from '../support/until.ts';
import { hooked } from './hook.ts';

t.test('"Next" and "Previous" are one page each, and another list begins with its first page', async (t) => {
  const list = hooked<string, Cursors>(t, useCursors, 'audit');
  const isAt = (page: number, cursor?: string) => {
    const { page: actual, cursor: own } = list.result();
    return actual === page && own === cursor;
  };
  await new Promise((resolve) => setTimeout(resolve, 200)); // effects follow the first rendering
  t.ok(isAt(1));
  for (const [index, cursor] of ['second', 'third', 'fourth'].entries()) {
    list.result().next(cursor);
    await until(() => isAt(index + 2, cursor));
  }
  list.result().previous();
  await until(() => list.result().page < 4);
  t.ok(isAt(3, 'third'));
  list.result().previous();
  await until(() => list.result().page < 3);
  t.ok(isAt(2, 'second'));
  list.call('audit of another actor');
  await until(() => isAt(1));
});
