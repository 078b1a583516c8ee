import { type PlatformTable, rows } from './platform-table.js';

/** Video, sound and pictures: channels, artists and works. */
export const mediaPlatforms: PlatformTable = /* @__PURE__ */ (() => rows`
YOUTUBE youtube.com music. gaming. youtube-nocookie.com youtu.be yt.be youtubekids.com youtube.googleapis.com yewtu.be piped.video
youtu.be|yt./([\w-]{11})$ /watch?v=%1
/(?:watch(?:_popup)?|attribution_link)?$ ?v=([\w-]{11}).* /watch?v=%1
/attribution_link$ ?u=/watch\?v=([\w-]{11}).* /watch?v=%1
/$ #/?watch\?v=([\w-]{11}) /watch?v=%1
/embed$ ?listtype=user_uploads ?list=([^/]{1,100}) /user/$1
/(?:playlist|embed(?:/videoseries)?)$ ?list=([\w-]{10,64}) /playlist?list=%1
/embed/live_stream$ ?channel=(UC[\w-]{22}) /channel/%1
/feeds/videos\.xml$ ?channel_id=(UC[\w-]{22}) /channel/%1
/embed/(?:videoseries|live_stream)$
/(?:shorts|live|embed|watch|v|e)/([\w-]{11})(?:[&/].*)?$ /watch?v=%1
/channel/(UC[\w-]{22}) /channel/%1
/(c|user)/([^/]{1,100}) /$1/$2
/@([^/\s]{3,30}) /@$1
-youtube.com|gaming./([a-z\d]{3,60})(?:/(?:videos|shorts|streams|live|about|community|posts|playlists|featured|channels|search))?$ /c/$1
:(?:vnd\.)?youtube:(?://)?([\w-]{11})$ /watch?v=%1
:(?:vnd\.)?youtube:(?://)?(?:(?:(?:www|m)\.)?youtube\.com/)?watch/? ?v=([\w-]{11}) /watch?v=%1
:(?:vnd\.)?youtube:(?://)?(?:(?:(?:www|m)\.)?youtube\.com/)?(?:user/)?channel/(UC[\w-]{22}) /channel/%1
:(?:vnd\.)?youtube:(?://)?(?:(?:(?:www|m)\.)?youtube\.com/)?(c|user)/([^/\s]{1,100}) /$1/$2
:(?:vnd\.)?youtube:(?://)?(?:(?:(?:www|m)\.)?youtube\.com/)?@([^/\s]{3,30}) /@$1
@(UC[\w-]{22}) /channel/%1
@@([^/\s@.]{3,30}|[^/\s@]{3,30}) /@$1
reserved results shorts embed channel channels feeds feed subscriptions oembed redirect post clip hashtag premium gaming music kids account trending playlist movies news intl yt ads howyoutubeworks red purchases creators profile about login settings signup logout jobs press signin upload user watch live

TIKTOK tiktok.com vm. vt. lite. tiktxk.com
vm.|vt./([a-z\d]{5,16})$ /t/%1
/t/([a-z\d]{5,16})$ /t/%1
/@([\w.-]{2,24})?/(?:video|photo)/(\d{6,25}) /video/$2 /@$1
/(?:v|(?:share/)?video|embed(?:/v\d)?|player/v\d)/(\d{6,25})(?:\.html)?$ /video/$1
:snssdk\d+://aweme/detail/(\d{6,25}) /video/$1
/(?:embed/)?@([\w.-]{2,24}) /@$1
@([\w.]{2,24}) /@$1

FLICKR flickr.com secure. flic.kr
flic./p/([1-9A-HJ-NP-Za-km-z]{5,10})$ /photo/$1:flickr
/photo/(\d{5,15})$ /photo/$1
/photo\.gne$ ?id=(\d+) /photo/$1
/(?:photos|people)/([\w-]+|\d+@N\d\d)/(\d{5,15}) /photo/$2 /photos/$1
/(?:photos|people)/(\d+@N\d\d) /photos/^1
-/(?:photos|people)/([\w-]{1,64}) /photos/$1
/groups/[^/]+/discuss/\d+
-/groups/([\w@-]+) /groups/$1
@(\d+@N\d\d) /photos/^1
@([\w-]{1,64}) /photos/$1
reserved organize discuss search create friends me upload tags

BILIBILI_TV bilibili.tv biliintl.com
/<lang>(space|video)/(\d+) /$1/$2
/<lang>(?:play|media)/(\d+) /play/$1
@(\d{4,18}) /space/$1

VIMEO vimeo.com player. vimeopro.com
/video/(\d{4,12}) /$1
/(?:channels/[^/]+|groups/[^/]+/videos?|manage/videos|(?:album|showcase)/\d+/video|\w+/review)/(\d{4,12}) /$1
/(channels|groups|event|ondemand)/([\w-]+) /$1/$2
/(?:album|showcase)/([\w-]+) /showcase/$1
/(\d{4,12}) /$1
-vimeo./([a-z][\w.-]{1,63}) /$1
:vimeo://(?:app\.vimeo\.com/)?(?:videos/)?(\d{4,12}) /$1
@([a-z]\w{1,63}) /$1
reserved log_in ondemand channels showcase manage stock import ott staffpicks moogaloop.swf site_map cookie_policy about search login settings home terms privacy help blog features enterprise solutions join jobs api create upload pro video groups watch upgrade categories album event

DAILYMOTION dailymotion.com|fr|de|it|es|pl|ca geo. dai.ly
dai./([a-z\d]{5,10})$ /video/$1
/player(?:/[^/]+)?\.html$ ?video=([a-z\d]{5,10}) /video/$1
/(?:embed/|swf/)?video/([a-z\d]{5,10})(?:_[^/]*)? /video/$1
/(?:embed/)?playlist/(x[a-z\d]{3,10})(?:_[^/]*)? /playlist/$1
-/(?:(?:old/)?user/)?([\w.-]{2,40}) /$1
@([\w.-]{2,40}) /$1
reserved playlist swf crawler history partner hub us gb about search signup feed signin embed legal fr topic player video library

VIDLII vidlii.com
/(?:watch|embed)(?:\.php)?$ ?v=([\w-]{11}) /watch?v=%1
/user/([a-z\d]{1,30}) /user/$1
@([a-z\d]{1,30}) /user/$1

SOUNDCLOUD soundcloud.com on. soundcloud.app.goo.gl
on./([a-z\d]{4,24})$ on.soundcloud.com/%1
-/([\w-]{2,64})/sets/([\w-]+) /$1/sets/$2 /$1
-/([\w-]{2,64})/(?!(?:tracks|albums|sets|reposts|likes|followers|following|popular-tracks|comments|spotlight)$)([\w-]{1,128}) /$1/$2 /$1
@-/([\w-]{2,64}) /$1
reserved stream you charts stations imprint terms-of-use go community-guidelines search settings notifications logout messages jobs feed discover signin pages upload tags pro checkout mobile oembed people player

TWITCH twitch.tv go. player. clips.
clips./([\w-]{8,80})$ clips.twitch.tv/%1
clips./embed$ ?clip=([\w-]{8,80}) clips.twitch.tv/%1
player./$ ?channel=(\w{3,25}) /$1
player./$ ?video=v?(\d+) /videos/%1
/\w{3,25}/clip/([\w-]{8,80})$ clips.twitch.tv/%1
/(?:\w{3,25}/v(?:ideo)?|videos)/(\d{6,12})$ /videos/$1
/(?:popout|moderator|embed|subs)/(\w{3,25}) /$1
:twitch://(?:stream|channel)/(\w{3,25})$ /$1
:twitch://open/? ?stream|channel=(\w{3,25}) /$1
-twitch.|go./(\w{3,25}) /$1
@(\w{3,25}) /$1
reserved subscriptions inventory wallet turbo popout moderator prime broadcast subs bits redeem activate search login settings signup jobs following embed user drops collections team products directory friends payments checkout downloads videos store

BEHANCE behance.net be.net
/(?:gallery|embed/project)/(\d{3,12}) /gallery/$1
@-/([\w-]{3,40}) /$1
reserved galleries gallery hire joblist for_you adobe dev moodboard onboarding about search login signup blog jobs embed collection live assets

DEVIANTART deviantart.com fav.me *.
fav./d([\da-z]{4,9})$ /deviation/$1:base36
/deviation/(\d+)$ /deviation/$1
-deviantart./([a-z\d-]{3,20})/(?:art|journal|status)/(?:[^/]*-)?(\d{5,12})$ /deviation/$2 /$1
-deviantart./([a-z\d-]{3,20}) /$1
*{[a-z\d-]{3,20}}/art/(?:[^/]*-)?(\d{5,12})$ /deviation/$1 /$0
*{[a-z\d-]{3,20}}/ /$0
@([a-z\d-]{3,20}) /$1
reserved deviation core-membership daily-deviations developers comments submit *sta *backend shop about search settings join notifications team users topic tag groups watch popular

BANDCAMP bandcamp.com *.
*{[a-z\d-]+}/(album|track|merch)/([a-z\d-]+) $h/$1/$2 $h
*{[a-z\d-]+}/ $h
-bandcamp./([\w-]{2,64}) /$1
@-([a-z\d-]{2,63}) $1.bandcamp.com
reserved daily fan radio artists fans labels track embeddedplayer terms_of_use *f4 *popplers5 guides gift_cards about search login settings signup privacy help pricing blog jobs api contact feed discover tag live album campaign download videos get

FIVE_HUNDRED_PX 500px.com
/photo/(\d{3,14}) /photo/$1
/p/([\w-]{2,60}) /p/$1
@-/([\w-]{2,60}) /p/$1
reserved editors licensing quests about search login settings signup home terms privacy discover photo popular upgrade
`)();
