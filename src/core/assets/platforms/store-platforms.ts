import { type PlatformTable, rows } from './platform-table.js';

/** Apps and extensions, by their id in the store. */
export const storePlatforms: PlatformTable = /* @__PURE__ */ (() => rows`
GOOGLE_APP_STORE play.google.com market.android.com play.app.goo.gl
/(?:(?:web/)?store/(?:apps|games)/)?(?:details(?:/[^/]+)?|datasafety|d)$ ?id=<app> %1
/(?:store/)?(?:apps/)?(?:testing|test)/<app> %1
@dev:([^\s].{0,120}) dev:%1
/store/apps/(?:dev|developer)$ ?id=([^\s].{0,120}) dev:%1
:(?:market|play)://(?:details|launch) ?id=<app> %1
:android-app://<app> %1
/$ ?link=https?://play\.google\.com/store/apps/details\?id=<app>.* %1
@<app> %1

APPLE_APP_STORE apps.apple.com itunes.apple.com geo.itunes.apple.com appsto.re testflight.apple.com
testflight./join/([a-z\d]{6,12})$ testflight/%1
/<lang>(?:developer|artist)/(?:[^/]+/)?id(\d{6,12}) developer/id$1
/<lang>(?:app|app-bundle|mac-app)/(?:[^/]+/)?id(\d{6,12}) id$1
/WebObjects/MZStore\.woa/wa/viewSoftware$ ?id=(\d{6,12}) id$1
:(?:itms-appss?|macappstores?|itmss?)://(?:(?:itunes|apps)\.)?apple\.com/(?:[a-z]{2}/)?app/(?:[^/]+/)?id(\d{6,12}) id$1
:itms-beta://testflight\.apple\.com/join/([a-z\d]{6,12})$ testflight/%1
@id(\d{6,12}) id$1
@developer/id(\d{6,12}) developer/id$1
@testflight/([a-z\d]{6,12}) testflight/%1
@(\d{6,12}) id$1

AMAZON_APP_STORE amazon.com|co.uk|de|fr|it|es|co.jp|ca|in|com.au|com.br|com.mx|nl|se|pl|sg|ae|sa|com.tr|com.be|eg|ie|co.za|cn amzn.com
/gp/mas/dl/android(?:/<app>)?$ ?asin=(B[\da-z]{9}) ^2
/gp/mas/dl/android/<app>$ %1
/gp/mas/dl/android$ ?p=<app> %1
/(?:[^/]+/)?(?:dp|gp/product|gp/aw/d|product-reviews)/(B[\da-z]{9}) ^1
amzn.com/(B[\da-z]{9})$ ^1
:amzn://apps/android ?asin=(B[\da-z]{9}) ^1
:amzn://apps/android ?p=<app> %1
@(B[\da-z]{9}) ^1
@<app> %1

MICROSOFT_APP_STORE microsoft.com apps. get.
apps./(?:store/)?detail/(?:[^/]+/)?<product>$ ^1
microsoft./<lang>(?:store/)?(?:p|apps|productid|detail)/(?:[^/]+/)?<product> ^1
get./installer/download/<product>$ ^1
:ms-windows-store://(?:pdp|review) ?productid=<product> ^1
@<product> ^1

SAMSUNG_APP_STORE galaxystore.samsung.com apps.samsung.com samsungapps.com galaxy.store
galaxystore./(?:detail|geardetail|prepost/detail)/<app> %1
galaxystore./(?:prepost|detail)/(\d{12}) $1
/appquery/(?:appDetail|main/topic)\.as$ ?appId=<app> %1
galaxy./([a-z\d]{2,40})$ galaxy.store/$1
@(\d{12}) $1
:samsungapps://ProductDetails?/<app> %1
@<app> %1

HUAWEI_APP_STORE appgallery.huawei.com appgallery.cloud.huawei.com appgallery1.huawei.com appgallery5.huawei.com appgallery7.huawei.com appgallery8.huawei.com
/(?:app|ag/n/app|marketshare/app|appdl)/(C\d{5,12}) ^1
/(?:index\.html)?$ #/(?:app|ag/n/app)/(C\d{5,12}) ^1
/appDetail$ ?pkgName=<app> %1
/(?:index\.html)?$ #/app/<app>$ %1
:appmarket://details ?id=<app> %1
:hiapplink://com\.huawei\.appmarket ?appId=(C\d{5,12}) ^1
:store://appgallery\.huawei\.com/app/detail ?id=<app> %1
@(C\d{5,12}) ^1
@<app> %1

XIAOMI_APP_STORE app.mi.com global. app.xiaomi.com app.market.xiaomi.com
/(?:v2/)?details?$ ?id=<app> %1
/detail/(\d{1,10})$ $1
/$ #page=detail&id=(\d{1,10}) $1
/apm/detail$ ?packageName=<app> %1
@(\d{1,10}) $1
:mi(?:market)?://details ?id|packageName=<app> %1
:mipicks://details ?id=<app> %1
@<app> %1

TENCENT_APP_STORE sj.qq.com a.app.qq.com android.myapp.com m.app.qq.com app.qq.com
/(?:appdetail|app|game-?detail)/<app> %1
/myapp/detail\.htm$ ?apkName=<app> %1
/o/(?:simple|myapp-down|ajax/micro/AppDetail)(?:\.jsp)?$ ?pkgname=<app> %1
:tmast://appdetails? ?pname|pkgname=<app> %1
@<app> %1

OPPO_APP_STORE store.oppomobile.com app.cdo.oppomobile.com market.oppomobile.com app.heytap.com
/(?:home/)?(?:detail|details|app_detail)(?:\.html)?$ ?app_id=(\d{1,12}) $1
/(?:home/)?(?:detail|details)(?:\.html)?$ ?pkg=<app> %1
/product/\d+/(?:\d+/)?(\d{3,12})_\d+\.html$ $1
@(\d{1,12}) $1
:oppomarket://details ?packagename|id=<app> %1
:oaps://mk/(?:mp/)?dt ?pkg=<app> %1
:heytapmarket://details ?id|packagename=<app> %1
@<app> %1

VIVO_APP_STORE info.appstore.vivo.com.cn h5.appstore.vivo.com.cn h5coml.vivo.com.cn appstore.vivo.com.cn
/detail/(\d{1,10})$ $1
/$ #/(?:appinfo|details?)\?(?:.*&)?app_?id=([a-z]\w*(?:\.[a-z]\w*)+|\d{1,10})(?:&|$) %1
/h5coml/appdetail_h5 ?appId=(\d{1,10}|[a-z]\w*(?:\.[a-z]\w*)+) %1
@(\d{1,10}) $1
:vivomarket://details ?id=<app> %1
@<app> %1

F_DROID f-droid.org staging. cloudflare.
/<lang>(?:packages|app)/<app> %1
/repository/browse/?$ ?fdid=<app> %1
/(?:repo|archive)/<app>_\d+\.apk(?:\.asc)?$ %1
:fdroid\.app:(?:/{0,2})<app>$ %1
@<app> %1

APK_GOLD apk.gold *.
*{[a-z\d][a-z\d-]*}/ $h
/download$ ?file_id=\d+/([a-z\d-]+) $1.apk.gold
@-([a-z\d][a-z\d-]{1,62}) $1.apk.gold
reserved *static *img *api *cdn

FLATHUB flathub.org beta. dl.
/<lang>apps/(?:details/)?<flatpak> %1
dl./repo/appstream/<flatpak>\.flatpakref$ %1
:(?:appstream|flatpak\+https):(?://)?<flatpak>(?:\.desktop)?$ %1
@(?:flatpak\sinstall\s(?:-y\s)?(?:flathub\s)?)?<flatpak> %1

CHROME_WEB_STORE chromewebstore.google.com chrome.google.com clients2.google.com
/(?:webstore/)?detail/(?:[^/]+/)?([a-p]{32}) $1
/service/update2/crx$ ?x=id=([a-p]{32}).* $1
:chrome-extension://([a-p]{32}) $1
!([a-p]{32}) $1

MOZILLA_ADDONS addons.mozilla.org
-/<lang>(?:firefox|android|thunderbird|seamonkey)/addon/<addon> $1
-/<lang>(?:firefox|android)/downloads/latest/<addon> $1
-/addon/<addon> $1
@<addon> $1
reserved all latest

OPERA_ADDONS addons.opera.com
/<lang>(?:extensions|themes|wallpapers)/details/([\w.-]{2,80}) $1
/<lang>extensions/download/([\w.-]{2,80}) $1
@([\w.-]{2,80}) $1
`)();
