import t from 'tap';
import { filePartBytes } from '../../../domain/file-part.ts';
import { FileProblem } from '../../../services/file-import/rules/file-bytes.ts';
import { openFile } from '../../../services/file-import/rules/read-file.ts';
import { withoutComments, xmlReader } from '../../../services/file-import/rules/xml.ts';

const context = { nowMs: Date.parse('2026-06-01'), rules: null, timeZone: null, skip: 0 };
const kindOf = async (text: string) => {
  const file = Buffer.from(text);
  return (await openFile({ length: file.length, from: async (at) => file.subarray(at) }, context)).kind;
};
const unknown = new FileProblem('The file is none of the kinds that can be imported.');

t.test('comments are cut out of a text', async (t) => {
  for (const [text, bare] of [
    ['a<!--b-->c<!---->d', 'acd'],
    ['a<!-- <!-- -->b-->', 'ab-->'],
    ['a<!-->b-->c', 'ac'],
    ['<!--a-->b<!--c', 'b<!--c'],
    ['', ''],
  ] as const)
    t.equal(withoutComments(text), bare);
});

// With an expression each of these takes minutes: it searches for the end from every beginning.
t.test('many beginnings of comments and document types are read in one pass', async (t) => {
  const comments = '<!--'.repeat(filePartBytes / 4);
  const doctypes = '<!DOCTYPE['.repeat(filePartBytes / 10);
  await t.rejects(kindOf(`<${comments}`), unknown);
  await t.rejects(kindOf(doctypes), unknown);
  t.equal(await kindOf('<!-- a --><!DOCTYPE a [<!ELEMENT a (b)>] ><HealthData/>'), 'apple_health');
  const opened: string[] = [];
  const reader = xmlReader({
    wantsText: false,
    usesNamespaces: false,
    endedBy: new Map(),
    open: ({ name }) => void opened.push(name),
    close: () => undefined,
  });
  const entity = `<!ENTITY a "${'<!--'.repeat(1_000_000)}">`;
  reader.write(Buffer.from(`<!DOCTYPE a [${entity}]><a/>`));
  reader.end();
  t.same(opened, ['a']);
});
