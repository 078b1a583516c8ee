// Without its fonts, so that the site uses those of the reader's system.
import theme from 'vitepress/theme-without-fonts';
import { onMounted } from 'vue';
import './site.css';

/**
 * Gives VitePress's search the roles that screen readers can present. By default its box is a button that contains an input, its options
 * contain links, and its keys have labels without a role.
 */
function fixSearch() {
  const box = document.querySelector('.VPLocalSearchBox');
  if (box === null) return;
  for (const name of ['aria-expanded', 'aria-haspopup', 'aria-labelledby', 'aria-owns']) box.removeAttribute(name);
  box.setAttribute('role', 'dialog');
  box.setAttribute('aria-label', 'Search');
  for (const link of box.querySelectorAll('.results li > a')) {
    const item = link.parentElement;
    item.setAttribute('role', 'none');
    item.removeAttribute('aria-selected');
    // The input names the chosen option by its id.
    if (item.id !== '') link.id = item.id;
    item.removeAttribute('id');
    link.setAttribute('role', 'option');
    const isSelected = String(link.classList.contains('selected'));
    if (link.getAttribute('aria-selected') !== isSelected) link.setAttribute('aria-selected', isSelected);
  }
  for (const key of box.querySelectorAll('kbd[aria-label]')) key.setAttribute('role', 'img');
}

export default {
  extends: theme,
  setup() {
    const changes = { childList: true, subtree: true, attributes: true, attributeFilter: ['aria-selected'] };
    onMounted(() => new MutationObserver(fixSearch).observe(document.body, changes));
  },
};
