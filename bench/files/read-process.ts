// A process that reads a stored file: with the reader of imports, or with the parser alone.

import { SaxesParser } from 'saxes';
import { z } from 'zod';
import { loadConfig } from '../../config.ts';
import { chunksOf, type FileBytes } from '../../services/file-import/rules/file-bytes.ts';
import { openFile } from '../../services/file-import/rules/read-file.ts';
import { fileBytes, fileFolder } from '../../services/file-import/work/file-folder.ts';
import { answerParent } from '../parent.ts';

const Request = z.object({ id: z.string(), bytes: z.number() });
const folder = fileFolder(loadConfig());

const timed = (work: (file: FileBytes) => Promise<number>) => async (request: unknown) => {
  const { id, bytes } = Request.parse(request);
  const began = performance.now();
  const items = await work(fileBytes(folder, id, bytes));
  return { items, ms: performance.now() - began, peak_mb: process.resourceUsage().maxRSS / 1024 };
};

answerParent({ parse: timed(parsed), read: timed(read) }, () => undefined);

async function parsed(file: FileBytes): Promise<number> {
  let items = 0;
  const parser = new SaxesParser();
  const decoder = new TextDecoder();
  parser.on('opentag', ({ name }) => {
    if (name === 'Record') items += 1;
  });
  for await (const chunk of chunksOf(file)) parser.write(decoder.decode(chunk, { stream: true }));
  parser.close();
  return items;
}

async function read(file: FileBytes): Promise<number> {
  const { batches } = await openFile(file, { nowMs: Date.now(), rules: null, timeZone: null, skip: 0 });
  let items = 0;
  for await (const batch of batches) items = batch?.position ?? items;
  return items;
}
