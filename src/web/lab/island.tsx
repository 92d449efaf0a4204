import { render } from 'hono/jsx/dom';
import { Lab } from './lab.tsx';

const island = document.getElementById('island');
if (island) render(<Lab />, island);
