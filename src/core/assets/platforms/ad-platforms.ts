import { type PlatformTable, rows } from './platform-table.js';

/** Advertisements and advertisers. They precede the platforms whose hosts they share. */
export const adPlatforms: PlatformTable = /* @__PURE__ */ (() => rows`
META_AD facebook.com web.
/ads/(?:library|archive)$ ?id=(\d{6,20}) $1
/ads/(?:library|archive)$ ?view_all_page_id=(\d{5,20}) page/$1
/ads/archive/render_ad/?$ ?id=(\d{6,20}) $1
@(\d{6,20}) $1
@page/(\d{5,20}) page/$1

GOOGLE_AD adstransparency.google.com transparencyreport.google.com
/(?:political-ads/)?advertiser/(AR\d{15,22})/creative/(CR\d{15,22}) ^2 ^1
/(?:political-ads/)?advertiser/(AR\d{15,22}) ^1
!((?:CR|AR)\d{15,22}) ^1

BING_AD adlibrary.ads.microsoft.com
/ad/(\d{6,24}) $1
/advertisers?/(\d{3,20}) advertiser/$1
/$ ?adId=(\d{6,24}) $1
@(\d{6,24}) $1
@advertiser/(\d{3,20}) advertiser/$1
`)();
