import type { Config } from '../../config.ts';
import { webhooks } from '../../contracts/webhooks.ts';
import { ServiceError } from '../../domain/errors.ts';
import { cipherOf } from '../../mixins/cipher.ts';
import { database } from '../../mixins/database.ts';
import { jobs } from '../../mixins/jobs.ts';
import type { Environment } from '../../runtime/environment.ts';
import { implement } from '../../runtime/implement.ts';
import {
  changeEndpoint,
  createEndpoint,
  findEndpoint,
  listEndpoints,
  removeEndpoint,
  replaceSecret,
} from './endpoints.ts';
import type { Shown } from './event-of-change.ts';
import { readFeed } from './feed.ts';
import { feedWatch } from './feed-watch.ts';
import { startPublisher } from './publish.ts';
import { published } from './published.ts';
import { forgetUser } from './queries/forget-user.ts';
import { retentionHandlers } from './retention.ts';
import { resealSecrets } from './secrets.ts';

const notYet = () => {
  throw new ServiceError('NOT_IMPLEMENTED');
};

/** How events show values, by the settings. */
export function shownBy({ PROVIDER_NAMES, PUBLIC_URL = '' }: Config): Shown {
  return {
    providerAs: (provider) => PROVIDER_NAMES[provider] ?? provider,
    baseUrl: PUBLIC_URL.replace(/\/$/, ''),
  };
}

/** The change log for applications: its publication, the endpoints that it is sent to, and the feed. */
export default implement(webhooks, {
  uses: {
    database: database(),
    cipher: { start: async ({ config }: Environment) => cipherOf(config), stop: async () => undefined },
    jobs: jobs(),
    published: published(),
    watch: feedWatch(),
  },
  actions: {
    createEndpoint: (ctx) => createEndpoint(ctx, ctx.params),
    listEndpoints: ({ database }) => listEndpoints(database),
    getEndpoint: ({ database, params }) => findEndpoint(database, params.endpoint_id),
    updateEndpoint: (ctx) => changeEndpoint(ctx, ctx.params.endpoint_id, ctx.params),
    removeEndpoint: (ctx) => removeEndpoint(ctx, ctx.params.endpoint_id),
    rotateSecret: (ctx) => replaceSecret(ctx, ctx.params.endpoint_id),
    testEndpoint: notYet,
    messages: notYet,
    resendMessage: notYet,
    recoverMessages: notYet,
    replayMessages: notYet,
    changes: (ctx) => readFeed({ ...ctx, shown: shownBy(ctx.config) }, ctx.params),
    async forgetUser({ database, params }) {
      return { forgotten: await forgetUser(database, params.user_id) };
    },
  },
  async started({ database, cipher, jobs, published, watch, config, logger }) {
    const resealed = await resealSecrets(database, cipher);
    if (resealed > 0) logger.warn('webhooks.secrets_resealed', { resealed });
    const endWatch = published.subscribe(watch.notify);
    const stopJobs = await jobs.start(retentionHandlers(database, config));
    const stopPublisher = startPublisher({ database, published, config, logger });
    return async () => {
      endWatch();
      await Promise.all([stopPublisher(), stopJobs()]);
    };
  },
});
