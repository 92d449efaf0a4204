import { render } from 'hono/jsx/dom';
import { JoinPage } from './join-page.tsx';

const island = document.getElementById('island');
if (island) render(<JoinPage />, island);
