import t from 'tap';
import { loadConfig } from '../../config.ts';
import { publicUrl, secretAddresses } from '../../runtime/provider-settings.ts';

const secret = 'secret-of-the-tests-0123456789-0001';
const older = 'secret-of-the-tests-0123456789-0000';

t.test('a provider has a secret address for each kind of its deliveries, with the first secret', (t) => {
  const config = loadConfig({ WEBHOOK_SECRET_DEVICEMAKER: `${secret},${older}` });
  const base = 'https://pulse.example';
  t.same(secretAddresses(config, 'devicemaker', base), {
    push: `${base}/api/v1/webhooks/devicemaker/push/${secret}`,
    ping: `${base}/api/v1/webhooks/devicemaker/ping/${secret}`,
  });
  t.same(secretAddresses(config, 'activitynet', base), {}, 'no secret is set');
  const other = loadConfig({ WEBHOOK_SECRET_ACTIVITYNET: secret });
  t.same(secretAddresses(other, 'activitynet', base), {
    event: `${base}/api/v1/webhooks/activitynet/webhook/${secret}`,
  });
  t.end();
});

t.test('the public address is the setting, else that of the gateway, else what it would listen at', (t) => {
  const config = loadConfig({ PUBLIC_URL: 'https://pulse.example/', PORT: '4000' });
  t.equal(publicUrl(config, 'http://127.0.0.1:1'), 'https://pulse.example');
  t.equal(publicUrl(loadConfig({ PORT: '4000' }), 'http://127.0.0.1:1'), 'http://127.0.0.1:1');
  t.equal(publicUrl(loadConfig({ PORT: '4000' }), undefined), 'http://127.0.0.1:4000');
  t.end();
});
