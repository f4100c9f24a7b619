// The sandbox's webhook receiver: it shows what an application would receive. `npm run listen` prints its messages.
import { randomBytes } from 'node:crypto';
import type { ServiceBroker } from 'moleculer';
import { z } from 'zod';
import type { Config } from '../../config.ts';
import { typedCall } from '../../runtime/environment.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../../sandbox/receiver/webhook-receiver.ts';
import { ownPort } from '../machine/ports.ts';
import type { Started } from '../processes/started.ts';
import { keptEndpoint, registerEndpoint, removeEndpoint } from './receiver-endpoint.ts';
import { sandboxIsOn } from './sandbox.ts';

/** What `npm run listen` reads from the run file. */
export const ReceiverAccess = z.object({
  messagesUrl: z.url(),
  token: z.string(),
  /** The secret of the endpoint. Null if there is none. */
  secret: z.string().nullable(),
  /** Why no messages arrive; null if they do. */
  note: z.string().nullable(),
});
export type ReceiverAccess = z.infer<typeof ReceiverAccess>;

/** A receiver whose endpoint is not registered yet. */
export interface SandboxReceiver {
  /** Permits the services to send to it. */
  readonly settings: Pick<Config, 'WEBHOOK_ENDPOINT_ORIGINS'>;
  /** Registers its endpoint. Failures are a note: the receiver is not needed for a start. */
  register(broker: ServiceBroker): Promise<ReceiverAccess>;
}

const tokenBytes = 32;

/** Starts the receiver, unless a setting or a missing sandbox turns it off. */
export async function startReceiver(
  config: Config,
  dataDir: string,
  started: Started,
): Promise<SandboxReceiver | null> {
  if (!receiverIsOn(config)) return null;
  const { path, secret } = keptEndpoint(dataDir);
  const token = randomBytes(tokenBytes).toString('hex');
  const port = await ownPort(dataDir, 'receiver');
  const receiver = await startWebhookReceiver({ port, path, token, secret });
  started(receiver.stop);
  return {
    settings: { WEBHOOK_ENDPOINT_ORIGINS: [...config.WEBHOOK_ENDPOINT_ORIGINS, receiver.origin] },
    async register(broker) {
      const { messagesUrl } = receiver;
      return { messagesUrl, token, ...(await registered(broker, dataDir, receiver)) };
    },
  };
}

/** Registers the endpoint of a receiver; without one, deletes that of an earlier start. */
export async function registerReceiver(
  receiver: SandboxReceiver | null,
  broker: ServiceBroker,
  config: Config,
  dataDir: string,
): Promise<ReceiverAccess | null> {
  if (receiver !== null) return receiver.register(broker);
  if (runsWebhooks(config)) await removeEndpoint(typedCall(broker), dataDir).catch(() => undefined);
  return null;
}

/** The receiver is a part of the sandbox. Other processes would refuse to send to it. */
function receiverIsOn(config: Config): boolean {
  return config.SANDBOX_RECEIVER === 'on' && sandboxIsOn(config) && runsWebhooks(config);
}

function runsWebhooks({ SERVICES }: Config): boolean {
  return SERVICES.length === 0 || SERVICES.includes('webhooks');
}

async function registered(broker: ServiceBroker, dataDir: string, receiver: WebhookReceiver) {
  try {
    return await registerEndpoint(typedCall(broker), dataDir, receiver);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return {
      secret: null,
      note: `The sandbox receives no webhooks: its endpoint was not registered (${reason}).`,
    };
  }
}
