import { render } from 'hono/jsx/dom';
import { useStore } from '../parts/store.ts';
import { tokenWanted } from '../parts/token.ts';
import { TokenForm } from '../parts/token-form.tsx';
import { Board } from './board.tsx';

const Page = () => (useStore(tokenWanted) ? <TokenForm what="jobs" /> : <Board />);

const island = document.getElementById('island');
if (island) render(<Page />, island);
