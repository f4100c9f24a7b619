import type { ServiceBroker, ServiceSchema } from 'moleculer';
import type { Test } from 'tap';
import { type Config, loadConfig } from '../../config.ts';
import { createBroker } from '../../mixins/broker.ts';
import { type Call, typedCall } from '../../mixins/environment.ts';

/** A broker that runs, with a typed `call`. */
export interface TestBroker {
  readonly broker: ServiceBroker;
  readonly call: Call;
}

/** What a test broker needs. `natsUrl` joins it to the bus in a namespace of its own. */
export interface TestBrokerChoice {
  readonly databaseUrl: string;
  readonly services: readonly ServiceSchema[];
  readonly natsUrl?: string;
  readonly namespace?: string;
  readonly settings?: Readonly<Record<string, string>>;
}

const secret = 'a secret of the tests with 32 characters and more';
let nodes = 0;

/** The settings of a test: everything quiet, on a free port, with fixed secrets. */
export function testConfig({ databaseUrl, natsUrl, settings }: Omit<TestBrokerChoice, 'services'>): Config {
  return loadConfig({
    DATABASE_URL: databaseUrl,
    NATS_URL: natsUrl,
    JWT_SECRET: secret,
    ENCRYPTION_KEY: secret,
    PORT: '0',
    LOG_LEVEL: 'fatal',
    DRAIN_MS: '0',
    ...settings,
  });
}

/** Starts a broker with the given services and stops it when the test ends. */
export async function startBroker(t: Test, choice: TestBrokerChoice): Promise<TestBroker> {
  nodes += 1;
  const broker = createBroker({
    config: testConfig(choice),
    nodeID: `test-${process.pid}-${nodes}`,
    services: choice.services,
    ...(choice.namespace === undefined ? {} : { namespace: choice.namespace }),
  });
  await broker.start();
  t.teardown(() => broker.stop());
  return { broker, call: typedCall(broker) };
}
