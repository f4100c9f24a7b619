import { type Command, type Context, UsageError } from '../command.ts';
import { formatOption, printRows } from '../table.ts';
import { timeOf } from '../times.ts';
import { printDeliveries } from './deliveries.ts';

export const replay: Command = {
  name: 'replay',
  summary: 'Process deliveries again, or send webhook messages again',
  usage: '<delivery>… | --endpoint ID (--message ID | --since TIME)',
  arity: [0, 1000],
  options: {
    endpoint: { type: 'string', value: 'ID', description: 'sends messages of this webhook endpoint again' },
    message: { type: 'string', value: 'ID', description: 'with --endpoint: this message' },
    since: {
      type: 'string',
      value: 'TIME',
      description: 'with --endpoint: all messages since a time, or 1h, 2d ago',
    },
    failed: { type: 'boolean', description: 'with --since: only messages that were not delivered' },
    format: formatOption,
  },
  examples: [
    'pulsebus replay 0199c0de-0000-7000-8000-000000000001',
    'pulsebus replay --endpoint 0199c0de-0000-7000-8000-000000000002 --since 2d --failed',
  ],
  async run(context) {
    const { args, values } = context;
    const endpoint = values.text('endpoint');
    if (endpoint !== undefined && args.length === 0) return sendAgain(context, endpoint);
    if (endpoint !== undefined || args.length === 0)
      throw new UsageError('Name deliveries, or an endpoint with --endpoint.');
    return processAgain(context);
  },
};

async function processAgain(context: Context): Promise<void> {
  const { args, client, signal } = context;
  for (const delivery_id of args) {
    const delivery = await client().deliveries.replay({ delivery_id }, { signal });
    await printDeliveries(context, [delivery]);
  }
}

async function sendAgain(context: Context, endpoint_id: string): Promise<void> {
  const { client, values, signal, output } = context;
  const [message_id, since] = [values.text('message'), values.text('since')];
  if ((message_id === undefined) === (since === undefined))
    throw new UsageError('--endpoint needs either --message or --since.');
  if (message_id !== undefined) {
    const { id, type, status } = await client().webhooks.resendMessage(
      { endpoint_id, message_id },
      { signal },
    );
    return printRows(context, [{ id, type, status }], [{ id, type, status }]);
  }
  const query = { endpoint_id, since: timeOf(since ?? '', Date.now()) };
  const { webhooks } = client();
  const { queued, complete } = await (values.flag('failed')
    ? webhooks.recoverMessages(query, { signal })
    : webhooks.replayMessages(query, { signal }));
  output.line(`${queued} ${queued === 1 ? 'message' : 'messages'} queued${complete ? '' : ' so far'}.`);
}
