// One clock for a product in this process and for its database, which a test moves forward. Timers keep the time of the machine.
import type { Test } from 'tap';
import { isoTime } from '../../../domain/time/time.ts';
import type { Database } from '../../../mixins/database/database.ts';
import type { TestDatabase } from '../../support/servers/database.ts';

/** The clock of a test. It runs at normal speed between its jumps. */
export interface SimulatedTime {
  nowMs(): number;
  /** Moves the clock to an instant, unless it shows a later one. Nothing may be in work: leases end. */
  jumpTo(ms: number): Promise<void>;
}

const schema = 'simulated';
const originMs = performance.timeOrigin;
const machineMs = () => originMs + performance.now();

/** Lets the clock of this process and of a database show `startMs`. Connections that are open already keep the old one. */
export async function simulateTime(t: Test, database: TestDatabase, startMs: number): Promise<SimulatedTime> {
  let shiftMs = startMs - machineMs();
  const nowMs = () => Math.floor(machineMs() + shiftMs);
  replaceDate(t, nowMs);
  await replaceNow(database, nowMs());
  return {
    nowMs,
    async jumpTo(ms) {
      if (ms <= nowMs()) return;
      shiftMs += ms - nowMs();
      await database.query(`update ${schema}.shift set by = $1::timestamptz - pg_catalog.clock_timestamp()`, [
        isoTime(nowMs()),
      ]);
    },
  };
}

// Only the current time differs: a date that is made of parts or of a text is the same.
function replaceDate(t: Test, nowMs: () => number): void {
  const Machine = globalThis.Date;
  globalThis.Date = new Proxy(Machine, {
    construct: (target, given, made) =>
      Reflect.construct(target, given.length === 0 ? [nowMs()] : given, made),
    get: (target, name) => (name === 'now' ? nowMs : Reflect.get(target, name)),
    apply: () => new Machine(nowMs()).toString(),
  });
  t.teardown(() => {
    globalThis.Date = Machine;
  });
}

/*
 * Functions of the schema `simulated` are found before those of PostgreSQL. Functions with a search path of their own get one
 * that begins with it, and defaults of columns, which are bound when a table is made, are made anew.
 */
async function replaceNow(database: Database, nowMs: number): Promise<void> {
  await database.query(`create schema ${schema}`);
  await database.query(`create table ${schema}.shift as select $1::timestamptz - clock_timestamp() as by`, [
    isoTime(nowMs),
  ]);
  for (const [name, volatility] of clocks)
    await database.query(`
      create function ${schema}.${name}() returns timestamptz language sql ${volatility}
      return pg_catalog.${name}() + (select s.by from ${schema}.shift s)`);
  await database.query(changePaths);
  await database.query(changeDefaults);
}

const clocks = [
  ['now', 'stable'],
  ['statement_timestamp', 'stable'],
  ['transaction_timestamp', 'stable'],
  ['clock_timestamp', 'volatile'],
] as const;

const own = `n.nspname not in ('pg_catalog', 'information_schema', 'public', '${schema}')
  and n.nspname !~ '^(pg_|_?timescaledb)'`;

const changePaths = `
  do $$ declare one record; begin
    execute format('alter database %I set search_path = ${schema}, pg_catalog, public', current_database());
    for one in select p.oid::regprocedure as name from pg_proc p join pg_namespace n on n.oid = p.pronamespace
      where ${own} and p.prokind in ('f', 'p') and array_to_string(p.proconfig, ',') like '%search_path%'
    loop execute format('alter routine %s set search_path = ${schema}, pg_catalog', one.name); end loop;
  end $$`;

const changeDefaults = `
  do $$ declare one record; begin
    for one in
      select d.adrelid::regclass as of_table, a.attname as of_column, pg_get_expr(d.adbin, d.adrelid) as text
      from pg_attrdef d join pg_attribute a on a.attrelid = d.adrelid and a.attnum = d.adnum
        join pg_class c on c.oid = d.adrelid join pg_namespace n on n.oid = c.relnamespace
      where ${own} and c.relkind in ('r', 'p') and a.attgenerated = ''
        and pg_get_expr(d.adbin, d.adrelid) ~ '(now|clock_timestamp)\\(\\)'
    loop execute format('alter table %s alter column %I set default %s', one.of_table, one.of_column,
      regexp_replace(one.text, '(now|clock_timestamp)\\(\\)', '${schema}.\\1()', 'g')); end loop;
  end $$`;
