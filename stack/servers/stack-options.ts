import type { BusChoice } from './nats-server.ts';

/** Folders, and servers that already run. */
export interface StackOptions {
  dataDir: string;
  stackDir?: string;
  databaseUrl?: string;
  natsUrl?: string;
  /** The servers and users of a bus that is started here. */
  bus?: BusChoice;
  debianMirror?: string;
  /** For tests: nothing is synced to disk, and the data is thrown away at stop. */
  ephemeral?: boolean;
  /** Whether the URL's role may make databases; tests always may. */
  createsDatabases?: boolean;
  /** Whether a standby will follow the database: the database is not started again when it ends by itself. */
  hasStandby?: boolean;
  /** See keepRunning. */
  restartPausesMs?: readonly number[];
  log(line: string): void;
  /** Called with an explanation if a server that was started here ends for good without being stopped. */
  serverEnded?(sentence: string): void;
}

/** Stops one thing that was started. */
export type Stop = () => Promise<void>;
