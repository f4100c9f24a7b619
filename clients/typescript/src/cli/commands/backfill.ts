import { setTimeout as sleep } from 'node:timers/promises';
import { type Backfill, type BackfillType, providers } from '../../index.ts';
import { type Command, Failure } from '../command.ts';
import { findUser } from '../find-user.ts';
import { formatOption, printRows, type Row } from '../table.ts';
import { providerOf } from './connect.ts';

const pauseMs = 2000;

export const backfill: Command = {
  name: 'backfill',
  summary: 'Request past data of a connection, or show how far it is',
  usage: '<user> <provider>',
  arity: [2, 2],
  options: {
    days: { type: 'string', value: 'N', description: 'days back; default: the setting of the server' },
    start: { type: 'string', value: 'TIME', description: 'in place of --days: the first day, or an instant' },
    end: {
      type: 'string',
      value: 'TIME',
      description: 'with --start: the last day, or an instant; default: now',
    },
    status: { type: 'boolean', description: 'shows the newest backfill and starts none' },
    cancel: { type: 'boolean', description: 'cancels the running backfill' },
    wait: { type: 'boolean', description: 'ends when the backfill has ended' },
    format: formatOption,
  },
  notes: `The provider is ${providers.join(' or ')}.`,
  examples: [
    `pulsebus backfill 42 ${providers[0]} --days 90 --wait`,
    `pulsebus backfill 42 ${providers[0]} --start 2026-01-01 --end 2026-01-31`,
    `pulsebus backfill 42 ${providers[0]} --status`,
  ],
  async run(context) {
    const { args, client, values, signal, output } = context;
    const provider = await providerOf(context, args[1] ?? '');
    const days = values.number('days', 3650);
    const [start_date, end_date] = [values.text('start'), values.text('end')];
    const range = {
      ...(days === undefined ? {} : { days }),
      ...(start_date === undefined ? {} : { start_date }),
      ...(end_date === undefined ? {} : { end_date }),
    };
    const { id: user_id } = await findUser(client(), args[0] ?? '', signal);
    const which = { user_id, provider };
    const call = () => {
      if (values.flag('cancel')) return client().backfill.cancel(which, { signal });
      if (values.flag('status')) return client().backfill.status(which, { signal });
      return client().backfill.start({ ...which, ...range }, { signal });
    };
    let run = await call();
    while (values.flag('wait') && run.status === 'running') {
      await sleep(pauseMs, undefined, { signal });
      run = await client().backfill.status(which, { signal });
    }
    printRows(context, run.types.map(rowOf), [run]);
    output.note(stateOf(run));
    if (run.status === 'failed' && values.flag('wait')) throw new Failure('The backfill failed.');
  },
};

function rowOf({ type, status, requests, requests_done, items, saved, skipped, reason }: BackfillType): Row {
  const left = skipped.reduce((sum, { records }) => sum + records, 0);
  return { type, status, requests: `${requests_done}/${requests}`, items, saved, skipped: left, reason };
}

function stateOf({ status, start_time, end_time, reason }: Backfill): string {
  return `Backfill of ${start_time} to ${end_time}: ${status}${reason === null ? '' : ` (${reason})`}`;
}
