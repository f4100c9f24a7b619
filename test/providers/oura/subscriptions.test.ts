import t from 'tap';
import type { PullRequest } from '../../../domain/provider/pulled-provider.ts';
import { dayMs } from '../../../domain/time/time.ts';
import { subscriptions } from '../../../providers/oura/provider.ts';
import { collections } from '../../../providers/oura/records.ts';

const address = 'https://pulse.example/api/v1/webhooks/oura/events/secret';
const nowMs = Date.parse('2026-03-02T00:00:00Z');
const settings = { OURA_CLIENT_ID: 'id', OURA_CLIENT_SECRET: 'secret', OURA_VERIFICATION_TOKEN: 'token' };
const names = Object.keys(collections).filter((name) => name !== 'heartrate');

const listed = (endsInDays: number) =>
  names.flatMap((data_type) =>
    ['create', 'update', 'delete'].map((event_type) => ({
      ...{ id: `${data_type}-${event_type}`, callback_url: address, event_type, data_type },
      expiration_time: new Date(nowMs + endsInDays * dayMs).toISOString().slice(0, -1),
    })),
  );

const reply = (list: unknown, status = 200) => ({ status, headers: {}, text: JSON.stringify(list) });
const stateOf = (list: unknown) => subscriptions.read(settings, reply(list), address, nowMs);
const renewalsOf = (list: unknown): readonly PullRequest[] =>
  subscriptions.renewals(settings, reply(list), address, nowMs);

t.test('nothing is requested while all subscriptions last', async (t) => {
  t.equal(stateOf(listed(30)), 'active');
  t.same(renewalsOf(listed(30)), []);
});

t.test('a subscription is renewed before it ends', async (t) => {
  const [first, ...others] = listed(30);
  const ending = { ...first, expiration_time: '2026-03-06T00:00:00.123456' };
  t.equal(stateOf([ending, ...others]), 'missing');
  t.same(renewalsOf([ending, ...others]), [
    { path: '/v2/webhook/subscription/renew/sleep-create', method: 'PUT' },
  ]);
  t.equal(stateOf([{ ...first, expiration_time: 'soon' }, ...others]), 'missing', 'an unreadable end');
});

t.test('a missing one is made, and one with another address is changed', async (t) => {
  const [first, second, ...others] = listed(30);
  const json = { callback_url: address, verification_token: 'token', data_type: 'sleep' };
  const path = '/v2/webhook/subscription';
  const [create, update] = ['create', 'update'].map((event_type) => ({ ...json, event_type }));
  t.same(renewalsOf([second, ...others]), [{ path, json: create }]);
  const moved = { ...second, callback_url: 'https://old.example/' };
  t.same(renewalsOf([first, moved, ...others]), [
    { path: `${path}/sleep-update`, json: update, method: 'PUT' },
  ]);
  t.equal(renewalsOf([]).length, 3 * names.length);
});

t.test('an answer that cannot be read changes nothing', async (t) => {
  t.equal(stateOf({}), 'unknown');
  t.equal(subscriptions.read(settings, reply([], 500), address, nowMs), 'unknown');
  t.same(renewalsOf({}), []);
});

t.test('requests show the application, if all of its settings are set', async (t) => {
  t.same(subscriptions.proof(settings, nowMs), {
    headers: { 'x-client-id': 'id', 'x-client-secret': 'secret' },
  });
  t.equal(subscriptions.proof({ ...settings, OURA_VERIFICATION_TOKEN: undefined }, nowMs), null);
});
