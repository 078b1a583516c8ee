// Without its fonts, so that the site uses those of the reader's system.
import theme from 'vitepress/theme-without-fonts';
import { onMounted } from 'vue';
import './site.css';

/**
 * VitePress makes the box of its search a button that contains an input, and its options links that take the focus, which screen
 * readers cannot present. The input names the chosen option, so the links need no focus of their own.
 */
function fixSearchBox() {
  const box = document.querySelector('.VPLocalSearchBox');
  if (box === null) return;
  for (const name of ['aria-expanded', 'aria-haspopup', 'aria-labelledby', 'aria-owns']) box.removeAttribute(name);
  box.setAttribute('role', 'dialog');
  box.setAttribute('aria-label', 'Search');
  for (const link of box.querySelectorAll('[role="option"] a')) link.tabIndex = -1;
}

export default {
  extends: theme,
  setup() {
    onMounted(() => new MutationObserver(fixSearchBox).observe(document.body, { childList: true, subtree: true }));
  },
};
