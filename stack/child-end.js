import { constants } from 'node:os';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * Passes signals on until a child ends (`instead` replaces them). Ctrl-C in a terminal reaches the child by itself,
 * with its process group. `exitCode` is set where a signal ended the child or was meant to.
 */
export async function endOf(child, instead) {
  let stoppedBy;
  const passOn = (signal) => {
    stoppedBy = signal;
    if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(instead ?? signal);
  };
  for (const signal of SIGNALS) process.on(signal, passOn);
  try {
    const end = await ended(child);
    const by = stoppedBy ?? end.signal;
    return by ? { ...end, exitCode: 128 + constants.signals[by] } : end;
  } finally {
    for (const signal of SIGNALS) process.off(signal, passOn);
  }
}

function ended(child) {
  return new Promise((done) => {
    child.once('error', (error) => done({ error }));
    child.once('close', (code, signal) => done({ code, signal }));
  });
}
