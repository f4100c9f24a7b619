import { randomUUID } from 'node:crypto';
import t from 'tap';
import { PingAnswer, PushAnswer } from '../../../contracts/devicemaker-ingest/answers.ts';
import { inboxOn } from '../../../mixins/inbox/inbox.ts';
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
