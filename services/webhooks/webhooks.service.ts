import type { ServiceSchema } from 'moleculer';
import type { Config } from '../../config.ts';
import { webhooks } from '../../contracts/webhooks.ts';
import { type Database, database } from '../../mixins/database/database.ts';
import { reads } from '../../mixins/database/reads.ts';
import { jobs } from '../../mixins/jobs/jobs.ts';
import { rowJobs } from '../../mixins/jobs/row-jobs.ts';
import { cipherOf } from '../../mixins/provider-api/cipher.ts';
import type { Environment, Meta, Starting } from '../../runtime/environment.ts';
import type { Resolve } from '../../runtime/http/guarded-request.ts';
import { implement } from '../../runtime/implement.ts';
import { metricsOf } from '../../runtime/telemetry/metrics.ts';
import { projectOf } from '../../runtime/user-project.ts';
import {
  changeEndpoint,
  createEndpoint,
  deleteEndpointsOf,
  endKeys,
  findEndpoint,
  listEndpoints,
  removeEndpoint,
  replaceSecret,
  resealSecrets,
} from './actions/endpoints.ts';
import { readFeed } from './actions/feed.ts';
import { findMessage, listMessages, resendMessage, testEndpoint } from './actions/messages.ts';
import type { Shown } from './rules/event-of-change.ts';
import { type DeliveryPace, deliveryPace } from './rules/outcome.ts';
import { selectArrivals, selectChangedSpans, selectDataChanges } from './tables/changes.ts';
import { forgetUser, insertIncident } from './tables/pending-changes.ts';
import { poster, setDeliveryFigures, startDelivering } from './work/deliver.ts';
import { feedWatch } from './work/feed-watch.ts';
import { messageBodies } from './work/message-body.ts';
import { published, startPublisher } from './work/publish.ts';
import { type RequeuePace, requestRequeue, requeueHandler, requeuePace } from './work/requeue.ts';
import { messageDeletionHandler, retentionHandlers } from './work/retention.ts';

/** How events show values, by the settings. */
function shownBy({ PROVIDER_NAMES, PUBLIC_URL = '' }: Config): Shown {
  return {
    providerAs: (provider) => PROVIDER_NAMES[provider] ?? provider,
    baseUrl: PUBLIC_URL.replace(/\/$/, ''),
  };
}

/** What tests choose: the resolver of names, and the pace of the work. */
interface WebhooksChoice {
  readonly resolve?: Resolve | undefined;
  readonly pace?: DeliveryPace;
  readonly requeues?: RequeuePace;
}

/** The change log for applications: its publication, the endpoints that it is sent to, and the feed. */
export function webhooksService({
  resolve,
  pace = deliveryPace,
  requeues = requeuePace,
}: WebhooksChoice = {}): ServiceSchema {
  return implement(webhooks, {
    uses: {
      database: database(),
      reads: reads(),
      cipher: ({ config }: Starting) => cipherOf(config),
      jobs: jobs(),
      published: published(),
      watch: feedWatch(),
      rowJobs: rowJobs(),
      poster: poster(resolve),
    },
    actions: {
      createEndpoint: (ctx) => createEndpoint(ctx, ctx.params),
      listEndpoints: ({ reads, meta }) => listEndpoints(reads, projectOf(meta)),
      getEndpoint: ({ reads, meta, params }) => findEndpoint(reads, projectOf(meta), params.endpoint_id),
      updateEndpoint: (ctx) => changeEndpoint(ctx, ctx.params.endpoint_id, ctx.params),
      removeEndpoint: (ctx) => removeEndpoint(ctx, ctx.params.endpoint_id),
      endKeys: (ctx) => endKeys(ctx, ctx.params),
      rotateSecret: (ctx) => replaceSecret(ctx, ctx.params.endpoint_id),
      async testEndpoint(ctx) {
        await requireEndpoint(ctx);
        return testEndpoint({ ...ctx, ...deliveryOf(ctx, pace) }, ctx.params.endpoint_id);
      },
      messages: ({ reads, meta, params }) => listMessages(reads, projectOf(meta), params),
      message: ({ reads, params }) => findMessage(reads, params.message_id),
      async resendMessage(ctx) {
        const { endpoint_id, message_id } = ctx.params;
        await requireEndpoint(ctx);
        const message = await resendMessage(ctx, endpoint_id, message_id);
        ctx.rowJobs.notify();
        return message;
      },
      async recoverMessages(ctx) {
        await requireEndpoint(ctx);
        return requestRequeue(ctx, { ...ctx.params, isReplay: false }, requeues);
      },
      async replayMessages(ctx) {
        await requireEndpoint(ctx);
        return requestRequeue(ctx, { ...ctx.params, isReplay: true }, requeues);
      },
      changes(ctx) {
        const query = { ...ctx.params, project: projectOf(ctx.meta) };
        return readFeed({ ...ctx, database: ctx.reads, shown: shownBy(ctx.config) }, query);
      },
      arrivals: ({ reads, params }) => selectArrivals(reads, params.after, params.limit),
      dataChanges: ({ reads, params }) => selectDataChanges(reads, params),
      async changedSpans({ reads, params }) {
        return { spans: await selectChangedSpans(reads, params.user_id, params.since_ms) };
      },
      async publishIncident({ database, published, params }) {
        const count = await database.transaction((transaction) => insertIncident(transaction, params));
        published.notify();
        return { published: count };
      },
      async forgetProject({ database, params }) {
        return { deleted: await deleteEndpointsOf(database, params.project_id) };
      },
      forgetUser: ({ database, params }) => forgetUser(database, params.user_id),
    },
    async started(environment) {
      const { database, cipher, jobs, published, watch, rowJobs, config, broker, logger } = environment;
      const resealed = await resealSecrets(database, cipher);
      if (resealed > 0) logger.warn('webhooks.secrets_resealed', { resealed });
      const endWatch = published.subscribe(watch.notify);
      const stopJobs = await jobs.start([
        ...retentionHandlers(database, config),
        messageDeletionHandler(database),
        requeueHandler({ database, jobs, onQueued: rowJobs.notify }, requeues),
      ]);
      const stopPublisher = startPublisher({ database, published, config, logger });
      const metrics = metricsOf(broker);
      const endFigures = metrics.onScrape(() => setDeliveryFigures(metrics, database));
      const endDeliveries = published.subscribe(rowJobs.notify);
      const stopDeliveries = startDelivering({ ...environment, ...deliveryOf(environment, pace) });
      return async () => {
        endWatch();
        endDeliveries();
        endFigures();
        await Promise.all([stopPublisher(), stopJobs(), stopDeliveries()]);
      };
    },
  });
}

export default webhooksService();

interface EndpointRequest {
  readonly database: Database;
  readonly meta: Meta;
  readonly params: { readonly endpoint_id: string };
}

/** Checks that an endpoint belongs to the caller's project. @throws WEBHOOK_ENDPOINT_NOT_FOUND (404) */
async function requireEndpoint({ database, meta, params }: EndpointRequest): Promise<void> {
  await findEndpoint(database, projectOf(meta), params.endpoint_id);
}

/** What deliveries of this process share. */
function deliveryOf({ call, config }: Pick<Environment, 'call' | 'config'>, pace: DeliveryPace) {
  return { bodyOf: messageBodies(call, shownBy(config)), pace };
}
