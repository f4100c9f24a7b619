import { randomUUID } from 'node:crypto';
import t from 'tap';
import { PingAnswer, PushAnswer } from '../../../contracts/devicemaker-ingest/answers.ts';
import { inboxOn } from '../../../mixins/inbox/inbox.ts';
import { findLinkedUsers } from '../../../mixins/inbox/linked-users.ts';
import type { Call } from '../../../runtime/environment.ts';
import ingest from '../../../services/devicemaker-ingest/devicemaker-ingest.service.ts';
import timeseries from '../../../services/timeseries/timeseries.service.ts';
import users from '../../../services/users/users.service.ts';
import { activity } from '../../fixtures/devicemaker/activities.ts';
import { daily } from '../../fixtures/devicemaker/dailies.ts';
import { startBroker } from '../../support/servers/broker.ts';
import { freshDatabase } from '../../support/servers/database.ts';

const database = await freshDatabase(t);
const inbox = inboxOn(database);
const { call } = await startBroker(t, {
  databaseUrl: database.url,
  services: [users, timeseries, ingest],
  settings: { WEBHOOK_UNKNOWN_ITEMS: '3' },
});

async function person() {
  const account = `account-${randomUUID()}`;
  const { id } = await call('users.create', {});
  await call('users.connect', { user_id: id, provider: 'devicemaker', provider_user_id: account });
  return { id, account };
}

async function deliver(kind: 'push' | 'ping', body: string) {
  const delivery_id = await inbox.receive({
    provider: 'devicemaker',
    ...{ kind, headers: {}, body: Buffer.from(body) },
  });
  await call(`devicemaker-ingest.${kind}`, { delivery_id });
  return inbox.answerOf(delivery_id);
}

/** The body itself, and with leading blanks, so that the parser thread reads it. */
const bodiesOf = (payload: object) => {
  const text = JSON.stringify(payload);
  return { small: text, large: ' '.repeat(1024 * 1024) + text };
};

t.test('items of unknown accounts are listed up to a number; later items are stored', async (t) => {
  const payload = (account: string) => ({
    activities: [{}, {}, activity('nobody'), activity('nobody'), {}, activity(account)],
    dailies: [daily('nobody', 1), null, daily(account, 1)],
  });
  for (const size of ['small', 'large'] as const) {
    const { id, account } = await person();
    const answer = PushAnswer.parse(await deliver('push', bodiesOf(payload(account))[size]));
    t.same(
      answer.activities.map(({ status }) => status),
      ['validation_error', 'validation_error', 'user_not_found', 'saved'],
      size,
    );
    t.equal(answer.activities.at(-1)?.internal_user_id, id);
    t.same(answer.wellness, { dailies: { processed: 1, saved: 1 } });
    t.match(answer.errors, [
      'activities: 2 more items belong to no user and are not listed',
      'dailies: 2 more items belong to no user and are not listed',
    ]);
  }
});

t.test('a ping lists the same number', async (t) => {
  const { account } = await person();
  const pingItems = [...Array.from({ length: 5 }, () => ({ userId: 'nobody' })), { userId: account }];
  const answer = PingAnswer.parse(await deliver('ping', JSON.stringify({ dailies: pingItems })));
  t.equal(answer.wellness.dailies?.items.length, 4);
  t.match(answer.errors, ['dailies: 2 more items belong to no user and are not listed']);
  t.match(answer.wellness.dailies?.errors.at(-1), /^dailies\[5\]: callbackURL/);
});

/** Counts look-ups; only the last id is known. */
function lookups(known: string) {
  let count = 0;
  const asked: Call = (async (_action: string, { provider_user_ids }: { provider_user_ids: string[] }) => {
    count += 1;
    return provider_user_ids
      .filter((id) => id === known)
      .map((provider_user_id) => ({
        ...{ provider_user_id, connected_at: new Date().toISOString() },
        ...{ connection_id: 'c', user_id: 'u' },
      }));
  }) as never;
  return { asked, count: () => count };
}

t.test('only authenticated senders have thousands of accounts looked up', async (t) => {
  const ids = Array.from({ length: 25_000 }, (_, n) => `account-${n}`);
  const arrival = { deliveryId: '', receivedMs: 0, connectedBy: null };
  const stranger = lookups('account-24999');
  const none = await findLinkedUsers(stranger.asked, 'devicemaker', ids, {
    ...arrival,
    authenticated: false,
  });
  t.equal(stranger.count(), 10);
  t.equal(none.size, 0);
  const provider = lookups('account-24999');
  const found = await findLinkedUsers(provider.asked, 'devicemaker', ids, {
    ...arrival,
    authenticated: true,
  });
  t.equal(provider.count(), 25);
  t.same([...found.keys()], ['account-24999']);
});
