import { render } from 'hono/jsx/dom';
import { answerBy } from '../../../pages/parts/api.ts';
import { Lab } from '../lab.tsx';
import { answer } from './answers.ts';

answerBy(answer);

const island = document.getElementById('island');
if (island) render(<Lab />, island);
