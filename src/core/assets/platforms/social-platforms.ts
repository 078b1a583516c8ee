import { type PlatformTable, rows } from './platform-table.js';

/** Social networks: accounts, posts and events. */
export const socialPlatforms: PlatformTable = /* @__PURE__ */ (() => rows`
LINKEDIN linkedin.com ~.
/(?:in/(?:me|edit)|company/setup|groups/(?:discover|requests|my-groups))
/(?:mwlite/|comm/|m/)?(in|company|school|showcase|groups|newsletters)/([^/\s]{1,120}) /$1/$2
/company-beta/(\d+) /company/$1
/pub/([^/\s]+/[\da-z]+/[\da-z]+/[\da-z]+)$ /pub/$1
/profile/view$ ?id=(AC[\w-]{10,}) /in/$1
/posts/([^/_\s]{1,120})_(?:[^/]*-)?(activity|share|ugcpost)-(\d{15,20})(?:-[\w-]{1,8})? /feed/update/urn:li:$2:$3 /in/$1 /company/$1
/(?:embed/)?feed/update/(?:urn:li:)?(activity|share|ugcpost):(\d{15,20}) /feed/update/urn:li:$1:$2
:linkedin://(?:www\.linkedin\.com/)?(in|company)/([^/\s]{1,120}) /$1/$2
:linkedin://profile/([^/\s]{1,120}) /in/$1
:linkedin://profile/?$ ?id=([^/\s]{1,120}) /in/$1
@([a-z\d-]{3,100}) /in/$1

TWITTER twitter.com x.com fxtwitter.com vxtwitter.com fixupx.com fixvx.com twittpr.com nitter.net xcancel.com
nitter.|xcancel./(?:pic|video|enc)/[^/]+
/[a-z]{2}(?:-[a-z]{2})?/(?:tos|privacy|rules)$
/(?:(?:i/web|i|(\w{1,15}))/status(?:es)?|statuses)/(\d{1,20}) /i/status/$2 /$1
/intent/(?:user|follow)$ ?screen_name=@?(\w{1,15}) /$1
/(?:intent/follow|(?:intent|i)/user)$ ?user_id=(\d{1,20}) /i/user/$1
/i/user/(\d{1,20})$ /i/user/$1
/i/flow/login$ ?redirect_after_login=/\w{1,15}/status/(\d{1,20}).* /i/status/$1
-/i/flow/login$ ?redirect_after_login=/@?(\w{1,15})(?:[/?#].*)? /$1
/i/(communities|spaces|lists)/([\da-z]+) /i/$1/%2
/lists/(\d+) /i/lists/$1
/\w/(?!(?:status(?:es)?|with_replies|media|likes|followers|following|verified_followers|highlights|articles|lists|photo|header_photo|about)(?:/|$))[^/]+
/$ #!/@?(\w{1,15})$ /$1
@-/@?(\w{1,15}) /$1
:twitter://user ?screen_name=@?(\w{1,15}) /$1
:twitter://user ?id|user_id=(\d{1,20}) /i/user/$1
:twitter://(?:status|tweet) ?id|status_id=(\d{1,20}) /i/status/$1
reserved i intent compose lists who_to_follow personalization followers about search login settings signup explore home privacy notifications logout messages jobs following oauth account widgets share hashtag tos download

FACEBOOK facebook.com mbasic. mtouch. free. d. x. web. business. fb.com fb.me m.me messenger.com ~.
/messages/t/(\d{4,20}) /$1
/messages/t/([a-z\d][a-z\d.-]{3,79}) /$1:dotless
messenger./t/(\d{4,20}) /$1
messenger./t/([a-z\d][a-z\d.-]{3,79}) /$1:dotless
messenger./
-/$ #!/(?!\w+\.php)([a-z\d][a-z\d.-]{3,79})(?:[/?]|$) /$1:dotless
/(?:profile|story|permalink)\.php$ ?id=(\d{4,20}) /$1
/(?:watch(?:/live)?|video\.php)$ ?v=(\d+) /watch/$1
/(?:v\d+\.\d+|[^/]+\.php|groups/(?:feed|discover|create|joins)$)
/(?:people|pages(?:/category/[^/]+)?)/(?:[^/]+/(?:[^/]*-)?|[^/]*-)(\d{4,20}) /$1
/(?:pg|p)/[^/]*?-?(\d{9,20}) /$1
/pg/([a-z\d.-]{5,80}) /$1:dotless
/groups/[^/]+/(?:user|posts|permalink)/(?:[^/]+/)?(\d{9,20}) /$1
/groups/([\w.-]+)$ ?multi_permalinks=(\d{9,20}).* /$2 /groups/$1
/groups/([\w.-]+) /groups/$1
/events/(?:[^/]+/)?(?:[^/]+/)?(\d{6,20}) /events/$1
/(marketplace/item|reel|watch)/(\d+) /$1/$2
/marketplace/profile/(\d{4,20}) /$1
-/([a-z\d][a-z\d.-]{3,79})/videos/(?:[^/]+/){0,2}(\d{6,20}) /watch/$2 /$1:dotless
/(?:profile/)?(\d{4,20}) /$1
/[a-z\d.-]+-(\d{12,20}) /$1
-/([a-z\d][a-z\d.-]{3,79}) /$1:dotless
:fb(?:-messenger(?:-public)?)?://(?:profile|page|user|user-thread)/(\d{4,20})$ /$1
:fb://(?:profile|page)/([a-z\d][a-z\d.-]{3,79})$ /$1:dotless
:fb://(?:profile|page) ?id=(\d{4,20}) /$1
:fb://group/(\d{4,20})$ /groups/$1
@([a-z\d][a-z\d.]{3,79}) /$1:dotless
reserved policies sharer dialog plugins gaming donate recover checkpoint hacked fundraisers games instantgames saved notes memories onthisday commerce adsmanager creatorstudio composer ajax offers communitystandards accountscenter unsupportedbrowser nearby places about search login settings terms privacy help notifications messages careers legal pages share hashtag directory friends payments bookmarks business media policy people video groups watch stories reel reels live events marketplace latest photo public

REDDIT reddit.com old. new. np. i. amp. sh. redd.it rxddit.com ~.
/(?:(?:r|u|user)/[\w-]+/s/\w+|r/(?:all|popular|mod|friends|random)|u(?:ser)?/me)
redd./([a-z\d]{4,10})$ /comments/$1
/(?:(?:r|u|user)/([\w-]{2,21})/)?(?:comments|gallery|tb|link)/([a-z\d]{4,10}) /comments/$2
/r/u_([\w-]{3,20}) /user/$1
/(?:u|user)/([\w-]{3,20})(?:\.\w+)? /user/$1
/r/([a-z\d]\w{1,20})(?:\.\w+)? /r/$1
/message/compose$ ?to=/?r/([a-z\d]\w{1,20}) /r/$1
/message/compose$ ?to=(?:/?u(?:ser)?/)?([\w-]{3,20}) /user/$1
:reddit:/+(?:www\.reddit\.com/)?r/([a-z\d]\w{1,20}) /r/$1
:reddit:/+(?:www\.reddit\.com/)?u(?:ser)?/([\w-]{3,20}) /user/$1
@(?:/?r/)([a-z\d]\w{1,20})/? /r/$1
@(?:/?u(?:ser)?/)?([\w-]{3,20})/? /user/$1

INSTAGRAM instagram.com instagr.am ig.me ddinstagram.com
/(?:reels?/audio|stories/highlights|share|a/r|channel/[\w-]{8,})
/(?:([\w.]{1,30})/)?(?:p|reel|reels|tv)/([\w-]{5,64}) /p/%2 /$1
/j/([\w-]{10,64})={0,2} /j/%1
-/(?:stories|_u|_n|n|m)/([\w.]{1,30}) /$1
-/accounts/login$ ?next=(?:https?://(?:www\.)?instagram\.com)?/([\w.]{1,30})/?(?:\?.*)? /$1
/\w/(?!(?:reels?|tagged|channel|guides?|saved|followers|following|reposts|feed|live|embed)(?:/|$))[^/]+
@-/@?(\w(?:\w|\.(?!\.)){0,28}\w|\w) /$1
:instagram://user ?username=([\w.]{1,30}) /$1
reserved tv accounts direct developer web n challenge static ar graphql emails invites s m push lite qr nametag about explore privacy oauth api topics legal stories reel reels p session popular

THREADS threads.net threads.com
/(?:@([\w.]{1,30})/post|t)/([\w-]{5,64}) /t/%2 /@$1
/intent/follow$ ?username=@?([\w.]{1,30}) /@$1
:barcelona://user ?username=([\w.]{1,30}) /@$1
@/@([\w.]{1,30}) /@$1

MEDIUM medium.com *.
/p/([\da-f]{8,14}) /p/$1
/@me
medium./@([\w.-]{1,60})/list /@$1
medium./(?:feed/)?@([\w.-]{1,60})/(?:.*-)?([\da-f]{8,14})$ /p/$2 /@$1
medium./(?:feed/)?@([\w.-]{1,60}) /@$1
-medium./([a-z\d-]{2,60})/(?:.*-)?([\da-f]{8,14})$ /p/$2 /$1
-medium./(?:feed/)?([a-z\d-]{2,60}) /$1
*{[a-z\d][\w-]{0,59}}/(?:.*-)?([\da-f]{8,14})$ /p/$1 /@$0
*{[a-z\d][\w-]{0,59}}/ /@$0
@([\w.-]{1,60}) /@$1
reserved new-story membership plans jobs-at-medium explore-topics *link *cdn-images-1 *miro *glyph partner-program lists about search topics sitemap *help *blog *api *status feed business media policy creators topic tag earn me

PATREON patreon.com
/(?:user(?:/\w+)?|bePatron)$ ?u=(\d{1,12}) /user/$1
/user/(\d{1,12})$ /user/$1
/m/(\d+) /m/$1
/(?:([\w-]+)/)?posts/(?:[^/]*-)?(\d{4,12})$ /posts/$2
/creation$ ?hid=(\d+) /posts/$1
/(?:cw?|join|checkout|rss)/([\w-]{2,64}) /$1
@-/([\w-]{2,64}) /$1
reserved posts cw creation portal auth product file oauth2 bepatron rss brand en-us en-gb fr-fr about search login settings signup explore home pricing join notifications logout messages api apps user create collection careers de-de media policy creators checkout library

FARCASTER farcaster.xyz warpcast.com
/~/profiles/(\d{1,12}) /~/profiles/$1
/~/channel/([a-z\d-]{1,40}) /~/channel/$1
-/@?([a-z\d][a-z\d.-]{0,60})/(0x[\da-f]{6,40})$ /$1/$2 /$1
-/@?([a-z\d][a-z\d.-]{0,60})(?:/[a-z-]+)?$ /$1
@([a-z\d][a-z\d-]{0,15}(?:(?:\.base)?\.eth)?) /$1
reserved ~ miniapps login settings signup explore notifications

QUORA quora.com *.
/profile/([^/\s]{1,120}) /profile/$1
/q/([\w-]{1,100}) $1.quora.com
*{(?=.{3,})[a-z\d-]+}/ $h
-/(?:unanswered/)?([^/\s]{3,200})/answer/([^/\s]{1,120}) /$1/answer/$2 /profile/$2
-/(?:unanswered/)?([^/\s]{3,200}) /$1
@([a-z\d][a-z\d.-]{1,100}) /profile/$1
reserved answer pmsg qemail *business about search login settings notifications messages following contact sitemap *help careers bookmarks topic profile spaces challenges

SUBSTACK substack.com open. *.
open./pub/([a-z\d-]{1,63})/p/([^/\s]+) $1.substack.com/p/$2 $1.substack.com
substack.|open./pub/([a-z\d-]{1,63}) $1.substack.com
substack./profile/(\d+)(?:-[^/]*)? /profile/$1
substack.|open./@([\w-]{2,60}) /@$1
*{[a-z\d][a-z\d-]*}/p/([^/\s]+) $h/p/$1 $h
*{[a-z\d][a-z\d-]*}/ $h
@@([\w-]{2,60}) /@$1
@-([a-z\d][a-z\d-]{0,62}) $1.substack.com
reserved open *on *email *reader *bucketeer *read *blog *api *cdn *support

PRIMAL primal.net beta. njump.me njump.to nostr.at|eu|ae|com snort.social iris.to coracle.social
/(?:[a-z]+/)?((?:npub|nprofile)1[a-z\d]+) $1:npub
/(?:[a-z]+/)?((?:note|nevent)1[a-z\d]+) $1:note
primal.|beta./p/([\da-f]{64}) $1:npub
primal.|beta./e/([\da-f]{64}) $1:note
primal.|beta./\w/[^/]+
-primal.|beta./([a-z\d][\w.-]{0,63}) /$1
:nostr:((?:npub|nprofile)1[a-z\d]+)$ $1:npub
:nostr:((?:note|nevent)1[a-z\d]+)$ $1:note
!((?:npub|nprofile)1[a-z\d]+) $1:npub
!((?:note|nevent)1[a-z\d]+) $1:note
@([\da-f]{64}) $1:npub
reserved e reads feeds asearch legends myarticles rc search settings explore home terms privacy help notifications messages bookmarks premium downloads a new p

BLUESKY bsky.app staging. fxbsky.app vxbsky.app xbsky.app main.bsky.dev *.bsky.social
*{[a-z\d-]{3,18}}/ /profile/$h
/profile/(did:plc:[a-z2-7]{24}|did:web:[^/\s]+|<domain>)/post/([a-z\d]{8,20}) /profile/$1/post/$2 /profile/$1
/profile/@?(did:plc:[a-z2-7]{24}|did:web:[^/\s]+|<domain>) /profile/$1
/(?:start|starter-pack)/(did:plc:[a-z2-7]{24}|<domain>)/[^/]+ /profile/$1
:at://(did:plc:[a-z2-7]{24}|[a-z\d.-]+\.[a-z]+)/app\.bsky\.feed\.post/([a-z\d]+)$ /profile/$1/post/%2
:at://(did:plc:[a-z2-7]{24}|[a-z\d.-]+\.[a-z]+)/?$ /profile/$1
!(did:plc:[a-z2-7]{24}) /profile/$1
@(<domain>) /profile/$1

SNAPCHAT snapchat.com story. t.
snapchat./t/([a-z\d]{6,16})$ /t/%1
t./([a-z\d]{6,16})$ /t/%1
snapchat.|story./(?:add/|@|u/@?|s/@?)([a-z][\w.-]{2,14}) /add/$1
:snapchat://add/([a-z][\w.-]{2,14})$ /add/$1
@([a-z][\w.-]{2,14}) /add/$1

DESO diamondapp.com bitclout.com node.deso.org tijn.club love4src.com desocialworld.com
/u(?:ser)?/(BC1Y[1-9A-HJ-NP-Za-km-z]{50,52}) /u/%1
/u(?:ser)?/@?(\w{1,25}) /u/$1
/(?:posts|nft)/([\da-f]{64}) /posts/$1
!(BC1Y[1-9A-HJ-NP-Za-km-z]{50,52}) /u/%1
@(\w{1,25}) /u/$1

PINTEREST pinterest.com|fr|de|ch|jp|cl|ca|it|co.uk|nz|ru|com.au|at|pt|co.kr|es|com.mx|dk|ph|th|com.uy|co|nl|info|kr|ie|vn|com.vn|ec|mx|in|pe|co.at|hu|co.in|co.nz|id|com.ec|com.py|tw|be|uk|com.bo|com.pe|se|no|fi|pl pin.it ~.
pin./([a-z\d]{5,12})$ pin.it/%1
/pin/(?:[^/]*--)?(\d{5,25}) /pin/$1
-/([\w-]{3,30})/(?!_)([^/\s]{1,100})$ /$1/$2 /$1
-/([\w-]{3,30}) /$1
:pinterest://user/([\w-]{3,30})$ /$1
:pinterest://board/([\w-]{3,30})/([^/\s]{1,100})$ /$1/$2 /$1
:pinterest://pin/(\d{5,25})$ /pin/$1
@(\w{3,30}) /$1
reserved pin today password resource convert-business source offsite amp email news_hub homefeed pin-builder invited collages about search login settings signup explore notifications logout following oauth topics discover business categories videos ideas

GALXE galxe.com app. galaxy.eco beta.
@(GC[a-z\d]{8}) /quest/%1
-/(?:quest/)?([\w.-]{2,64})/(?:campaign/)?(GC[a-z\d]{6,12})$ /quest/%2 /$1
/quest/(GC[a-z\d]{6,12})$ /quest/%1
-/(?:quest|space)/([\w.-]{2,64})$ /$1
@-/([\w.-]{2,64}) /$1
reserved quest space id passport leaderboard credential compass accountsetting alva starboard login settings explore terms privacy earn rewards swap spaces campaign

VELOG velog.io
/@([\w-]{2,30})/(?!posts$|series|about$)([^/\s]+)$ /@$1/%2 /@$1
@/@([\w-]{2,30}) /@$1

VOCAL_MEDIA vocal.media
-/authors/([a-z\d-]{2,80}) /authors/$1
-/([a-z-]{2,40})/([a-z\d-]{2,200})$ /$1/$2
@([a-z\d-]{2,80}) /authors/$1
reserved vocal-plus latest-stories top-stories about login signup terms privacy resources challenges

TECKFINE teckfine.com
-/(?=([^/]+))(?!wp-|(?:category|tag|page|comments)/)(\S+)$ /$2
reserved about contact feed privacy-policy

REDNOTE xiaohongshu.com rednote.com xhslink.com xhslink.cn
xhslink./((?:[amo]/)?[a-z\d]{5,16})$ xhslink.com/%1
/user/profile/[\da-f]{24}/([\da-f]{24})$ /explore/$1
/user/profile/([\da-f]{24}) /user/profile/$1
/(?:explore|discovery/item|search_result|item)/([\da-f]{24}) /explore/$1
:xhsdiscover://user/([\da-f]{24}) /user/profile/$1
:xhsdiscover://item/([\da-f]{24}) /explore/$1
@([\da-f]{24}) /user/profile/$1

VEVIOZ vevioz.com
@-/@?([\w.-]{2,60})$ /$1
-/(?=([^/]+))([\w.-]{2,60}/\S+)$ /$2
reserved about search login explore home terms api contact directory upload register premium

LUMA lu.ma luma.com
/(?:[a-z-]+/){0,3}((?:evt|cal|usr)-[a-z\d]{6,30}) /%1
/(?:user|u)/([\w.-]{2,64}) /user/$1
-/([a-z\d][\w.-]{1,63}) /$1
reserved calendar ios android check-in ai arts climate crypto fitness food tech wellness claim map settings explore home terms help pricing discover signin embed user create event privacy-policy category

SMARTMONEYMATCH smartmoneymatch.com
-/(?=([^/]+))(?!uploads/)(\S+)$ /$2
reserved about login terms privacy contact register

CALENDLY calendly.com
/[ds]/([a-z\d-]{4,40}) /d/%1
-/([\w-]{2,64})/(?!\d{4}-\d\d)([\w-]{1,100}) /$1/$2 /$1
@-/([\w-]{2,64}) /$1
reserved teams event_types scheduled_events organization invitees cancellations reschedulings url pt customers for scheduling about login signup help pricing blog features enterprise solutions users resources security legal fr de es learn pages app integrations
`)();
