// `npm run move-in -- postgres://…`: moves an installation of Open Wearables into the services that run here.
import { join } from 'node:path';
import { type Config, loadConfig } from '../../config.ts';
import { type Call, callAs, typedCall } from '../../runtime/environment.ts';
import { messageForOperator, StartError } from '../machine/start-error.ts';
import { resolveDataDir } from '../machine/unprivileged.ts';
import { leftOf } from '../move-in/ledger.ts';
import { type MoveInOptions, moveInOptions, UsageError, usage } from '../move-in/options.ts';
import type { MoveInResult } from '../move-in/report-page.ts';
import { moveIn } from '../move-in/run.ts';
import { brokerOnBus } from '../processes/join-bus.ts';

const interrupted = 130;
const owners = ['auth', 'users', 'timeseries'];
const discoveryMs = 15_000;

// The arguments contain the address, which may have a password: the list of processes does not show it.
process.title = 'pulsebus move-in';
const ended = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.once(signal, () => {
    ended.abort();
    process.once(signal, () => process.exit(interrupted));
  });

process.exitCode = await main();

async function main(): Promise<number> {
  try {
    const options = moveInOptions(process.argv.slice(2));
    if (options === null) console.log(usage);
    else await run(options, loadConfig());
    return 0;
  } catch (error) {
    const isUsage = error instanceof UsageError;
    if (ended.signal.aborted && !isUsage) {
      console.error('Stopped. What was moved stays: run the same command again to go on.');
      return interrupted;
    }
    console.error(isUsage ? error.message : (messageForOperator(error) ?? stackOf(error)));
    return isUsage ? 2 : 1;
  }
}

// Other fields of an error may quote a row.
const stackOf = (error: unknown) => (error instanceof Error ? error.stack : String(error));

async function run(options: MoveInOptions, config: Config): Promise<void> {
  const folder = options.folder ?? join(resolveDataDir(config.DATA_DIR), 'move-in');
  const lines = {
    isTerminal: process.stdout.isTTY,
    write: (text: string) => void process.stdout.write(text),
  };
  const move = (call: Call | null) => moveIn(options, { call, folder, lines, signal: ended.signal });
  const result = options.isDryRun ? await move(null) : await onBus(config, move);
  for (const line of summaryOf(result)) console.log(line);
}

async function onBus<T>(config: Config, work: (call: Call) => Promise<T>): Promise<T> {
  const broker = await brokerOnBus(config, 'move-in');
  await broker.start();
  try {
    await broker.waitForServices(owners, discoveryMs).catch(() => {
      throw new StartError(
        `The services ${owners.join(', ')} do not answer on the bus: start Pulsebus first.`,
      );
    });
    return await work(callAs(typedCall(broker, 'move-in'), 'system:move-in'));
  } finally {
    await broker.stop();
  }
}

function summaryOf({ ledger, comparison, isDryRun, page }: MoveInResult): string[] {
  const all = Object.values(ledger.counts);
  const sum = (of: (counts: (typeof all)[number]) => number) =>
    all.reduce((total, counts) => total + of(counts), 0).toLocaleString('en-US');
  const moved = `${sum(({ moved }) => moved)} ${isDryRun ? 'would be moved' : 'moved'}`;
  const different = Object.values(comparison ?? {}).map(({ compared, equal }) => compared - equal);
  return [
    `${sum(({ read }) => read)} rows read, ${moved}, ${sum(leftOf)} left out.`,
    ...(comparison === null
      ? []
      : [`Compared both sides: ${different.reduce((total, count) => total + count, 0)} differences.`]),
    `The report is ${page}`,
  ];
}
