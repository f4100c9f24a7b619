// One ingest process of its own, for a test that kills it: settings and pace come as JSON in the first argument.
import { loadConfig } from '../../../config.ts';
import { createBroker } from '../../../runtime/broker.ts';
import { activitynetIngestService } from '../../../services/activitynet-ingest/activitynet-ingest.service.ts';

const { settings, pace, namespace, ahead } = JSON.parse(process.argv[2] ?? '');
const service = activitynetIngestService({ ...pace, aheadMs: () => ahead });
const broker = createBroker({
  config: loadConfig(settings),
  nodeID: `child-${process.pid}`,
  services: [service],
  namespace,
});
await broker.start();
