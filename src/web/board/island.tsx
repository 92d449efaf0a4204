import { render } from 'hono/jsx/dom';
import { useStore } from '../parts/store.ts';
import { tokenWanted } from '../parts/token.ts';
import { Board } from './board.tsx';
import { TokenForm } from './token-form.tsx';

const Page = () => (useStore(tokenWanted) ? <TokenForm /> : <Board />);

const island = document.getElementById('island');
if (island) render(<Page />, island);
