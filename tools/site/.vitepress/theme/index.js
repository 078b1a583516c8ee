// Without its fonts, so that the site uses those of the reader's system.
import theme from 'vitepress/theme-without-fonts';
import './site.css';

export default theme;
