import pg from 'pg';
import { loadConfig } from '../../../config.ts';
import { databaseOf } from '../../../mixins/database/database.ts';
import { rowJobs } from '../../../mixins/jobs/row-jobs.ts';
import { cipherOf } from '../../../mixins/provider-api/cipher.ts';
import { createBroker } from '../../../runtime/broker.ts';
import { typedCall } from '../../../runtime/environment.ts';
import { newPoster } from '../../../runtime/http/guarded-post.ts';
import { deliveryPace } from '../../../services/webhooks/rules/outcome.ts';
import { startDelivering } from '../../../services/webhooks/work/deliver.ts';
import { messageBodies } from '../../../services/webhooks/work/message-body.ts';

// One delivering process of its own, for a test that kills it: settings and pace come as JSON in the first argument.

const { settings, pace, origin } = JSON.parse(process.argv[2] ?? '');
const config = loadConfig(settings);
const broker = createBroker({ config, nodeID: `child-${process.pid}`, services: [] });
await broker.start();
const call = typedCall(broker);
const environment = { broker, call, config, logger: broker.logger };
startDelivering({
  ...environment,
  database: databaseOf(new pg.Pool({ connectionString: config.DATABASE_URL, max: 4 })),
  cipher: cipherOf(config),
  poster: newPoster({ origins: [origin] }),
  rowJobs: await rowJobs()({ ...environment, onStop: () => undefined }),
  bodyOf: messageBodies(call, { providerAs: (provider) => provider, baseUrl: '' }),
  pace: { ...deliveryPace, ...pace },
});
