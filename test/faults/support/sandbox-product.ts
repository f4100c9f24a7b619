// The whole product in a process of its own, as npm start runs it but for one thing: toward the activity platform, whose
// limits are counted by the quarter of an hour, it goes by the clock that its parent turns and tells.
import { z } from 'zod';
import { loadConfig } from '../../../config.ts';
import { createBroker } from '../../../runtime/broker.ts';
import { activitynetIngestService } from '../../../services/activitynet-ingest/activitynet-ingest.service.ts';
import { gatewayUrl } from '../../../services/api-gateway/api-gateway.service.ts';
import { firstAccount } from '../../../stack/database/first-account.ts';
import { loadServices } from '../../../stack/processes/services.ts';

const Told = z.object({ shows_ms: z.number() });
let showsMs = 0;
process.on('message', (message) => {
  showsMs = Told.parse(message).shows_ms;
});
process.on('disconnect', () => process.exit());

const config = loadConfig();
const services = await loadServices(config.SERVICES);
const others = services.filter(({ name }) => name !== 'activitynet-ingest');
// Not before the wall clock, so that tasks due there are due here.
const ingest = activitynetIngestService({ aheadMs: () => Math.max(0, showsMs - Date.now()) });
const broker = createBroker({ config, services: [...others, ingest] });
await broker.start();
if (config.DATABASE_URL !== undefined) await firstAccount(config.DATABASE_URL, config, null);
process.send?.({ url: gatewayUrl(broker) });
