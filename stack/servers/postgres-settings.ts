// postgresql.conf, written at each start. For a machine with two cores that also runs the services and the
// load; what an operator wants otherwise goes through `alter system`, which this file does not touch.
import { totalmem } from 'node:os';

/** What decides the settings. */
export interface PostgresTraits {
  port: number;
  timescale: boolean;
  lz4: boolean;
  /** Data that is not needed after a crash: tests. */
  ephemeral: boolean;
  /** Of a standby: the settings that lead to its primary. */
  standby?: Readonly<Record<string, string>>;
}

/** The text of postgresql.conf. */
export function postgresqlConf(traits: PostgresTraits): string {
  const settings = {
    ...connections(traits),
    ...memory(traits.ephemeral),
    ...writing(traits),
    ...housekeeping,
    ...quietLog,
    ...(traits.timescale ? timescale : {}),
    ...traits.standby,
  };
  return Object.entries(settings)
    .map(([name, value]) => `${name} = '${String(value).replaceAll("'", "''")}'\n`)
    .join('');
}

const connections = ({ port, ephemeral }: PostgresTraits) => ({
  listen_addresses: '127.0.0.1',
  port,
  unix_socket_directories: '',
  password_encryption: 'scram-sha-256',
  // A client derives the password anew at each connection. Tests open thousands, with passwords of one run.
  ...(ephemeral ? { scram_iterations: 1 } : {}),
  max_connections: 200,
});

const MB = 1024 * 1024;

const memory = (ephemeral: boolean) => ({
  shared_buffers: `${ephemeral ? 128 : Math.min(512, Math.floor(totalmem() / MB / 8))}MB`,
  effective_cache_size: `${Math.floor(totalmem() / MB / 2)}MB`,
  work_mem: '16MB',
  maintenance_work_mem: '128MB',
});

const writing = ({ lz4, ephemeral }: PostgresTraits) => ({
  // The most WAL that stays on disk, in its folder beside 300 MB of data after a first start. Tests need no checkpoints.
  max_wal_size: ephemeral ? '4GB' : '256MB',
  // a standby that is stopped for longer is copied anew
  max_slot_wal_keep_size: '8GB',
  checkpoint_timeout: '15min',
  wal_compression: lz4 ? 'lz4' : 'on',
  default_toast_compression: lz4 ? 'lz4' : 'pglz',
  ...(ephemeral ? { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' } : {}),
});

const housekeeping = {
  random_page_cost: 1.1,
  // posix_fadvise is Linux's; elsewhere PostgreSQL refuses any other value than 0
  effective_io_concurrency: process.platform === 'linux' ? 64 : 0,
  // many callers share the cores: a parallel plan for one would take them from the others
  max_parallel_workers_per_gather: 0,
  jit: 'off',
  max_logical_replication_workers: 0,
  autovacuum_naptime: '30s',
  autovacuum_vacuum_cost_limit: 1000,
  // erasing a user touches every chunk in one transaction
  max_locks_per_transaction: 256,
  // this PostgreSQL reads the machine's zone files: UTC fails where tzdata is missing, GMT does not
  timezone: 'GMT',
  log_timezone: 'GMT',
  log_line_prefix: '%m [%p] %d ',
};

/**
 * What keeps values out of the server's log: no statements, no parameters, and no DETAIL, which quotes whole rows with
 * their password hashes. The client gets all of it, and the services log the code. docker-compose.yml has the same.
 */
export const quietLog = {
  log_error_verbosity: 'terse',
  log_min_error_statement: 'panic',
  log_parameter_max_length_on_error: 0,
  log_statement: 'none',
} as const;

/**
 * The least message of the application's own connections that is logged. In this setting LOG stands above ERROR: a
 * failed statement is not logged, whose message may quote a value. A refused connection is, and so are all failures of
 * the server itself.
 */
export const applicationLogLevel = 'log';

const timescale = {
  shared_preload_libraries: 'timescaledb',
  'timescaledb.telemetry_level': 'off',
  // its jobs (policies, telemetry) are not in this edition; without workers a database also drops at once
  'timescaledb.max_background_workers': 0,
};
