import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { createConnectedUser } from './api-data.ts';
import type { Cluster } from './cluster.ts';
import { keepAlive, send } from './http.ts';
import { webhookBody } from './load.ts';

/** What the comparison found. */
export interface ReadBack {
  /** Reads that were compared with what had been answered. */
  readonly compared: number;
  /** Reads that lacked a push that was answered before. */
  readonly stale: readonly string[];
  /** Pushes that were not answered with their stored data. */
  readonly failed: number;
}

const Counted = z.object({ pagination: z.object({ total_count: z.int() }) });

/** Pushes one workout and sample after the other for a user of its own, and reads both back at once. */
export async function readBack({
  origins,
  key,
}: Pick<Cluster, 'origins' | 'key'>): Promise<{ stop(): Promise<ReadBack> }> {
  const agent = keepAlive(2);
  const origin = origins[0] ?? '';
  const account = randomUUID();
  const userId = await createConnectedUser(origin, key, account);
  const stale: string[] = [];
  let [compared, failed, answered, sent] = [0, 0, 0, 0];
  let isStopped = false;
  const countOf = async (path: string) => {
    const answer = await send(agent, { origin, method: 'GET', path, headers: { 'X-API-Key': key } });
    return answer.status === 200 ? Counted.parse(JSON.parse(answer.text)).pagination.total_count : null;
  };
  const paths = [
    `/api/v1/users/${userId}/timeseries?start_time=2025-01-01&end_time=2026-01-01&types=oxygen_saturation&limit=1`,
    `/api/v1/users/${userId}/events/workouts?start_date=2025-01-01&end_date=2026-01-01&limit=1`,
  ];
  const step = async () => {
    const body = webhookBody(sent, account);
    sent += 1;
    const headers = { 'Content-Type': 'application/json', 'devicemaker-client-id': 'faults' };
    const push = { origin, method: 'POST', path: '/api/v1/webhooks/devicemaker/push', headers, body };
    const answer = await send(agent, push);
    if (answer.status !== 200 || !/"saved":\s*[1-9]/.test(answer.text)) failed += 1;
    else answered += 1;
    for (const path of paths) {
      const found = await countOf(path);
      if (found === null) continue;
      compared += 1;
      if (found < answered || found > sent)
        stale.push(`${path.slice(50)}: ${found}, ${answered} of ${sent} were answered`);
    }
  };
  const done = (async () => {
    while (!isStopped) await step().catch(() => new Promise((resolve) => setTimeout(resolve, 100)));
  })();
  return {
    async stop() {
      isStopped = true;
      await done;
      agent.destroy();
      return { compared, stale, failed };
    },
  };
}
