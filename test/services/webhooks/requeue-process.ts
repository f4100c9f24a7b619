// One process of the service webhooks, for a test that kills it while it sends messages again in small parts.

import { loadConfig } from '../../../config.ts';
import { createBroker } from '../../../runtime/broker.ts';
import { typedCall } from '../../../runtime/environment.ts';
import { webhooksService } from '../../../services/webhooks/webhooks.service.ts';

const { settings, endpoint_id } = JSON.parse(process.argv[2] ?? '');
const broker = createBroker({
  config: loadConfig(settings),
  nodeID: `child-${process.pid}`,
  services: [webhooksService({ requeues: { rowsPerPart: 2, waitMs: 0 } })],
});
await broker.start();
await typedCall(broker)('webhooks.replayMessages', { endpoint_id, since: '2020-01-01' });
