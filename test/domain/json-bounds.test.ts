import t from 'tap';
import { jsonOrNull } from '../../domain/json/json.ts';
import { JsonBoundsError, mostLevels, parsedBytes, parseJson } from '../../domain/json/json-bounds.ts';
import { readPermissions } from '../../providers/devicemaker/provider.ts';
import { parseObject } from '../../services/api-gateway/work/body.ts';
import { readPush } from '../../services/devicemaker-ingest/rules/read-push.ts';
import { readUpload } from '../../services/phone-ingest/rules/upload-body.ts';
import { refusal } from '../support/refusal.ts';

const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
const infinite = Number.POSITIVE_INFINITY;

t.test('nesting is bounded outside of strings, closed or not', async (t) => {
  t.same(parseJson(nested(mostLevels)), JSON.parse(nested(mostLevels)));
  t.throws(() => parseJson(nested(mostLevels + 1)), JsonBoundsError);
  t.equal(parsedBytes(Buffer.from('['.repeat(mostLevels + 1))), infinite);
  t.equal(parsedBytes(Buffer.from('{"a":'.repeat(mostLevels + 1))), infinite);
  t.equal(parsedBytes(Buffer.from(`["a${'['.repeat(1000)}"]`)), parsedBytes(Buffer.from('["a"]')));
  t.equal(parsedBytes(Buffer.from(`["\\"${'['.repeat(1000)}\\\\"]`)), parsedBytes(Buffer.from('[""]')));
  t.equal(parsedBytes(Buffer.from(`["\\\\",${nested(mostLevels)}]`)), infinite);
});

t.test('brackets that are closed again do not add up', async (t) => {
  const flat = `[${'[{}],'.repeat(10_000)}1]`;
  t.same(parseJson(flat), JSON.parse(flat));
});

// 14 MB of text, 78 kB of gzip. Parsed, they took 733 MB.
t.test(
  'seven million opening brackets are refused before they are parsed, wherever they come from',
  async (t) => {
    const text = nested(7_000_000);
    const reason = new JsonBoundsError().message;
    t.equal(readUpload(Buffer.from(text), 0).head.refusal?.detail, reason);
    t.equal(jsonOrNull(text), null);
    t.equal(readPermissions(text), null);
    const many = { data: { errors: [{ message: 'The body has too many values' }] } };
    t.match(
      refused(() => readPush(Buffer.from(text))),
      many,
    );
    t.throws(() => parseObject(Buffer.from(text), 'json'), refusal('VALIDATION_FAILED'));
  },
);

function refused(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}
