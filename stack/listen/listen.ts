import { setTimeout as sleep } from 'node:timers/promises';
import type { ReceivedMessage } from '../../sandbox/receiver/message-log.ts';
import type { StreamLine } from '../../sandbox/receiver/message-stream.ts';
import { StartError } from '../machine/start-error.ts';
import type { ReceiverAccess } from '../sandbox/sandbox-receiver.ts';
import { forward } from './forward.ts';
import { shownMessage } from './message-line.ts';
import type { ListenOptions } from './options.ts';
import { print, printLine } from './print.ts';
import { type Beginning, ReceiverGone, receiverLines } from './receiver-lines.ts';
import { findReceiver } from './running-receiver.ts';

const lookEveryMs = 500;
/** Forwarded messages that wait for their answer. More are read when one is answered. */
const mostForwarded = 8;

/** Notes go to the error output, so that a pipe gets messages only. */
const note = (line: string) => console.error(line);

/** Prints messages until there were enough, or the process ends. @throws StartError if nothing runs, or it runs without a receiver */
export async function listen(options: ListenOptions, dataDir: string): Promise<void> {
  const first = findReceiver(dataDir);
  if (first === 'none')
    throw new StartError(`Nothing runs with DATA_DIR ${dataDir}: run \`npm start\` first, or set DATA_DIR.`);
  const receiver = await nextReceiver(dataDir);
  if (options.isSecretOnly) return printLine(secretOf(receiver));
  await follow(options, dataDir, receiver);
}

function secretOf({ secret, note }: ReceiverAccess): string {
  if (secret === null) throw new StartError(note ?? 'The receiver has no endpoint.');
  return secret;
}

// The secret is shown on a terminal only: logs keep what they are sent.
function greet({ to }: ListenOptions, { secret }: ReceiverAccess): void {
  note('Webhook messages are printed as they arrive. Ctrl-C ends it.');
  if (to === null) return;
  note(`They are forwarded to ${to.href}.`);
  const isShown = secret !== null && process.stderr.isTTY;
  note(
    isShown ? `Signing secret: ${secret}` : 'npm run -s listen -- --print-secret prints the signing secret.',
  );
}

/** Waits for a receiver. @throws StartError if a process runs without one */
async function nextReceiver(dataDir: string): Promise<ReceiverAccess> {
  for (let round = 0; ; round++) {
    const found = findReceiver(dataDir);
    if (found === 'off')
      throw new StartError(
        'What runs has no webhook receiver: it belongs to the sandbox (SANDBOX), and SANDBOX_RECEIVER=off turns it off.',
      );
    if (found !== 'none' && found !== 'starting') return found;
    if (round === 0) note('Waiting for `npm start`.');
    await sleep(lookEveryMs);
  }
}

async function follow(options: ListenOptions, dataDir: string, first: ReceiverAccess): Promise<void> {
  const state: State = {
    options,
    beginning: { last: options.last },
    missing: options.count,
    forwarded: new Set(),
  };
  let isLost: boolean | null = null;
  for (let receiver = first; ; receiver = await nextReceiver(dataDir)) {
    try {
      for await (const line of receiverLines(receiver, state.beginning)) {
        if ('after' in line) connected(options, receiver, isLost);
        isLost = false;
        await take(state, line);
        if (state.missing === 0) return void (await Promise.all(state.forwarded));
      }
    } catch (error) {
      if (!(error instanceof ReceiverGone)) throw error;
    }
    if (isLost === false) note('The connection to `npm start` ended. It is made again.');
    isLost = isLost === null ? null : true;
    await sleep(lookEveryMs);
  }
}

function connected(options: ListenOptions, receiver: ReceiverAccess, wasLost: boolean | null): void {
  if (wasLost === null) greet(options, receiver);
  else if (wasLost) note('Connected again.');
  if (receiver.note !== null) note(receiver.note);
}

interface State {
  readonly options: ListenOptions;
  beginning: Beginning;
  /** Messages that are still to be printed. */
  missing: number;
  readonly forwarded: Set<Promise<void>>;
}

async function take(state: State, line: StreamLine): Promise<void> {
  if ('refused' in line)
    return note(`The receiver refused requests without a valid signature: ${line.refused}.`);
  if ('after' in line) {
    state.beginning = { receiver: line.receiver, after: line.after };
    return;
  }
  if ('after' in state.beginning) {
    const missed = line.number - state.beginning.after - 1;
    if (missed > 0) note(`Messages that are not kept any more: ${missed}.`);
    state.beginning = { ...state.beginning, after: line.number };
  }
  await show(state, line);
}

async function show(state: State, message: ReceivedMessage): Promise<void> {
  const { options, forwarded } = state;
  const shown = shownMessage(message);
  const { to } = options;
  if (!options.isWanted(shown)) return;
  state.missing -= 1;
  print(shown, options.isJson);
  if (to === null) return;
  const report = options.isJson ? note : printLine;
  const sent = forward(to, message).then((result) => {
    forwarded.delete(sent);
    report(`          ${result}  ${message.headers['webhook-id'] ?? ''}`);
  });
  forwarded.add(sent);
  if (forwarded.size >= mostForwarded) await Promise.race(forwarded);
}
