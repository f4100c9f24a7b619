import { ServiceBroker } from 'moleculer';
import t from 'tap';
import { startJobWorker } from '../../runtime/jobs/job-worker.ts';

/** A database whose statements the test answers one after the other. */
function askedDatabase() {
  let asked = Promise.withResolvers<(due: readonly number[]) => string>();
  return {
    /** Answers the next statement; returns its text. */
    answer: async (due: readonly number[]) => (await asked.promise)(due),
    query({ text }: { readonly text: string }) {
      const answered = Promise.withResolvers<readonly unknown[]>();
      asked.resolve((due) => {
        asked = Promise.withResolvers();
        answered.resolve(due.map((index) => ({ due: index })));
        return text;
      });
      return answered.promise;
    },
  };
}

t.test(
  'workers of one database look for due jobs with one statement, and only the one with some claims',
  async (t) => {
    const broker = new ServiceBroker({ logger: false });
    await broker.start();
    const database = askedDatabase();
    const claims = { first: 0, second: 0 };
    const claimed = Promise.withResolvers<void>();
    const started = (name: keyof typeof claims) =>
      startJobWorker<string>(
        {
          ...{ name, leaseMs: 30_000, pollMs: 5, parallel: 1 },
          due: { database, condition: () => `${name}_is_due` },
          claim: async () => {
            claims[name] += 1;
            if (claims.second === 2) claimed.resolve();
            return [];
          },
          extend: async () => true,
          work: async () => 'done',
        },
        { broker, logger: broker.logger },
      );
    const workers = [started('first'), started('second')];
    t.teardown(async () => {
      await Promise.all(workers.map((worker) => worker.stop()));
      await broker.stop();
    });
    let text = '';
    while (!/first_is_due[\s\S]*second_is_due/.test(text)) text = await database.answer([]);
    await database.answer([]);
    t.same(claims, { first: 1, second: 1 }, 'each claims once at its start');
    await database.answer([1]);
    await claimed.promise;
    t.same(claims, { first: 1, second: 2 });
  },
);
