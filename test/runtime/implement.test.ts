import { setTimeout as sleep } from 'node:timers/promises';
import { Errors } from 'moleculer';
import t from 'tap';
import { z } from 'zod';
import { action, contract } from '../../domain/contract.ts';
import { implement } from '../../runtime/implement.ts';
import { startBroker } from '../support/servers/broker.ts';

t.test('a call that arrives after the service has stopped is refused as unavailable', async (t) => {
  const steps = contract('steps', {
    count: action({ summary: 'Count', params: z.object({}), returns: z.object({ steps: z.int() }) }),
  });
  const store = () => ({ steps: 7 });
  const service = implement(steps, {
    uses: { store },
    actions: { count: ({ store }) => ({ steps: store.steps }) },
  });
  const { broker } = await startBroker(t, {
    databaseUrl: 'postgres://127.0.0.1:9/none',
    services: [service],
  });
  const count = broker.getLocalService('steps')?.actions?.count;
  if (typeof count !== 'function') throw new Error('the service has no action');
  t.same(await count({}), { steps: 7 });
  await broker.stop();
  await t.rejects(count({}), Errors.ServiceNotAvailableError);
});

t.test('a call within a process waits for its work where the contract says so', async (t) => {
  const slow = { params: z.object({}), returns: z.boolean(), timeoutMs: 30, idempotent: true } as const;
  const works = contract('works', {
    store: action({ summary: 'Store', ...slow, localTimeoutMs: 60_000 }),
    read: action({ summary: 'Read', ...slow }),
  });
  let runs = 0;
  const work = async () => {
    runs += 1;
    await sleep(200);
    return true;
  };
  const service = implement(works, { actions: { store: work, read: work } });
  const { broker } = await startBroker(t, {
    databaseUrl: 'postgres://127.0.0.1:9/none',
    services: [service],
  });
  const options = { timeout: 30, retries: 0 };
  t.equal(await broker.call('works.store', {}, options), true);
  await t.rejects(broker.call('works.read', {}, options), Errors.RequestTimeoutError);
  t.equal(runs, 2);
});
