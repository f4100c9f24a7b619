import { randomUUID } from 'node:crypto';
import t from 'tap';
import { gatewayUrl } from '../../services/api-gateway/api-gateway.service.ts';
import { loadServices } from '../../stack/processes/services.ts';
import { createUser, joinApi } from '../support/api.ts';
import { connectClient, toolAnswer } from '../support/mcp.ts';
import { startBroker } from '../support/servers/broker.ts';
import { freshDatabase, natsUrl } from '../support/servers/database.ts';

t.test('the official client lists and calls every tool over three gateways in turn', async (t) => {
  const database = await freshDatabase(t);
  const bus = { natsUrl: natsUrl(), namespace: `mcp-${randomUUID()}` };
  const api = await joinApi(t, { database, settings: {}, ...bus });
  const services = await loadServices(['api-gateway']);
  const others = [];
  for (let n = 0; n < 2; n += 1)
    others.push(await startBroker(t, { databaseUrl: database.url, services, ...bus }));
  for (const { broker } of others)
    await broker.waitForServices(['auth', 'users', 'timeseries', 'summaries', 'webhooks'], 60_000);
  const gateways = [api.url, ...others.map(({ broker }) => gatewayUrl(broker))];
  const user_id = await createUser(api, { first_name: 'Ada' });
  const dates = { user_id, start_date: '2026-03-01', end_date: '2026-03-02' };
  const calls: Readonly<Record<string, Record<string, unknown>>> = {
    find_users: {},
    list_connections: { user_id },
    get_freshness: { user_id },
    activity_summaries: dates,
    sleep_summaries: dates,
    body_summary: { user_id },
    list_scores: dates,
    get_baselines: dates,
    get_insights: dates,
    get_training: dates,
    get_recovery: dates,
    list_workouts: dates,
    list_sleep_sessions: dates,
    time_series: { user_id, start_time: '2026-03-01', end_time: '2026-03-02', types: ['heart_rate'] },
    list_changes: { user_id },
  };
  for (const mode of ['auto', 'legacy'] as const) {
    const used: string[] = [];
    const inTurn: typeof fetch = (input, init) => {
      const gateway = gateways[used.length % gateways.length] ?? '';
      used.push(gateway);
      return fetch(new URL(new URL(String(input)).pathname, gateway), init);
    };
    const client = await connectClient(t, api.url, api.apiKey, mode, inTurn);
    const { tools } = await client.listTools();
    t.strictSame(tools.map(({ name }) => name).sort(), Object.keys(calls).sort());
    for (const { name } of tools)
      for (const _ of gateways) {
        const answer = toolAnswer(await client.callTool({ name, arguments: calls[name] ?? {} }));
        t.notOk(answer.isError, `${mode} ${name}: ${answer.text}`);
        t.ok(answer.body !== null);
      }
    t.equal(new Set(used).size, 3, 'each gateway was asked');
    t.equal(client.getNegotiatedProtocolVersion(), mode === 'auto' ? '2026-07-28' : '2025-11-25');
  }
});
