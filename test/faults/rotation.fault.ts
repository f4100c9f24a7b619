import t from 'tap';
import { z } from 'zod';
import { serviceNames } from '../../stack/processes/services.ts';
import { freshDatabase, natsUrl } from '../support/servers/database.ts';
import { get } from './support/api-data.ts';
import { startCluster } from './support/cluster.ts';
import { keepAlive, send } from './support/http.ts';

const rotations = Number(process.env.FAULT_ROTATIONS ?? 100);
t.setTimeout(0);

t.test('no request with the old key is accepted after its rotation is answered', async (t) => {
  const database = await freshDatabase(t);
  const groups = { gateway: ['api-gateway'], auth: ['auth'] };
  const rest = serviceNames.filter((name) => !Object.values(groups).flat().includes(name));
  const cluster = await startCluster(t, {
    ...{ database, natsUrl: natsUrl(), people: 1 },
    groups: { ...groups, rest },
    copies: { gateway: 2, auth: 3, rest: 1 },
  });
  const { origins, token } = cluster;
  let { keyId } = cluster;
  const agent = keepAlive(20);
  const path = `/api/v1/users/${cluster.wearers[0]?.userId}`;
  let key = cluster.key;
  let deadSince = new Map<string, number>();
  const wrong: string[] = [];
  const seen = { before: 0, after: 0 };
  let done = false;
  const lane = async (turn: number) => {
    for (let i = turn; !done; i++) {
      const sentMs = performance.now();
      const used = i % 2 === 0 ? key : ([...deadSince.keys()].at(-1) ?? key);
      const died = deadSince.get(used);
      const { status } = await send(agent, {
        origin: origins[i % 2] ?? '',
        method: 'GET',
        path,
        headers: { 'X-API-Key': used },
      });
      const isDead = died !== undefined && died <= sentMs;
      if (isDead) seen.after += 1;
      else seen.before += 1;
      if (isDead && status !== 401) wrong.push(`${status} ${(sentMs - died).toFixed(1)} ms after the answer`);
      if (!isDead && status !== 200 && status !== 401) wrong.push(`${status} of a key that lives`);
    }
  };
  const lanes = Array.from({ length: 12 }, (_, turn) => lane(turn));
  for (let i = 0; i < rotations; i++) {
    const old = key;
    const made = await get(
      origins[i % 2] ?? '',
      `/api-keys/${keyId}/rotate`,
      z.object({ id: z.string(), key: z.string() }),
      {
        token,
        method: 'POST',
      },
    );
    deadSince = new Map([[old, performance.now()]]);
    key = made.key;
    keyId = made.id;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  done = true;
  await Promise.all(lanes);
  agent.destroy();
  t.comment(JSON.stringify({ rotations, ...seen }));
  t.same(wrong.slice(0, 10), []);
  t.ok(seen.after > rotations, 'the old key was tried');
});
