import { testExample } from '../../../support/examples.ts';
import { python } from '../../../support/languages.ts';

// test/campaigns/lab/programs/languages.test.ts has Go and Java.
testExample(python);
