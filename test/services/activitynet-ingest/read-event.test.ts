import t from 'tap';
import { readEvent } from '../../../services/activitynet-ingest/rules/events.ts';
import { event } from './setting.ts';

const read = (text: string) => readEvent(Buffer.from(text));
const withFields = (fields: Record<string, unknown>) => read(JSON.stringify(event(fields)));

t.test('reads an event, its ids as the digits that were sent', (t) => {
  t.same(
    read(
      '{"aspect_type":"update","event_time":1776520000,"object_id":9007199254740995,"object_type":"activity","owner_id":134815,"subscription_id":120475,"updates":{"title":"Messy","private":"true"}}',
    ),
    {
      object_type: 'activity',
      object_id: '9007199254740995',
      aspect_type: 'update',
      owner_id: '134815',
      subscription_id: '120475',
      event_time: 1_776_520_000,
      updates: { title: 'Messy', private: 'true' },
    },
  );
  t.end();
});

t.test('updates may be missing, null, or hold what is no text', (t) => {
  t.same(withFields({ updates: undefined })?.updates, {});
  t.same(withFields({ updates: null })?.updates, {});
  t.same(withFields({ updates: { authorized: false, title: 'a\0b' } })?.updates, {
    authorized: 'false',
    title: 'ab',
  });
  t.equal(withFields({ subscription_id: undefined })?.subscription_id, null);
  t.end();
});

t.test('what is no event is none', (t) => {
  for (const body of ['', '{', 'null', '[]', '"x"', '{"object_type":"activity"}'])
    t.equal(read(body), null, body);
  for (const fields of [
    { object_type: 'gear' },
    { aspect_type: 'revoke' },
    { object_id: -1 },
    { object_id: 1.5 },
    { object_id: 1e21 },
    { object_id: 'abc' },
    { object_id: '9'.repeat(19) },
    { owner_id: null },
    { event_time: undefined },
    { event_time: -5 },
    { subscription_id: {} },
    { updates: 'x' },
  ])
    t.equal(withFields(fields), null, JSON.stringify(fields));
  t.equal(readEvent(Buffer.from([0x7b, 0xff, 0x7d])), null, 'not UTF-8');
  t.end();
});
