import pg from 'pg';
import type { Config } from '../config.ts';
import { databaseOf } from '../mixins/database.ts';
import { ensureFirstDeveloper } from '../services/auth/first-developer.ts';

/** Makes sure that somebody can log in; the password comes back only when it was made up just now. */
export async function firstAccount(databaseUrl: string, config: Config) {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 1 });
  try {
    return await ensureFirstDeveloper(databaseOf(pool), config);
  } finally {
    await pool.end();
  }
}
