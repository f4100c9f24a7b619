import { parseArgs } from 'node:util';
import { type Config, loadConfig } from '../../config.ts';
import { sameUser, withCredentials } from '../../domain/database-url.ts';
import { createBroker } from '../../runtime/broker.ts';
import { superuserPassword } from '../database/database-roles.ts';
import { environmentFor } from '../database/service-environment.ts';
import { ensureServiceRoles } from '../database/service-roles.ts';
import { metricsPortsOf } from '../machine/listening.ts';
import { runUntilSignal } from '../machine/run-until-signal.ts';
import { StartError } from '../machine/start-error.ts';
import { promotionNote, withStandby } from '../processes/cluster-standby.ts';
import { type Member, startMember } from '../processes/member.ts';
import { busPasswords, credentialsOf, memberEnvironment } from '../processes/member-environment.ts';
import { notesOn, type Prepared, prepare, writeRunFile } from '../processes/prepare.ts';
import { serviceNames } from '../processes/services.ts';
import { type ProviderSettings, startSandbox } from '../sandbox/sandbox.ts';
import { registerReceiver, startReceiver } from '../sandbox/sandbox-receiver.ts';
import { connectSandboxUsers, exampleUser } from '../sandbox/sandbox-users.ts';
import { signInLink } from '../sandbox/sign-in-link.ts';
import { startPage } from '../sandbox/start-page.ts';
import { buildConsole } from './console-build.ts';

const say = (line: string) => console.log(line);
const mostOfOne = 64;
const startLimitMs = 60_000;

/**
 * `npm run cluster -- --scale timeseries=3`: the same services over NATS, one process each or more. A process that dies
 * is restarted with a growing delay. Further gateways listen on the following ports. `--standby` adds a standby of the database,
 * `--nats 3` starts three NATS servers as a cluster. Each process has a user of the bus with the permissions of its service.
 */
await runUntilSignal(async ({ signal, started, fail }) => {
  const { scale, servers, isReplicated } = optionsOf(process.argv.slice(2));
  const settings = loadConfig(process.env, { LOG_LEVEL: 'warn' });
  const ports = portsOf(settings.PORT, scale);
  const metricsPorts = metricsPortsOf(settings, 1 + membersIn(scale));
  if (isReplicated && settings.DATABASE_URL !== undefined)
    throw new StartError('--standby is for our own PostgreSQL: unset DATABASE_URL.');
  const ended = (sentence: string) => say(`${sentence} ${promotionNote}`);
  const roles = settings.NATS_URL === undefined ? busPasswords() : new Map<string, string>();
  const bus = { servers, roles, namespace: settings.NAMESPACE };
  const own = {
    say,
    bus,
    started,
    fail,
    ports,
    metricsPorts,
    ...(isReplicated ? { hasStandby: true, serverEnded: ended } : {}),
  };
  const alone = await prepare(settings, own);
  const prepared = isReplicated ? await withStandby(alone, started, say) : alone;
  const built = buildConsole(say);
  const { config, stack, login } = prepared;
  if (stack.natsUrl === null)
    throw new StartError(`a cluster needs a bus, and there is none: ${stack.choice}`);
  const { dataDir } = stack;
  const sandbox = await startSandbox(config, dataDir, { started, say });
  const receiver = await startReceiver(config, dataDir, started);
  const simulated = { ...sandbox?.settings, ...receiver?.settings };
  const urls = await serviceUrls(prepared, settings, say);
  for (const member of membersOf({ scale, roles }, prepared, simulated, urls))
    started(startMember(member, say));
  const broker = createBroker({ config, services: [] });
  started(() => broker.stop());
  await broker.start();
  await broker.waitForServices([...serviceNames], startLimitMs);
  const url = `http://${config.HOST}:${config.PORT}`;
  const listening = await registerReceiver(receiver, broker, config, dataDir);
  writeRunFile(prepared, url, listening);
  const users = sandbox && { sandbox, broker, config, url, dataDir, say, signal, started };
  const example = users && (await exampleUser(users));
  const notes = notesOn({ ...config, ...simulated }, sandbox !== null, listening);
  const isListenable = listening !== null;
  const signInUrl = await signInLink(broker, url, login.email);
  await built;
  say(
    startPage({
      url,
      signInUrl,
      choice: stack.choice,
      dataDir,
      login,
      notes,
      isListenable,
      hasSandbox: sandbox !== null,
      example,
    }),
  );
  if (users !== null) await connectSandboxUsers(users);
}, say);

// Without the right to make roles, all services share the role of DATABASE_URL.
async function serviceUrls({ stack }: Prepared, given: Config, say: (line: string) => void) {
  const { databaseUrl: ownerUrl, dataDir } = stack;
  const adminUrl = given.DATABASE_URL ?? withCredentials(ownerUrl, 'postgres', superuserPassword(dataDir));
  const urls = await ensureServiceRoles({ ownerUrl, adminUrl, dataDir });
  if (urls === null) say('The role of DATABASE_URL may not make roles: all services share it.');
  return urls;
}

function membersIn(scale: ReadonlyMap<string, number>): number {
  return serviceNames.reduce((sum, name) => sum + (scale.get(name) ?? 1), 0);
}

function portsOf(first: number, scale: ReadonlyMap<string, number>): number[] {
  return Array.from({ length: scale.get('api-gateway') ?? 1 }, (_, index) => first + index);
}

function optionsOf(args: readonly string[]) {
  const { values } = parseArgs({
    args: [...args],
    options: {
      scale: { type: 'string', multiple: true },
      standby: { type: 'boolean' },
      nats: { type: 'string' },
    },
  });
  const scale: ReadonlyMap<string, number> = new Map((values.scale ?? []).map(oneScale));
  const servers = values.nats ?? '1';
  if (!/^[1-9]$/.test(servers)) throw new StartError('--nats takes the number of NATS servers, 1 to 9');
  return { scale, servers: Number(servers), isReplicated: values.standby === true };
}

function oneScale(text: string): [string, number] {
  const [name = '', count = ''] = text.split('=');
  const known = serviceNames.includes(name) && /^\d{1,2}$/.test(count) && Number(count) <= mostOfOne;
  if (!known)
    throw new StartError(`--scale takes NAME=N, a service and 0 to ${mostOfOne}: ${serviceNames.join(', ')}`);
  return [name, Number(count)];
}

function membersOf(
  {
    scale,
    roles,
  }: { readonly scale: ReadonlyMap<string, number>; readonly roles: ReadonlyMap<string, string> },
  prepared: Prepared,
  settings: ProviderSettings,
  urls: ReadonlyMap<string, string> | null,
): Member[] {
  const { config, stack } = prepared;
  const environment = { ...memberEnvironment(prepared, settings), WORKERS: '1' };
  const databaseOf = (service: string) => {
    const url = urls?.get(service) ?? stack.databaseUrl;
    const readUrl = config.DATABASE_READ_URL;
    return {
      DATABASE_URL: url,
      ...(readUrl === undefined ? {} : { DATABASE_READ_URL: sameUser(url, readUrl) }),
    };
  };
  const members = serviceNames.flatMap((service) =>
    Array.from({ length: scale.get(service) ?? 1 }, (_, index) => ({
      title: `${service}.${index + 1}`,
      environment: {
        ...environmentFor(service, { ...environment, ...databaseOf(service) }),
        ...credentialsOf(service, prepared, roles),
        PORT: String(config.PORT + index),
      },
    })),
  );
  return members.map((member, index) => withFigures(member, config.METRICS_PORT, index + 1));
}

// Each process serves its own metrics. The ports of the members follow that of the cluster, in the order of the log.
function withFigures(member: Member, port: number | undefined, index: number): Member {
  if (port === undefined || port === 0) return member;
  return { ...member, environment: { ...member.environment, METRICS_PORT: String(port + index) } };
}
