// What npm prints when it fails, as three lines: what failed, npm's own sentence, what to do.
import { StartFailure } from './start-failure.js';

const NETWORK_CODES = [
  ...['ENOTFOUND', 'EAI_AGAIN', 'ECONNREFUSED', 'ECONNRESET', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH'],
  ...['ERR_SOCKET_TIMEOUT', 'FETCH_ERROR', 'EIDLETIMEOUT', 'ECONNECTIONTIMEOUT'],
];
const LONGEST_LINE = 300;
const DISK_MEGABYTES = 600;

/** Whether an error code of npm says that the registry cannot be reached. */
export function isNetworkCode(code) {
  return NETWORK_CODES.includes(code);
}

/** The error code, the first sentence and the log file that npm's output names; null for each that it does not. */
export function causeOf(output) {
  const lines = output
    .split('\n')
    .map((line) => /^npm (?:error|ERR!)\s*(.*)$/.exec(line)?.[1])
    .filter((line) => line !== undefined && line !== '');
  const code = firstMatch(lines, /^code (\S+)$/);
  const log = firstMatch(lines, /A complete log of this run can be found in: (.+)$/);
  const noise = /^(code|syscall|errno|path|dest|file) |^at |A complete log|^This is an error with npm/;
  const sentence = lines.find((line) => !noise.test(line)) ?? null;
  return { code, log, sentence: sentence && withoutPrefix(sentence).slice(0, LONGEST_LINE) };
}

/** The failure of `npm ci`: `pingOutput` is npm's output where the registry did not answer, else null. */
export function installFailure({ root, code, output, isDiskFull, pingOutput }) {
  const cause = causeOf(pingOutput ?? output);
  const errorCode = isDiskFull ? 'ENOSPC' : (cause.code ?? `exit code ${code}`);
  const { what, advice } = explain({ root, errorCode, cause, isUnreachable: pingOutput !== null });
  const middle = isDiskFull ? 'no space left on device' : (cause.sentence ?? 'npm gave no reason');
  return new StartFailure(
    [
      `Packages could not be installed: ${what} (${errorCode}).`,
      `npm: ${middle}`,
      `${advice} Nothing was started.`,
    ].join('\n'),
  );
}

function explain({ root, errorCode, cause, isUnreachable }) {
  if (errorCode === 'ENOSPC')
    return {
      what: 'the disk is full',
      advice: `Free about ${DISK_MEGABYTES} MB on the disk of ${root}, then start again.`,
    };
  if (isUnreachable)
    return {
      what: "the npm registry does not answer, and npm's cache does not hold all packages",
      advice:
        'Connect this machine to the network, or name a registry within reach: npm config set registry URL.',
    };
  if (errorCode === 'EACCES' || errorCode === 'EPERM' || errorCode === 'EROFS')
    return {
      what: 'a folder is not writable',
      advice: `Make ${root} and npm's cache writable for this account.`,
    };
  if (errorCode === 'EUSAGE')
    return {
      what: 'package.json and package-lock.json disagree',
      advice: 'Restore them: git checkout package.json package-lock.json.',
    };
  return {
    what: 'npm ci failed',
    advice: cause.log === null ? 'Run npm ci to see more.' : `npm's log: ${cause.log}.`,
  };
}

function firstMatch(lines, form) {
  return lines.map((line) => form.exec(line)?.[1]).find((found) => found !== undefined) ?? null;
}

function withoutPrefix(sentence) {
  return sentence.replace(/^\w*Error: /, '');
}
