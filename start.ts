import { loadConfig } from './config.ts';
import { freeIdleMemory } from './runtime/idle-memory.ts';
import { buildConsole } from './stack/commands/console-build.ts';
import { metricsPortsOf } from './stack/machine/listening.ts';
import { type Lifetime, runUntilSignal } from './stack/machine/run-until-signal.ts';
import { notesOn, prepare, writeRunFile } from './stack/processes/prepare.ts';
import { checkServiceNames } from './stack/processes/services.ts';
import { startServices } from './stack/processes/start-services.ts';
import { defaultWorkers } from './stack/processes/workers.ts';
import { startSandbox } from './stack/sandbox/sandbox.ts';
import { registerReceiver, startReceiver } from './stack/sandbox/sandbox-receiver.ts';
import { connectSandboxUsers, exampleUser } from './stack/sandbox/sandbox-users.ts';
import { signInLink } from './stack/sandbox/sign-in-link.ts';
import { startPage } from './stack/sandbox/start-page.ts';

const say = (line: string) => console.log(line);

/** `npm start`: everything on this machine, in a process per core (WORKERS), until a signal ends it. */
await runUntilSignal(async ({ signal, started, fail }: Lifetime) => {
  freeIdleMemory();
  // The log level keeps the start page readable; LOG_LEVEL=info logs every delivery. No other process takes over
  // after a stop, so DRAIN_MS is 0: there is no balancer to wait for.
  const settings = loadConfig(process.env, {
    LOG_LEVEL: 'warn',
    DRAIN_MS: '0',
    WORKERS: String(defaultWorkers),
  });
  checkServiceNames(settings.SERVICES);
  const hasGateway = settings.SERVICES.length === 0 || settings.SERVICES.includes('api-gateway');
  const ports = hasGateway ? [settings.PORT] : [];
  const metricsPorts = metricsPortsOf(settings, settings.WORKERS);
  const prepared = await prepare(settings, { say, started, fail, ports, metricsPorts });
  const built = hasGateway ? buildConsole(say) : undefined;
  const { stack, login } = prepared;
  const { dataDir } = stack;
  const sandbox = await startSandbox(prepared.config, dataDir, { started, say });
  const receiver = await startReceiver(prepared.config, dataDir, started);
  const simulated = { ...sandbox?.settings, ...receiver?.settings };
  const config = { ...prepared.config, ...simulated };
  const { broker, url } = await startServices({ prepared, config, simulated, started, say });
  const listening = await registerReceiver(receiver, broker, config, dataDir);
  writeRunFile(prepared, url, listening);
  const users = sandbox && { sandbox, broker, config, url, dataDir, say, signal, started };
  const example = users && (await exampleUser(users));
  const notes = notesOn(config, sandbox !== null, listening);
  const isListenable = listening !== null;
  const signInUrl = hasGateway ? await signInLink(broker, url, login.email) : null;
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
