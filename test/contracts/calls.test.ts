import t from 'tap';
import { actionsByName, contracts } from '../../contracts/all.ts';
import { callsOf } from '../../contracts/calls.ts';
import { typedCall } from '../../runtime/environment.ts';

t.test('every declared call is an action of another service', async (t) => {
  const wrong = contracts.flatMap(({ name }) =>
    [...(callsOf(name) ?? [])].filter((action) => !actionsByName.has(action)).map((a) => `${name}: ${a}`),
  );
  t.same(wrong, []);
});

t.test('an undeclared call is refused in every process', async (t) => {
  const called: string[] = [];
  const call = typedCall({ call: async (name) => void called.push(name) }, 'summaries');
  await t.rejects(call('users.tokens', { user_id: '', provider: 'withings' }), /summaries does not declare/);
  await call('users.get', { user_id: '' });
  await call('summaries.body', { user_id: '' });
  t.same(called, ['users.get', 'summaries.body']);
});
