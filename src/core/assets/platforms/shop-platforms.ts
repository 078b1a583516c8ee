import { type PlatformTable, rows } from './platform-table.js';

/** Shops, their products, and schools. */
export const shopPlatforms: PlatformTable = /* @__PURE__ */ (() => rows`
ETSY etsy.com *.
/<lang>listing/(\d{6,12}) /listing/$1
/<lang>(?:shop|transaction/shop)/([a-z\d]{4,20}) /shop/$1
/<lang>people/([\w-]{2,40}) /people/$1
*{[a-z\d]{4,20}}/ /shop/$0
@([a-z\d]{4,20}) /shop/$1
reserved *investors *openapi *community *careers *help *blog *api

ZAZZLE zazzle.com|co.uk|de|fr|ca|com.au|es|pt|se|nl|at|ch|be|co.nz|com.br|co.jp
/store/([\w-]{2,60}) /store/$1
/collections/(?:[^/]*-)?(\d{15,20})$ /collections/$1
/(?:pd/)?(?:[^/]*-)?(\d{15,20})$ /pd/$1
-/([a-z]\w{1,60})(?:/(?:products|gifts|about).*)?$ /store/$1
@([a-z][\w-]{1,60}) /store/$1
reserved lgn sell mk co coupons tshirts mugs posters cards gifts about help create my ideas invitations stickers

TEACHABLE *.teachable.com
*{[a-z\d-]+}/(?:p|courses)/([^/\s]+) $h/p/$1 $h
*{[a-z\d-]+}/ $h
@-([a-z\d-]{1,63}) $1.teachable.com
reserved *sso *app *discover *teach *developers *docs *get *uploads *help *blog *status *cdn *support
`)();
