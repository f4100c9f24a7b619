import t from 'tap';
import { gatherAnswerTimes } from '../../mixins/provider-api/provider-api.ts';
import { startBroker, testConfig } from '../support/servers/broker.ts';

t.test('sums up the answers of each provider, and hands them over at the end', async (t) => {
  const noted: unknown[] = [];
  const service = {
    name: 'deliveries',
    actions: { noteAnswers: ({ params }: { params: unknown }) => void noted.push(params) },
  };
  const choice = {
    databaseUrl: 'postgres://127.0.0.1:1/none',
    settings: { ACTIVITYNET_API_URL: 'https://activities.example/api' },
  };
  const { broker, call } = await startBroker(t, { ...choice, services: [service] });
  const times = gatherAnswerTimes({ broker, call, logger: broker.logger, config: testConfig(choice) });
  const of = new URL('https://activities.example/api/v3/athlete');
  for (const [status, tookMs] of [
    [200, 40],
    [429, 10.4],
    [499, 1],
    [500, 20],
    [503, 5],
    [0, 9],
  ] as const)
    times.note(of, status, tookMs);
  times.note(new URL('https://elsewhere.example/api'), 500, 1000);
  await times.close();
  const sums = { requests: 6, failed: 3, rejected: 1, total_ms: 85, slowest_ms: 40 };
  t.same(noted, [{ answers: [{ provider: 'activitynet', ...sums }] }]);
});
