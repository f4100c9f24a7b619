import t from 'tap';
import { useChanges } from '../../console/src/changes.ts';
import { project } from '../../console/src/session.ts';
import { until } from '../support/until.ts';
import { hooked } from './hook.ts';

const limits = {
  rate_limit_api_key: null,
  rate_limit_sdk: null,
  deleting_since: null,
  require_second_factor: false,
};
const created_at = '2026-01-01T00:00:00Z';
const brand = { connect_name: null, connect_colour: null, connect_logo: null };
project.value = { id: 'default', name: 'Default', role: 'owner', ...brand, ...limits, created_at };

t.test('a page reads each change once, and none after it is left', async (t) => {
  t.intercept(globalThis, 'document', { value: { visibilityState: 'visible' } });
  const asked: string[] = [];
  const signals: AbortSignal[] = [];
  const value = async (url: string, { signal }: { signal: AbortSignal }) => {
    const query = new URLSearchParams(url.split('?')[1]);
    asked.push(query.get('cursor') ?? 'since');
    signals.push(signal);
    if (asked.length > 3) return new Promise((_, reject) => signal.addEventListener('abort', reject));
    const pagination = { next_cursor: `c-${asked.length}`, has_more: false };
    return Response.json({ data: [{}], pagination });
  };
  t.intercept(globalThis, 'fetch', { value });
  const page = hooked(t, () => useChanges({ pauseMs: 1 }), undefined);
  await until(() => asked.length === 4);
  t.same(asked, ['since', 'c-1', 'c-2', 'c-3']);
  t.equal(page.result(), 3);
  page.leave();
  await until(() => signals.at(-1)?.aborted === true);
});
