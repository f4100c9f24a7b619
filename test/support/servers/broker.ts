import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ServiceBroker, ServiceSchema } from 'moleculer';
import type { Test } from 'tap';
import { type Config, loadConfig } from '../../../config.ts';
import { createBroker } from '../../../runtime/broker.ts';
import { type Call, typedCall } from '../../../runtime/environment.ts';

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
export function testConfig(choice: Omit<TestBrokerChoice, 'services'>): Config {
  return loadConfig(testSettings(choice));
}

/** The same as an environment has them, for a process of its own. */
export function testSettings({ databaseUrl, natsUrl, settings }: Omit<TestBrokerChoice, 'services'>) {
  return {
    DATABASE_URL: databaseUrl,
    NATS_URL: natsUrl,
    JWT_SECRET: secret,
    ENCRYPTION_KEY: secret,
    PORT: '0',
    LOG_LEVEL: 'fatal',
    IMPORT_DIR: join(tmpdir(), `pulsebus-imports-${process.pid}`),
    DRAIN_MS: '0',
    DATABASE_POOL: '5', // PostgreSQL takes 15 ms for the first statements of each connection
    ...settings,
  };
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
  if (choice.namespace !== undefined) await meetOthers(t, broker, choice);
  return { broker, call: typedCall(broker) };
}

interface Member {
  readonly broker: ServiceBroker;
  readonly names: readonly string[];
}

const members = new Map<string, Member[]>();

// Each node of a bus learns of the others at its own time: a call that is made before would be 503.
async function meetOthers(
  t: Test,
  broker: ServiceBroker,
  { namespace = '', services }: TestBrokerChoice,
): Promise<void> {
  const mine: Member = { broker, names: services.map(({ name }) => name) };
  const others = members.get(namespace) ?? [];
  members.set(namespace, [...others, mine]);
  t.teardown(() =>
    members.set(
      namespace,
      (members.get(namespace) ?? []).filter((one) => one !== mine),
    ),
  );
  for (const other of others)
    await Promise.all([
      other.broker.waitForServices([...mine.names], 60_000),
      broker.waitForServices([...other.names], 60_000),
    ]);
}
