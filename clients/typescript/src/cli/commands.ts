import type { Command } from './command.ts';
import { backfill } from './commands/backfill.ts';
import { completion } from './commands/completion.ts';
import { connect } from './commands/connect.ts';
import { deliveries } from './commands/deliveries.ts';
import { destinations } from './commands/destinations.ts';
import { exportData } from './commands/export.ts';
import { freshness } from './commands/freshness.ts';
import { importFile } from './commands/import.ts';
import { insights } from './commands/insights.ts';
import { listen } from './commands/listen.ts';
import { login, logout } from './commands/login.ts';
import { mcp } from './commands/mcp.ts';
import { projects } from './commands/projects.ts';
import { replay } from './commands/replay.ts';
import { series } from './commands/series.ts';
import { users } from './commands/users.ts';

/** All commands, in the order of the help. */
export const commands: readonly Command[] = [
  login,
  logout,
  users,
  projects,
  connect,
  freshness,
  series,
  insights,
  listen,
  backfill,
  exportData,
  importFile,
  deliveries,
  replay,
  destinations,
  mcp,
  completion(() => commands),
];
