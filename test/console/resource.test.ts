import t, { type Test } from 'tap';
import { type Resource, useRepeated, useResource } from '../../console/src/resource.ts';
import { until } from '../support/until.ts';
import { hooked } from './hook.ts';

/** A page that is read by its key, and the answers to come. */
function reading(t: Test) {
  const asked = new Map<string, PromiseWithResolvers<string>>();
  const load = (key: string) => {
    const answer = Promise.withResolvers<string>();
    asked.set(key, answer);
    return answer.promise;
  };
  const page = hooked<string, Resource<string>>(t, (key) => useResource(key, () => load(key), true), 'first');
  const isAsked = (key: string) => until(() => asked.has(key));
  return { page, asked, isAsked };
}

const turn = () => new Promise((resolve) => setTimeout(resolve, 50));

t.test('a late answer or failure of another page is not shown', async (t) => {
  for (const end of ['resolve', 'reject'] as const) {
    const { page, asked, isAsked } = reading(t);
    await isAsked('first');
    page.call('second');
    await isAsked('second');
    asked.get('second')?.resolve('of the second');
    await until(() => page.result().data === 'of the second');
    asked.get('first')?.[end]('of the first');
    await turn();
    t.match(page.result(), { data: 'of the second', error: undefined, isLoading: false });
  }
});

t.test('the old data stays while another page is read, and goes with its failure', async (t) => {
  const { page, asked, isAsked } = reading(t);
  await isAsked('first');
  asked.get('first')?.resolve('of the first');
  await until(() => !page.result().isLoading);
  page.call('second');
  await isAsked('second');
  t.match(page.result(), { data: 'of the first', isLoading: true });
  asked.get('second')?.reject(new Error('away'));
  await until(() => page.result().error !== undefined);
  t.match(page.result(), { data: undefined, error: { message: 'away' } });
});

t.test('a page that is left is read no more', async (t) => {
  Reflect.set(globalThis, 'document', { visibilityState: 'visible' });
  t.teardown(() => Reflect.deleteProperty(globalThis, 'document'));
  let reads = 0;
  const read = () => {
    reads += 1;
  };
  const page = hooked(t, () => useRepeated(5, read), undefined);
  await until(() => reads > 2);
  page.leave();
  await turn();
  const before = reads;
  await turn();
  t.equal(reads, before);
});
