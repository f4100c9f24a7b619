/** How far a run is. */
export interface Progress {
  /** Counts rows of samples that were read. */
  samples(rows: number): void;
  /** Counts a user whose data was moved. */
  user(): void;
  /** Ends it with a last line. */
  stop(): void;
}

/** What a run will do, as far as it is known. */
export interface Extent {
  readonly users: number;
  /** About how many samples there are. Null: the run reads a part of them. */
  readonly samples: number | null;
}

/** Where lines go. */
export interface Lines {
  /** Replaces the line of a terminal. */
  readonly isTerminal: boolean;
  readonly write: (text: string) => void;
}

const terminalMs = 1000;
const logMs = 30_000;

/** Begins to print how far the run is: a line that is replaced each second on a terminal, a new one each 30 s elsewhere. */
export function progressLines(extent: Extent, { isTerminal, write }: Lines): Progress {
  const startMs = performance.now();
  let samples = 0;
  let users = 0;
  const line = () => textOf(extent, { samples, users, ms: performance.now() - startMs });
  const print = () => write(isTerminal ? `\r\x1b[2K${line()}` : `${line()}\n`);
  const timer = setInterval(print, isTerminal ? terminalMs : logMs);
  return {
    samples(rows) {
      samples += rows;
    },
    user() {
      users += 1;
    },
    stop() {
      clearInterval(timer);
      print();
      if (isTerminal) write('\n');
    },
  };
}

interface Reached {
  readonly samples: number;
  readonly users: number;
  readonly ms: number;
}

const count = (n: number) => Math.round(n).toLocaleString('en-US');

function textOf({ users, samples }: Extent, reached: Reached): string {
  const rate = reached.ms === 0 ? 0 : (1000 * reached.samples) / reached.ms;
  const share = shareOf({ users, samples }, reached);
  const parts = [
    `${count(reached.users)} of ${count(users)} users`,
    `${count(reached.samples)}${samples === null ? '' : ` of about ${count(samples)}`} samples`,
    `${count(rate)} a second`,
    ...(share > 0 && share < 1 ? [`about ${durationOf((reached.ms * (1 - share)) / share)} left`] : []),
  ];
  return parts.join(', ');
}

// Users differ in size, so samples tell more where their number is known.
function shareOf({ users, samples }: Extent, reached: Reached): number {
  if (samples !== null && samples > 0) return Math.min(1, reached.samples / samples);
  return users === 0 ? 1 : reached.users / users;
}

function durationOf(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  if (minutes < 1) return `${Math.max(1, Math.round(ms / 1000))} s`;
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}
