import { constants } from 'node:os';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * Forwards signals until a child ends (`instead` replaces them). Ctrl-C in a terminal reaches the child directly, with
 * its process group. `exitCode` is set if a signal ended the child or was sent to it.
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
