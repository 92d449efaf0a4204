import { render } from 'hono/jsx/dom';
import { useStore } from '../../pages/parts/store.ts';
import { tokenWanted } from '../../pages/parts/token.ts';
import { TokenForm } from '../../pages/parts/token-form.tsx';
import { Lab } from './lab.tsx';

const Page = () => (useStore(tokenWanted) ? <TokenForm what="lab" /> : <Lab />);

const island = document.getElementById('island');
if (island) render(<Page />, island);
