import { testExamples } from '../../../support/examples.ts';
import { languages } from '../../../support/languages.ts';

// test/campaigns/lab/programs/languages.test.ts has Go and Java.
testExamples(languages.filter(({ title }) => title === 'Python'));
