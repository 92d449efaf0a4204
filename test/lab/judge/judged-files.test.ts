import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { chapters } from '../../../src/lab/chapters/index.ts';
import { inProject } from '../../../src/platform/process/project.ts';

// The campaign test/campaigns/explorer/commuting.test.ts plays these files.
test.each(chapters.map(({ name }, index) => ({ name, isFirst: index === 0 })))(
  'the chapter $name has right and wrong files for the judge',
  ({ name, isFirst }) => {
    const files = readdirSync(inProject(`test/lab/judge/judged${isFirst ? '' : `/${name}`}`));
    for (const kind of ['right-', 'wrong-'])
      expect(files.filter((file) => file.startsWith(kind))).not.toEqual([]);
  },
);
