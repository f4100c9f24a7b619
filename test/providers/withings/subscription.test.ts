import t from 'tap';
import { subscriptionEnding } from '../../../providers/withings/notifications.ts';

const { list, requests } = subscriptionEnding;
const listed = (body: unknown) => ({ status: 200, text: JSON.stringify(body) });
const callbackurl = 'https://pulse.example/webhooks';

t.test('ends each listed subscription at its own address', async (t) => {
  t.same(list, { path: '/notify', form: { action: 'list' } });
  const profiles = [
    { appli: 1, callbackurl, comment: 'pulsebus' },
    { appli: '44', callbackurl: `${callbackurl}/former`, expires: 2147483647 },
  ];
  t.same(requests(listed({ status: 0, body: { profiles } })), [
    { path: '/notify', form: { action: 'revoke', callbackurl, appli: '1' } },
    { path: '/notify', form: { action: 'revoke', callbackurl: `${callbackurl}/former`, appli: '44' } },
  ]);
  t.same(requests(listed({ status: 0, body: {} })), []);
});

t.test('an answer that cannot be read is no empty list', async (t) => {
  t.equal(requests(listed({ status: 0, body: { profiles: 'none' } })), null);
  t.equal(requests({ status: 200, text: '<html>' }), null);
});
