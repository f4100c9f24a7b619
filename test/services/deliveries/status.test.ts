import t from 'tap';
import { inboxOn } from '../../../mixins/inbox/inbox.ts';
import { providerNames, providers } from '../../../providers/all.ts';
import deliveries from '../../../services/deliveries/deliveries.service.ts';
import { startBroker } from '../../support/servers/broker.ts';
import { freshDatabase } from '../../support/servers/database.ts';

/** Providers that service pull-ingest reads. */
const pulled = providerNames.filter((name) => providers[name].ingest.service === 'pull-ingest');

const quiet = {
  configured: false,
  webhook_addresses: null,
  deliveries: { waiting: 0, working: 0, dead: 0, oldest_waiting_seconds: null },
  answers: { minutes: 15, requests: 0, failed: 0, rejected: 0, mean_ms: null, slowest_ms: null },
  fetches: null,
  budget: null,
};

const figures = {
  live_waiting: 3,
  history_waiting: 40,
  given_up: 1,
  oldest_event_time: null,
  budget: {
    live: 10,
    backfill: 5,
    quarter_used: 88,
    quarter_limit: 100,
    day_used: 1010,
    day_limit: 1000,
    paused: true,
  },
  skipped: {},
};

t.test('a service without anything to do says so, and names whom it could not ask', async (t) => {
  const database = await freshDatabase(t);
  const settings = {
    DEVICEMAKER_CLIENT_ID: 'id',
    ACTIVITYNET_CLIENT_ID: 'id',
    ACTIVITYNET_CLIENT_SECRET: 'secret',
  };
  const { call } = await startBroker(t, { databaseUrl: database.url, services: [deliveries], settings });
  t.strictSame(await call('deliveries.status', {}), {
    providers: {
      devicemaker: quiet,
      activitynet: { ...quiet, configured: true },
      phone: { ...quiet, configured: true },
      file: { ...quiet, configured: true },
      ...Object.fromEntries(pulled.map((name) => [name, quiet])),
    },
    samples: null,
    away: ['timeseries', 'activitynet-ingest', 'pull-ingest'],
  });
});

t.test('queues, answers and budgets of each provider', async (t) => {
  const database = await freshDatabase(t);
  const played = { name: 'activitynet-ingest', actions: { figures: () => figures } };
  const samples = { plain_bytes: 8192, compressed_bytes: 4096, chunks: 2, compressed_chunks: 1 };
  const store = { name: 'timeseries', actions: { sampleBytes: () => samples } };
  const { call } = await startBroker(t, { databaseUrl: database.url, services: [deliveries, played, store] });
  const inbox = inboxOn(database);
  const receive = (provider: string) =>
    inbox.receive({ provider, kind: 'push', headers: {}, body: Buffer.from('{}') });
  for (let n = 0; n < 5; n += 1) await receive('devicemaker');
  await database.query("update deliveries.delivery set run_at = now() - interval '1 second'");
  const [dead, done, working] = await inbox.claim('devicemaker', 3);
  if (dead === undefined || done === undefined || working === undefined) return t.fail('nothing was claimed');
  await inbox.fail(dead.id, dead.attempt, 'BROKEN');
  await inbox.finish(done.id, done.attempt, {});
  await database.query(
    `update deliveries.delivery set received_at = now() - case id when $1 then interval '90 seconds'
       when $2 then interval '2 days' when $3 then interval '3 days' else interval '0' end`,
    [working.id, dead.id, done.id],
  );
  const answers = { requests: 2, failed: 1, rejected: 0, total_ms: 100, slowest_ms: 90 };
  await call('deliveries.noteAnswers', { answers: [{ provider: 'devicemaker', ...answers }] });
  await database.query("update deliveries.answer_minute set minute = minute - interval '20 minutes'");
  for (const slowest_ms of [60, 50])
    await call('deliveries.noteAnswers', {
      answers: [
        { provider: 'devicemaker', ...answers, slowest_ms },
        { provider: 'activitynet', ...answers, rejected: 1, failed: 0 },
      ],
    });

  const { providers, away, samples: stored } = await call('deliveries.status', {});
  t.strictSame(away, ['pull-ingest']);
  t.strictSame(stored, samples);
  const { oldest_waiting_seconds, ...queue } = providers.devicemaker.deliveries;
  t.strictSame(queue, { waiting: 2, working: 1, dead: 1 });
  t.ok((oldest_waiting_seconds ?? 0) >= 90 && (oldest_waiting_seconds ?? 0) < 3600, 'neither done nor dead');
  t.strictSame(providers.devicemaker.answers, {
    minutes: 15,
    requests: 4,
    failed: 2,
    rejected: 0,
    mean_ms: 50,
    slowest_ms: 60,
  });
  t.strictSame(providers.devicemaker.budget, null);
  t.match(providers.activitynet, {
    deliveries: quiet.deliveries,
    answers: { requests: 4, failed: 0, rejected: 2 },
    fetches: { live_waiting: 3, history_waiting: 40, given_up: 1 },
    budget: { quarter_left: 12, quarter_limit: 100, day_left: 0, day_limit: 1000, paused: true },
  });
});
