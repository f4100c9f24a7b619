import { randomUUID } from 'node:crypto';
import t from 'tap';
import type { Actions } from '../../../contracts/all.ts';
import { minuteMs } from '../../../domain/time/time.ts';
import type { Call } from '../../../runtime/environment.ts';
import { watchProviders } from '../../../services/freshness/incidents.ts';
import { freshDatabase } from '../../support/servers/database.ts';
import { simulatedStart } from './simulation.ts';

type Answers = Actions['deliveries.answers']['returns']['answers'];

t.test('an incident ends when the provider answers, not when its failures pause', async (t) => {
  const database = await freshDatabase(t);
  await database.query(
    `insert into freshness.connection (connection_id, user_id, project_id, provider, connected_at)
     values ($1, $2, 'default', 'withings', now())`,
    [randomUUID(), randomUUID()],
  );
  let [nowMs, answers]: [number, Answers] = [simulatedStart, []];
  const published: unknown[] = [];
  const call: Call = (async (name: string, params: { readonly action?: string }) => {
    if (name === 'deliveries.answers') return { answers };
    published.push(params.action);
    return { published: 1 };
  }) as never;
  const watch = async (...minutes: readonly (readonly [ago: number, requests: number, failed: number])[]) => {
    nowMs += 5 * minuteMs;
    answers = minutes.map(([minutes_ago, requests, failed]) => ({
      ...{ provider: 'withings' as const, minutes_ago, requests, failed },
    }));
    await watchProviders({ database, call }, nowMs);
    return published.splice(0);
  };
  t.same(await watch([1, 6, 6]), [], 'it fails for a few minutes');
  t.same(await watch([1, 8, 8], [6, 6, 6]), ['started']);
  t.same(await watch(), [], 'nothing is sent');
  t.same(await watch([1, 26, 26]), [], 'it fails again after a pause');
  t.same(await watch([1, 4, 0], [6, 26, 26]), ['ended']);
  t.same(await watch([1, 4, 0]), []);
});
