import { useState } from 'preact/hooks';
import type { DeliveryBody } from '../../../../clients/typescript/src/index.ts';
import { api } from '../../api.ts';
import { Action } from '../action.tsx';
import { Copy } from '../copy.tsx';

/** The body of a delivery, read in parts on demand, because each read leaves an audit entry. */
export function DeliveryContent({ id: delivery_id }: { id: string }) {
  const [parts, setParts] = useState<readonly DeliveryBody[]>([]);
  const last = parts.at(-1);
  const next = last === undefined ? 0 : last.next_offset;
  const text = parts.map(({ content }) => content).join('');
  const read = async (offset: number) =>
    setParts([...parts, await api.deliveries.body({ delivery_id, offset })]);
  return (
    <>
      <p>The body contains personal data. Each read leaves an entry in the audit.</p>
      {last !== undefined && (
        <>
          <p>
            {(next ?? last.body_bytes).toLocaleString()} of {last.body_bytes.toLocaleString()} bytes
            {last.content_type !== null && `, ${last.content_type}`}
            {last.encoding === 'base64' && ', shown as base64 because it is not text'}
          </p>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is reached by keyboard */}
          <section class="scroll tall" tabIndex={0} aria-label="Body">
            <pre class="content">{text}</pre>
          </section>
        </>
      )}
      <p class="row">
        {next !== null && (
          <Action run={() => read(next)}>{next === 0 ? 'Show the body' : 'Show more'}</Action>
        )}
        {last !== undefined && <Copy text={text} of="the body" />}
      </p>
    </>
  );
}
