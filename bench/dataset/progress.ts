import { SingleBar } from 'cli-progress';

/** Shows the progress of work. */
export interface Progress {
  add(done: number): void;
  stop(): void;
}

/** A progress bar in a terminal, or a line per tenth in a log. */
export function progressOf(what: string, total: number, say: (line: string) => void): Progress {
  return process.stdout.isTTY ? barOf(what, total) : linesOf(what, total, say);
}

function barOf(what: string, total: number): Progress {
  const bar = new SingleBar({ format: `${what} {bar} {percentage}% {eta_formatted}`, hideCursor: true });
  bar.start(total, 0);
  return { add: (done) => bar.increment(done), stop: () => bar.stop() };
}

function linesOf(what: string, total: number, say: (line: string) => void): Progress {
  let done = 0;
  let shown = -1;
  return {
    add(more) {
      done += more;
      const tenth = Math.floor((done / total) * 10);
      if (tenth === shown) return;
      shown = tenth;
      say(`${what}: ${Math.round((done / total) * 100)} %`);
    },
    stop: () => undefined,
  };
}
