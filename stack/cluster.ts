import { parseArgs } from 'node:util';
import { loadConfig } from '../config.ts';
import { createBroker } from '../mixins/broker.ts';
import { showFirstData } from './first-data.ts';
import { live } from './lifetime.ts';
import { type Member, startMember } from './member.ts';
import { leaveWord, notesOn, type Prepared, prepare } from './prepare.ts';
import { serviceNames } from './services.ts';
import { startPage } from './start-page.ts';

const say = (line: string) => console.log(line);
const mostOfOne = 64;
const startLimitMs = 60_000;

/**
 * `npm run cluster -- --scale timeseries=3`: the same services, one process each and more where asked, over NATS.
 * A process that dies is started again with a growing pause. Further gateways listen on the ports that follow.
 */
await live(async ({ signal, started }) => {
  const scale = scaleOf(process.argv.slice(2));
  const prepared = await prepare(loadConfig(process.env, { LOG_LEVEL: 'warn' }), say, started);
  const { config, stack, login } = prepared;
  if (stack.natsUrl === null) throw new Error(`a cluster needs a bus, and there is none: ${stack.choice}`);
  for (const member of membersOf(scale, prepared)) started(startMember(member, say));
  const broker = createBroker({ config, services: [] });
  started(() => broker.stop());
  await broker.start();
  await broker.waitForServices([...serviceNames], startLimitMs);
  const url = `http://${config.HOST}:${config.PORT}`;
  leaveWord(prepared, url);
  const example = await showFirstData({ broker, config, url, dataDir: stack.dataDir, say, signal });
  say(
    startPage({ url, choice: stack.choice, dataDir: stack.dataDir, login, notes: notesOn(config), example }),
  );
});

function scaleOf(args: readonly string[]): ReadonlyMap<string, number> {
  const { values } = parseArgs({ args: [...args], options: { scale: { type: 'string', multiple: true } } });
  return new Map((values.scale ?? []).map(oneScale));
}

function oneScale(text: string): [string, number] {
  const [name = '', count = ''] = text.split('=');
  const known = serviceNames.includes(name) && /^\d{1,2}$/.test(count) && Number(count) <= mostOfOne;
  if (!known)
    throw new Error(`--scale takes NAME=N, a service and 0 to ${mostOfOne}: ${serviceNames.join(', ')}`);
  return [name, Number(count)];
}

function membersOf(scale: ReadonlyMap<string, number>, { config, stack }: Prepared): Member[] {
  const environment = {
    ...process.env,
    DATABASE_URL: stack.databaseUrl,
    NATS_URL: stack.natsUrl ?? '',
    JWT_SECRET: config.JWT_SECRET?.join(','),
    ENCRYPTION_KEY: config.ENCRYPTION_KEY?.join(','),
    LOG_LEVEL: config.LOG_LEVEL,
  };
  return serviceNames.flatMap((service) =>
    Array.from({ length: scale.get(service) ?? 1 }, (_, index) => ({
      title: `${service}.${index + 1}`,
      environment: { ...environment, SERVICES: service, PORT: String(config.PORT + index) },
    })),
  );
}
